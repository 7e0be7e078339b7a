"""A round of letters: email and paper that were sent together, and who has renewed since."""

import re
from datetime import timedelta

import pytest

from masthead.store.letters import rounds
from masthead.store.letters.renewed import BatchCount
from tests.conftest import Cast
from tests.support.factories import make_subscription
from tests.support.letters import ADDRESS, add_subscribers, execute, letters_of, set_up, write
from tests.web.conftest import Person
from tests.web.downloads.test_list_downloads import download
from tests.web.letters.test_pages import text_of as spaced_text

pytestmark = pytest.mark.usefixtures("mail_server")


def text_of(page: str) -> str:
    """The visible text of a page, without the blanks after links."""
    return spaced_text(page).replace(" ,", ",")


async def send_round(owner: Person, cast: Cast) -> None:
    """Send two letters by email, and prepare one on paper; all go out, and two then renew."""
    await set_up(cast)
    await add_subscribers(cast, 2)
    await add_subscribers(cast, 1, prefix="bo", email="", **ADDRESS)
    await owner.send(owner.address("letters", "last", "send"), {"do": "send"})
    await execute(
        cast,
        "UPDATE renewal_letter SET status = CASE WHEN channel = 'email' THEN 'sent'"
        " ELSE 'printed' END, ended_at = created_at WHERE account_id = :account_id",
    )


async def renew(owner: Person, cast: Cast) -> None:
    """One subscriber with an email renews, and the one without."""
    found = {each["channel"]: each["subscription_id"] for each in await letters_of(cast)}
    for id in found.values():
        await owner.send(owner.address("subscriptions", id, "renew"), {"length": "4"})


async def test_letters_so_far_has_one_row_for_a_round(owner: Person, acme: Cast) -> None:
    await send_round(owner, acme)
    assert "2 by email, 1 on paper 0 of 3 have renewed" in text_of(await owner.text("letters"))
    await renew(owner, acme)
    page = await owner.text("letters")
    assert "2 by email, 1 on paper 2 of 3 have renewed" in text_of(page)
    assert page.count('/renewed/"') == 1


async def test_a_round_counts_subscriptions_that_share_a_letter(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 2)
    await add_subscribers(acme, 1)  # a second subscription of the first, with the same text
    send = owner.address("letters", "last", "send")
    assert "To send: 3 by email." in text_of(await owner.text("letters", "last", "send"))
    sent = await owner.send(send, {"do": "email"})
    page = text_of((await owner.http.get(sent.headers["location"])).text)
    assert (
        "2 letters are being sent, for 3 subscriptions: those with the same text share one." in page
    )
    await execute(
        acme,
        "UPDATE renewal_letter SET status = 'sent', ended_at = created_at"
        " WHERE account_id = :account_id AND status = 'queued'",
    )
    await make_subscription(acme, email="ada0@example.test", start_issue=3, length=4)
    batch = (await letters_of(acme))[0]["batch_id"]
    page = text_of(await owner.text("letters", "batches", batch))
    assert (
        "Sent 2 Share the letter of another subscription 1 Renewed since 2 of 3 have renewed"
        in page
    )
    assert "Not sent (" not in page
    page = text_of(await owner.text("letters", "batches", batch, "renewed"))
    assert "Of 3 subscriptions whose letters went out, 2 have been renewed since." in page
    assert "3 by email 2 of 3 have renewed" in text_of(await owner.text("letters"))


async def test_lists_of_rounds_count_the_letters_that_the_page_of_a_round_counts(
    owner: Person, acme: Cast
) -> None:
    await set_up(acme)
    await add_subscribers(acme, 4)
    batch = (await write(acme)).id
    ids = [each["id"] for each in await letters_of(acme)]
    for id, status, reason in (
        (ids[0], "skipped", "stopped"),
        (ids[1], "skipped", "renewed"),
        (ids[2], "sent", None),
        (ids[3], "sent", None),
    ):
        await execute(
            acme,
            "UPDATE renewal_letter SET status = :status, reason = :reason, ended_at = created_at"
            " WHERE account_id = :account_id AND id = :id",
            id=id,
            status=status,
            reason=reason,
        )
    await execute(
        acme,
        "UPDATE letter_batch SET stopped = 1, stopped_at = created_at"
        " WHERE account_id = :account_id",
    )
    page = text_of(await owner.text("letters", "batches", batch))
    assert "Sent 2 Not sent 2 (" in page
    assert "2 letters went out. 1 letter was stopped. Its subscription can get a new" in page
    assert "2 by email, 1 not sent 1 0 of 2 have renewed" in text_of(await owner.text("letters"))
    page = text_of(await owner.text("letters", "last"))
    assert "2 by email, 1 not sent, 1 stopped Renewed since" in page
    assert "2 by email, 1 not sent, 1 stopped; 0 of 2 have renewed" in page
    # A stopped letter that is written again is in the new round only
    await owner.send(owner.address("letters", "last", "send"), {"do": "email"})
    assert "2 by email, 1 not sent 1 0 of 2 have renewed" in text_of(await owner.text("letters"))


