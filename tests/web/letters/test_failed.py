"""Letters that could not be sent: where they are named, and what helps."""

from datetime import timedelta

import pytest

from masthead.model.clock import now
from masthead.model.identity.rights import STAFF_RIGHTS, Right
from masthead.model.letters.outcomes import LetterChannel
from tests.conftest import Cast
from tests.support.letters import ADDRESS, add_subscribers, execute, letters_of, set_up, write
from tests.web.conftest import Person
from tests.web.letters.test_pages import text_of
from tests.web.test_rights import give

pytestmark = pytest.mark.usefixtures("mail_server")
UTF8 = "SMTPUTF8 is not supported by this server"


async def fail_first(cast: Cast) -> str:
    """Three emails and a printed letter, of which the first email fails; returns its batch."""
    await set_up(cast)
    await add_subscribers(cast, 3, **ADDRESS)
    await add_subscribers(cast, 1, prefix="bo", email="", **ADDRESS)
    batch = await write(cast)
    await write(cast, channel=LetterChannel.PRINT)
    first = (await letters_of(cast))[0]["id"]
    for statement in (
        "UPDATE outbox SET status = 'sent'",
        "UPDATE renewal_letter SET status = 'sent' WHERE channel = 'email'",
    ):
        await execute(cast, statement)
    for statement in (
        "UPDATE outbox SET status = 'failed' WHERE id = :id",
        "UPDATE renewal_letter SET status = 'failed' WHERE id = :id",
    ):
        await execute(cast, statement, id=first)
    await execute(
        cast,
        "UPDATE outbox SET last_error = :error WHERE account_id = :account_id AND id = :id",
        error=UTF8,
        id=first,
    )
    return batch.id


async def test_home_and_the_rounds_name_letters_that_could_not_be_sent(
    owner: Person, staff: Person, acme: Cast
) -> None:
    batch = await fail_first(acme)
    retry = owner.address("letters", "batches", batch, "retry")
    home = await owner.text()
    assert "Letters that could not be sent 1" in text_of(home)
    assert f'href="{retry}"' in home
    rounds = await owner.text("letters")
    assert "2 by email , 1 could not be sent , 1 on paper" in text_of(rounds)
    assert f'href="{retry}"' in rounds
    await give(acme.db, acme, staff, STAFF_RIGHTS - {Right.SEND_LETTERS})
    assert "Letters that could not be sent" not in await staff.text()


async def test_the_pages_of_the_round_name_them_also_when_the_paper_was_printed(
    owner: Person, acme: Cast
) -> None:
    batch = await fail_first(acme)
    [printed] = {each["batch_id"] for each in await letters_of(acme)} - {batch}
    await execute(
        acme,
        "UPDATE renewal_letter SET status = 'printed', ended_at = created_at"
        " WHERE account_id = :account_id AND channel = 'print'",
    )
    retry = f'href="{owner.address("letters", "batches", batch, "retry")}"'
    says = "Could not be sent 1 by email: correct the address, or print the letter"
    for page in (("letters", "batches", printed), ("letters", "last")):
        text = await owner.text(*page)
        assert says in text_of(text)
        assert retry in text
    assert retry in await owner.text("letters", "batches", batch)


async def test_one_that_is_printed_stays_in_its_round(owner: Person, acme: Cast) -> None:
    batch = await fail_first(acme)
    failed = (await letters_of(acme))[0]["id"]
    retry = owner.address("letters", "batches", batch, "retry")
    answer = await owner.send(retry, {"print": failed})
    page = text_of((await owner.http.get(answer.headers["location"])).text)
    assert "Also in this round 2 by email , 1 on paper" in page
    page = text_of(await owner.text("letters", "last"))
    assert "2 by email , 1 on paper , 1 on paper later Renewed since 0 of 2 have renewed" in page
    assert "Round before" not in page


async def test_a_stage_names_them_after_a_later_round(owner: Person, acme: Cast) -> None:
    batch = await fail_first(acme)
    await execute(
        acme,
        "UPDATE letter_batch SET round_id = NULL WHERE account_id = :account_id",
    )
    await execute(
        acme,
        "UPDATE letter_batch SET created_at = :earlier WHERE account_id = :account_id"
        " AND channel = 'email'",
        earlier=now() - timedelta(days=1),
    )
    text = await owner.text("letters", "last")
    words = text_of(text)
    assert "1 on paper Renewed since nothing has gone out yet Round before" in words
    assert "1 could not be sent Renewed since 0 of 2 have renewed Could not be sent 1" in words
    assert f'href="{owner.address("letters", "batches", batch, "retry")}"' in text


async def test_what_only_failed_is_stopped_on_its_own_page(owner: Person, acme: Cast) -> None:
    batch = await fail_first(acme)
    stop = f'action="{owner.address("letters", "batches", batch, "stop")}"'
    assert stop not in await owner.text("letters", "batches", batch)
    assert stop in await owner.text("letters", "batches", batch, "retry")
    await owner.send(
        owner.address("letters", "batches", batch, "stop"),
        opened=owner.address("letters", "batches", batch, "retry"),
    )
    assert "Letters that could not be sent" not in await owner.text()
    page = text_of(await owner.text("letters", "batches", batch))
    assert (
        "2 letters went out. 1 letter was stopped. Its subscription can get a new letter of this"
        " stage."
    ) in page


async def test_a_stage_counts_as_written_to_only_what_went_out(owner: Person, acme: Cast) -> None:
    await fail_first(acme)
    page = text_of(await owner.text("letters", "last"))
    assert (
        "4 without a renewal: 2 already written to, 1 to be printed, 1 could not be sent." in page
    )


async def test_the_reason_is_in_plain_words_with_those_of_the_server_behind(
    owner: Person, acme: Cast
) -> None:
    batch = await fail_first(acme)
    page = await owner.text("letters", "batches", batch, "retry")
    text = text_of(page)
    assert "Ada No. 0 , ada0@example.test The mail server cannot send to an address" in text
    assert f"The mail server says: {UTF8}" in text
    assert f"{(await letters_of(acme))[0]['subscriber_id']}/edit/" in page


async def test_a_letter_that_could_not_be_sent_is_printed(owner: Person, acme: Cast) -> None:
    batch = await fail_first(acme)
    here = owner.address("letters", "batches", batch, "retry")
    failed = (await letters_of(acme))[0]
    done = await owner.send(here, {"print": failed["id"]})
    assert done.status_code == 303
    page = text_of((await owner.http.get(done.headers["location"])).text)
    assert "1 letter can be printed." in page
    [new] = [each for each in await letters_of(acme) if each["period_id"] == failed["period_id"]]
    assert (new["channel"], new["status"]) == ("print", "to_print")
    assert "Hafenweg 1" in new["address"]
    assert "Letters that could not be sent" not in await owner.text()
    again = await owner.http.post(
        here, data={"print": failed["id"]}, headers={"Sec-Fetch-Site": "same-origin"}
    )
    assert "is not among those that could not be sent any more" in again.text


async def test_a_letter_without_a_postal_address_is_not_printed(owner: Person, acme: Cast) -> None:
    batch = await fail_first(acme)
    await execute(
        acme,
        "UPDATE subscription SET address1 = NULL, city = NULL WHERE account_id = :account_id",
    )
    failed = (await letters_of(acme))[0]
    here = owner.address("letters", "batches", batch, "retry")
    refused = await owner.send(here, {"print": failed["id"]})
    assert refused.status_code == 400
    assert "Ada No. 0 cannot get the letter on paper: no postal address." in refused.text
    assert (await letters_of(acme))[0]["status"] == "failed"