async def test_one_letter_that_could_not_be_sent_is_one(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 2)
    batch = (await write(acme)).id
    ids = [each["id"] for each in await letters_of(acme)]
    one = (
        "1 letter of “With the last issue” could not be sent.",
        "Correct the email address and send the letter again, or print it.",
        "If you cannot reach this subscriber, stop the letter.",
    )
    two = (
        "2 letters of “With the last issue” could not be sent.",
        "Correct the email addresses and send the letters again, or print them.",
        "If you cannot reach these subscribers, stop the letters.",
    )
    for id, texts in zip(ids, (one, two), strict=True):
        await execute(
            acme,
            "UPDATE renewal_letter SET status = 'failed' WHERE account_id = :account_id"
            " AND id = :id",
            id=id,
        )
        page = text_of(await owner.text("letters", "batches", batch, "retry"))
        assert [each for each in texts if each not in page] == []


async def test_the_names_of_who_renewed_since_are_one_click_away(owner: Person, acme: Cast) -> None:
    await send_round(owner, acme)
    await renew(owner, acme)
    for batch in {each["batch_id"] for each in await letters_of(acme)}:
        page = text_of(await owner.text("letters", "batches", batch, "renewed"))
        assert "Of 3 subscriptions whose letters went out, 2 have been renewed since." in page
        assert "By email" in page
        assert "On paper" in page


async def test_who_renewed_is_found_from_retention_and_from_the_round_and_downloaded(
    owner: Person, acme: Cast
) -> None:
    retention = await owner.text("ending", "retention")
    assert "the last round of letters" not in retention
    await send_round(owner, acme)
    await renew(owner, acme)
    retention = await owner.text("ending", "retention")
    assert f'href="{owner.address("letters")}#batches"' in retention
    retention = text_of(retention)
    assert retention.index("the last round") < retention.index("How these figures are counted")
    assert re.search(
        r"After the last round of letters \(With the last issue, .+\): 2 of 3 have renewed",
        retention,
    )
    for batch in {each["batch_id"] for each in await letters_of(acme)}:
        page = await owner.text("letters", "batches", batch)
        assert "Renewed since 2 of 3 have renewed" in text_of(page)
        page = await owner.text("letters", "batches", batch, "renewed")
        assert f"/downloads/renewed-letters/csv/?batch={batch}" in page
        rows = await download(owner, "downloads", "renewed-letters", "csv", batch=batch)
        # Both letters may be of one millisecond, in which ids have no order
        assert sorted((row["full_name"], row["channel"]) for row in rows) == [
            ("Ada No. 0", "On paper"),
            ("Ada No. 1", "By email"),
        ]


async def test_the_buttons_change_when_the_last_letter_has_gone_out(
    owner: Person, acme: Cast
) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1)
    await write(acme)
    batch = owner.address("letters", "batches", (await letters_of(acme))[0]["batch_id"])
    asked = {"HX-Request": "true", "HX-Target": "counts"}
    waiting = await owner.http.get(batch, headers=asked)
    assert "HX-Refresh" not in waiting.headers
    assert "Stop what has not gone out" in (await owner.http.get(batch)).text
    await execute(
        acme,
        "UPDATE renewal_letter SET status = 'sent', ended_at = created_at"
        " WHERE account_id = :account_id",
    )
    done = await owner.http.get(batch, headers=asked)
    assert done.headers["HX-Refresh"] == "true"
    whole = await owner.http.get(batch)
    assert "Stop what has not gone out" not in whole.text
    assert "HX-Refresh" not in whole.headers


async def test_the_last_round_counts_email_and_paper(owner: Person, acme: Cast) -> None:
    await send_round(owner, acme)
    await renew(owner, acme)
    page = text_of(await owner.text("letters", "last"))
    assert ": 2 by email, 1 on paper Renewed since 2 of 3 have renewed" in page


async def test_the_page_of_a_batch_names_the_other_half(owner: Person, acme: Cast) -> None:
    await send_round(owner, acme)
    found = {each["channel"]: each["batch_id"] for each in await letters_of(acme)}
    page = text_of(await owner.text("letters", "batches", found["email"]))
    assert "Also in this round 1 on paper" in page
    page = text_of(await owner.text("letters", "batches", found["print"]))
    assert "Also in this round 2 by email" in page


async def test_a_later_sending_is_a_round_of_its_own(owner: Person, acme: Cast) -> None:
    await send_round(owner, acme)
    await add_subscribers(acme, 1, prefix="late")
    await write(acme)
    found = await rounds.list_rounds(acme.db, acme.account_id, 10)
    assert [[each.letters for each in round.batches] for round in found] == [[1], [2, 1]]


@pytest.mark.parametrize("hours, sent", [(0, [[2, 1]]), (1, [[1], [2]])])
async def test_paper_that_is_prepared_at_once_is_in_the_round_of_the_emails(
    owner: Person, acme: Cast, hours: int, sent: list[list[int]]
) -> None:
    await set_up(acme)
    await add_subscribers(acme, 2)
    await add_subscribers(acme, 1, prefix="bo", email="", **ADDRESS)
    await owner.send(owner.address("letters", "last", "send"), {"do": "email"})
    [one] = await rounds.list_rounds(acme.db, acme.account_id, 10)
    await execute(
        acme,
        "UPDATE letter_batch SET created_at = :earlier WHERE account_id = :account_id",
        earlier=one.created_at - timedelta(hours=hours),
    )
    await owner.send(owner.address("letters", "last", "send"), {"do": "print"})
    found = await rounds.list_rounds(acme.db, acme.account_id, 10)
    assert [[each.letters for each in round.batches] for round in found] == sent


async def test_a_page_counts_the_newest_rounds_only(
    owner: Person, acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    await send_round(owner, acme)
    await make_subscription(acme, email="ada0@example.test", start_issue=3, length=4)
    await add_subscribers(acme, 1, prefix="late")
    await write(acme)
    monkeypatch.setattr(rounds, "MAX_COUNTED", 3)
    found = await rounds.list_rounds(acme.db, acme.account_id, 10)
    renewed = await rounds.count_renewed_since(acme.db, acme.account_id, found)
    assert renewed == {
        found[0].id: rounds.RoundRenewals(0, 0, {found[0].id: BatchCount(found[0].id, 0, 0, 0)})
    }  # together, the two rounds have four letters
    page = text_of(await owner.text("letters"))
    assert "2 by email, 1 on paper Show the names" in page


async def test_the_list_of_what_ends_says_who_has_got_a_letter(owner: Person, acme: Cast) -> None:
    await send_round(owner, acme)
    await add_subscribers(acme, 1, prefix="late", last_name="Later")
    page = text_of(await owner.text("ending"))
    assert len(re.findall(r"\d+ \w+ \d{4} With the last issue", page)) == 3
    assert "none yet" in page
    assert "Later" in page
    without = await owner.text("ending", has_letter="false")
    assert "Later" in without
    assert "With the last issue" not in without
    got = await owner.text("ending", has_letter="true")
    assert "Later" not in got
    assert "3 subscriptions" in text_of(got)
    file = await owner.see("ending", "download", format="csv", has_letter="false")
    assert len(file.text.splitlines()) == 2


async def test_a_letter_that_was_stopped_or_failed_was_not_got(owner: Person, acme: Cast) -> None:
    await send_round(owner, acme)
    await execute(
        acme,
        "UPDATE renewal_letter SET status = CASE WHEN channel = 'email' THEN 'failed'"
        " ELSE 'skipped' END, reason = CASE WHEN channel = 'print' THEN 'stopped' END"
        " WHERE account_id = :account_id",
    )
    assert "No subscriptions match" in await owner.text("ending", has_letter="true")
