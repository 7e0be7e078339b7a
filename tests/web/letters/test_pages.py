"""The pages of renewal letters: stages, batches, subscribers and the settings."""

import csv
import re

import pytest

from masthead.model.letters.outcomes import LetterChannel
from masthead.model.renewals.lapsed import RenewalStage
from masthead.services.check.accounts import check_account
from tests.conftest import Cast
from tests.support.factories import make_subscription
from tests.support.letters import (
    ADDRESS,
    add_subscribers,
    emails_of,
    execute,
    letters_of,
    set_up,
    write,
)
from tests.support.subscribers import correct
from tests.web.conftest import Person, fields_of
from tests.web.subscribers.test_pages import words
from tests.web.subscriptions.facts import cancel


def text_of(page: str) -> str:
    """The visible text of a page, in one line."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


async def test_the_overview_names_the_issue_of_each_stage(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    text = text_of(await owner.text("letters"))
    assert "when you send it" in text
    assert "One issue before the last one issue 4" in text
    assert "With the last issue issue 3" in text
    assert "Two issues after the last one issue 1" in text
    assert "No letters have been written yet." in text


async def test_without_a_current_issue_no_letters_can_be_sent(owner: Person) -> None:
    for page in (await owner.text("letters"), await owner.text("letters", "last")):
        assert "There is no current issue yet." in page


async def test_a_stage_shows_who_would_get_its_letter_and_why_others_do_not(
    owner: Person, acme: Cast
) -> None:
    await set_up(acme)
    await add_subscribers(acme, 3)
    await add_subscribers(acme, 2, email="", **ADDRESS)
    await add_subscribers(acme, 1, email="")
    text = text_of(await owner.text("letters", "last"))
    assert (
        "6 subscriptions end with issue 3: 3 by email once a mail server is set up, 2 on paper,"
        " 1 neither an email address nor a postal address."
    ) in text
    assert "The list has 6 subscriptions: 6 not renewed yet." in text
    assert "6 paid subscriptions end with issue 3, besides memberships: 6 not renewed" in text
    assert "Dear Ada No. 0," in text
    assert "Check and send" in text
    assert "All subscribers at this stage have had this letter" in await owner.text(
        "letters", "before"
    )


async def test_an_unknown_stage_is_not_found(owner: Person) -> None:
    assert (await owner.see("letters", "later")).status_code == 404
    assert (await owner.see("settings", "renewal-letters", "later")).status_code == 404


@pytest.mark.usefixtures("mail_server")
async def test_sending_queues_all_letters_once(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 3)
    address = owner.address("letters", "last", "send")
    sent = await owner.send(address, {"do": "email"})
    assert sent.status_code == 303
    page = (await owner.http.get(sent.headers["location"])).text
    assert "3 letters are being sent." in page
    assert "Waiting to be sent 3" in text_of(page)
    assert (await owner.post(address, owner.sent)).headers["location"] == sent.headers["location"]
    assert len(await emails_of(acme)) == len(await letters_of(acme)) == 3
    again = await owner.send(address, {"do": "email", "expected_email": "3"})
    assert again.status_code == 400
    assert "No letters are left to send for this stage." in again.text
    page = text_of(await owner.text("letters", "last"))
    assert "3 subscriptions end with issue 3: 3 waiting to be sent." in page


@pytest.mark.usefixtures("mail_server")
async def test_nothing_is_sent_if_the_page_showed_another_number(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 2)
    address = owner.address("letters", "last", "send")
    refused = await owner.send(address, {"do": "email", "expected_email": "5"})
    assert refused.status_code == 400
    assert "The page showed 5 letters, but the number is 2 now" in refused.text
    assert await letters_of(acme) == []
    assert (await owner.send(address, {"do": "email"})).is_redirect
    assert len(await emails_of(acme)) == 2


async def test_without_a_mail_server_nothing_is_queued(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 2)
    await add_subscribers(acme, 1, email="", **ADDRESS)
    address = owner.address("letters", "last", "send")
    page = (await owner.http.get(address)).text
    assert "MASTHEAD_SMTP_HOST" in page
    assert "MASTHEAD_MAIL_FROM" in page
    assert (
        "To send: 1 on paper. 2 by email can be sent once a mail server is set up. Nothing has been"
        " sent yet."
    ) in text_of(page)
    assert "paper. 2 by" in re.sub("<[^>]*>", "", page)
    assert 'value="email"' not in page
    assert "No test to yourself is possible without a mail server: look at" in text_of(page)
    for action in ("email", "send", "test"):
        refused = await owner.send(address, {"do": action})
        assert refused.status_code == 400
        assert "Nothing has been sent." in refused.text
        assert "MASTHEAD_SMTP_HOST" in refused.text
    assert await emails_of(acme) == await letters_of(acme) == []
    assert (await owner.send(address, {"do": "print"})).is_redirect
    assert len(await letters_of(acme)) == 1


@pytest.mark.usefixtures("mail_server")
async def test_email_and_paper_go_with_one_confirmation_without_who_is_unticked(
    owner: Person, acme: Cast
) -> None:
    await set_up(acme)
    await add_subscribers(acme, 3)
    await add_subscribers(acme, 1, email="", **ADDRESS)
    address = owner.address("letters", "last", "send")
    page = (await owner.http.get(address)).text
    assert "To send: 3 by email, 1 on paper. Nothing has been sent yet." in text_of(page)
    rows = re.findall(r'name="keep" value="(\d+)" checked> <bdi>([^<]+)', page)
    assert len(rows) == 4
    shown = re.findall(r'name="shown" value="([^"]+)"', page)
    fields = {**fields_of(page), "do": "send", "shown": shown}
    fields["keep"] = [id for id, _name in rows][1:]
    sent = await owner.http.post(address, data=fields, headers={"Sec-Fetch-Site": "same-origin"})
    page = text_of((await owner.http.get(sent.headers["location"])).text)
    assert "2 letters are being sent. 1 letter can be printed." in page
    assert "Download the letters (PDF)" in page
    page = text_of(await owner.text("letters", "last"))
    assert "The letter as a sample subscriber gets it." in page
    assert "2 waiting to be sent, 1 to be printed, 1 left out of this round." in page
    assert len(await letters_of(acme)) == 3
    assert {each["recipient"] for each in await emails_of(acme)} == {
        "ada1@example.test",
        "ada2@example.test",
    }


@pytest.mark.usefixtures("mail_server")
async def test_the_preview_shows_somebody_who_is_not_unticked(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 3)
    address = owner.address("letters", "last", "send")
    page = await owner.text("letters", "last", "send")
    assert "The letter as Ada No. 0 gets it by email." in text_of(page)
    ids = re.findall(r'name="keep" value="(\d+)" checked', page)
    assert f'hx-trigger="change from:#keep-{ids[0]}"' in page
    assert f'id="keep-{ids[0]}"' in page
    ticks = {"shown": [f"{id}:1" for id in ids], "keep": ids[1:]}
    page = (await owner.http.get(address, params={**ticks, "language": "en"})).text
    assert "The letter as Ada No. 1 gets it by email." in text_of(page)
    assert "Dear Ada No. 1," in text_of(page)
    assert f'hx-trigger="change from:#keep-{ids[1]}"' in page
    assert "left out" not in text_of(await owner.text("letters", "last"))  # nothing is saved
    refused = await owner.post(address, {**ticks, "do": "send", "expected_email": "9"})
    assert refused.status_code == 400
    assert "The letter as Ada No. 1 gets it by email." in text_of(refused.text)
    page = (await owner.http.get(address, params={"shown": ticks["shown"]})).text
    assert "The letter as a sample subscriber gets it." in text_of(page)


@pytest.mark.usefixtures("mail_server")
async def test_a_name_is_searched_unticked_and_ticked_again(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 60)
    address = owner.address("letters", "last", "send")
    page = (await owner.http.get(address)).text
    assert page.count('name="keep"') == 50
    more = await owner.send(address, {"do": "more"})
    # the form of the test has one `shown`, so that only the last name is in question
    page = (await owner.http.get(more.headers["location"])).text
    assert page.count('name="keep"') == 10
    found = (await owner.http.get(f"{address}?search=NO. 59")).text
    assert found.count('name="keep"') == 1
    left_out = {**fields_of(found), "do": "save", "search": "no. 59"}
    del left_out["keep"]
    saved = await owner.post(address, left_out)
    page = (await owner.http.get(saved.headers["location"])).text
    assert "1 is left out of this round." in text_of(page)
    assert "None: left out of this round" in text_of(page)
    back = {**fields_of(page), "do": "save"}
    back["keep"] = back["shown"].partition(":")[0]
    await owner.post(address, back)
    assert "60 by email" in text_of(await owner.text("letters", "last"))


@pytest.mark.usefixtures("mail_server")
async def test_what_has_not_gone_out_is_stopped_and_asked_again(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 3)
    batch = owner.address("letters", "batches", (await write(acme)).id)
    first = (await letters_of(acme))[0]["id"]
    for table in ("outbox", "renewal_letter"):
        ended = "sent_at" if table == "outbox" else "ended_at"
        await execute(
            acme,
            f"UPDATE {table} SET status = 'sent', {ended} = created_at"  # noqa: S608
            " WHERE account_id = :account_id AND id = :id",
            id=first,
        )
    stopped = await owner.send(f"{batch}stop/", opened=batch)
    page = text_of((await owner.http.get(stopped.headers["location"])).text)
    assert "2 letters were stopped. 1 letter had gone out before." in page
    assert "1 letter went out. 2 letters were stopped." in page
    assert "Stop what has not gone out" not in page
    id = batch.rstrip("/").rpartition("/")[2]
    file = await owner.see("downloads", "letters", "csv", batch=id)
    rows = list(csv.DictReader(file.text.removeprefix("\ufeff").splitlines()))
    assert sorted((row["status"], row["reason"]) for row in rows) == [
        *[("Not sent", "stopped before it went out")] * 2,
        ("Sent", ""),
    ]
    assert "2 by email" in text_of(await owner.text("letters", "last"))
    sent = await owner.send(owner.address("letters", "last", "send"), {"do": "email"})
    assert sent.is_redirect
    assert [each["status"] for each in await emails_of(acme)].count("waiting") == 2
    assert [fault async for fault in check_account(acme.db, acme.subdomain)] == []
    page = text_of((await owner.http.get(batch)).text)
    assert "1 letter went out. 2 letters were stopped." in page


async def test_printed_letters_are_downloaded_and_marked(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 2, email="", **ADDRESS)
    sent = await owner.send(owner.address("letters", "last", "send"), {"do": "print"})
    batch = sent.headers["location"]
    page = (await owner.http.get(batch)).text
    assert "2 letters can be printed." in page
    refused = await owner.send(f"{batch}printed/", opened=batch)
    assert "There is no PDF of these letters yet. Download it first." in refused.text
    assert [each["status"] for each in await letters_of(acme)] == ["to_print"] * 2
    pdf = await owner.http.get(f"{batch}pdf/1/")
    assert pdf.headers["content-type"] == "application/pdf"
    assert pdf.content.startswith(b"%PDF")
    assert (await owner.http.get(f"{batch}pdf/1/")).content == pdf.content
    marked = await owner.send(f"{batch}printed/", opened=batch)
    assert marked.headers["location"] == batch
    page = (await owner.http.get(batch)).text
    assert "2 letters are printed." in page
    assert ">Mark as printed<" not in page
    assert (await owner.http.get(f"{batch}pdf/1/")).content == pdf.content
    assert (await owner.http.get(f"{batch}pdf/2/")).status_code == 400
    assert (await owner.http.get(f"{batch}pdf/0/")).status_code == 404


async def test_the_page_of_a_batch_shows_how_far_it_is(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 3)
    batch = owner.address("letters", "batches", (await write(acme)).id)
    await execute(
        acme,
        "UPDATE renewal_letter SET status = 'sent' WHERE account_id = :account_id AND id = :id",
        id=(await letters_of(acme))[0]["id"],
    )
    page = (await owner.http.get(batch)).text
    assert "1 of 3 letters have gone out" in page
    assert '<progress id="progress" value="1" max="3">' in page
    assert 'http-equiv="refresh"' in page
    headers = {"HX-Request": "true", "HX-Target": "counts"}
    block = (await owner.http.get(batch, headers=headers)).text
    assert "1 of 3 letters have gone out" in block
    assert "<h1" not in block
    await execute(acme, "UPDATE renewal_letter SET status = 'sent' WHERE account_id = :account_id")
    page = (await owner.http.get(batch)).text
    assert "have gone out" not in page
    assert 'http-equiv="refresh"' not in page


@pytest.mark.usefixtures("mail_server")
async def test_a_batch_shows_who_renewed_since(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 4)
    batch = owner.address("letters", "batches", (await write(acme)).id)
    waiting = text_of((await owner.http.get(batch)).text)
    assert "Renewed since" not in waiting
    await execute(acme, "UPDATE renewal_letter SET status = 'sent' WHERE account_id = :account_id")
    assert "Renewed since 0" in text_of((await owner.http.get(batch)).text)

    [_first, again, other, gone] = [each["subscription_id"] for each in await letters_of(acme)]
    await owner.send(owner.address("subscriptions", again, "renew"), {"length": "4"})
    await make_subscription(acme, email="ada2@example.test", start_issue=3, length=4)
    await cancel(acme, gone)
    page = (await owner.http.get(batch)).text
    assert "Renewed since 2" in text_of(page)
    assert f'href="{batch}renewed/"' in page

    listed = (await owner.http.get(f"{batch}renewed/")).text
    names = [name for name in ("No. 0", "No. 1", "No. 2", "No. 3") if name in listed]
    assert names == ["No. 1", "No. 2"]
    assert other in listed


async def test_marking_letters_as_printed_can_be_undone(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 2, email="", **ADDRESS)
    batch = (await owner.send(owner.address("letters", "last", "send"), {"do": "print"})).headers[
        "location"
    ]
    assert "Undo “Mark as printed”" not in (await owner.http.get(batch)).text
    await owner.http.get(f"{batch}pdf/1/")
    await owner.send(f"{batch}printed/", opened=batch)
    undone = await owner.send(f"{batch}undo-printed/", opened=batch)
    assert undone.headers["location"] == batch
    page = (await owner.http.get(batch)).text
    assert "2 letters are to be printed again." in page
    assert ">Mark as printed<" in page
    assert [each["status"] for each in await letters_of(acme)] == ["to_print"] * 2
    assert [fault async for fault in check_account(acme.db, acme.subdomain)] == []
    again = await owner.send(f"{batch}undo-printed/", opened=batch)
    assert (
        "0 letters are to be printed again."
        in (await owner.http.get(again.headers["location"])).text
    )
    assert (await owner.send(f"{batch}printed/", opened=batch)).is_redirect


async def test_emails_are_not_printed(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1)
    batch = owner.address("letters", "batches", (await write(acme)).id)
    assert (await owner.http.get(f"{batch}pdf/1/")).status_code == 400
    refused = await owner.send(f"{batch}printed/", opened=batch)
    assert refused.status_code == 400
    assert "They are not printed." in refused.text


@pytest.mark.usefixtures("mail_server")
async def test_failed_letters_are_sent_again(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 2)
    batch = owner.address("letters", "batches", (await write(acme)).id)
    sent = await owner.send(f"{batch}retry/")
    assert "No letter has failed." in (await owner.http.get(sent.headers["location"])).text
    await execute(
        acme,
        "UPDATE outbox SET status = 'failed', last_error = '550 no' WHERE account_id = :account_id",
    )
    await execute(
        acme, "UPDATE renewal_letter SET status = 'failed' WHERE account_id = :account_id"
    )
    page = (await owner.http.get(batch)).text
    assert (
        "Could not be sent : The mail server refused the address. The mail server says: 550 no"
        in text_of(page)
    )
    assert "Letters that could not be sent" in page
    confirm = (await owner.http.get(f"{batch}retry/")).text
    assert "Send 2 letters again" in text_of(confirm)
    assert {each["status"] for each in await emails_of(acme)} == {"failed"}
    sent = await owner.send(f"{batch}retry/")
    page = (await owner.http.get(sent.headers["location"])).text
    assert "2 letters will be sent again." in page
    assert {each["status"] for each in await emails_of(acme)} == {"waiting"}


async def test_an_address_is_marked_as_bounced_and_cleared(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1)
    id = (await acme.get("/v1/subscribers/")).json()["items"][0]["id"]
    here = owner.address("subscribers", id, "letters")
    await owner.send(here, {"do": "bounced", "reason": "550 unknown"})
    page = text_of(await owner.text("subscribers", id, "letters"))
    assert "550 unknown" in page
    assert "No, because the address bounced" in page
    assert "1 the email address bounced" in text_of(await owner.text("letters", "last"))
    await owner.send(here, {"do": "works"})
    assert "Gets letters Yes" in text_of(await owner.text("subscribers", id, "letters"))


async def test_an_address_that_others_corrected_meanwhile_is_not_marked(
    owner: Person, acme: Cast
) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1)
    id = (await acme.get("/v1/subscribers/")).json()["items"][0]["id"]
    form = fields_of(await owner.text("subscribers", id, "letters"))
    await correct(acme, id, email="new@example.test")
    here = owner.address("subscribers", id, "letters")
    refused = await owner.post(here, {**form, "do": "bounced"})
    assert refused.status_code == 400
    assert "was changed to new@example.test since you opened the page" in text_of(refused.text)


async def test_staff_can_unsubscribe_a_subscriber_and_undo_it(staff: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1)
    id = (await acme.get("/v1/subscribers/")).json()["items"][0]["id"]
    here = staff.address("subscribers", id, "letters")
    await staff.send(here, {"do": "unsubscribe"})
    assert "1 wants no letters" in text_of(await staff.text("letters", "last"))
    await staff.send(here, {"do": "resubscribe"})
    assert "1 by email" in text_of(await staff.text("letters", "last"))


async def test_the_page_of_a_subscriber_lists_their_letters(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1)
    id = (await acme.get("/v1/subscribers/")).json()["items"][0]["id"]
    assert "not received any renewal letters yet" in await owner.text("subscribers", id, "letters")
    await write(acme)
    assert "By email Waiting to be sent" in text_of(await owner.text("subscribers", id, "letters"))


async def test_the_letters_of_a_merged_subscriber_are_on_the_page_of_the_other(
    owner: Person, acme: Cast
) -> None:
    await set_up(acme)
    await add_subscribers(acme, 2)
    await write(acme)
    kept, merged = (each["id"] for each in (await acme.get("/v1/subscribers/")).json()["items"])
    await execute(
        acme,
        "UPDATE subscriber SET merged_into = :kept WHERE account_id = :account_id AND id = :id",
        kept=kept,
        id=merged,
    )
    moved = await owner.see("subscribers", merged, "letters")
    assert moved.headers["location"] == owner.address("subscribers", kept, "letters")
    page = await owner.text("subscribers", kept, "letters")
    assert page.count("Waiting to be sent") == 2


async def test_many_subscribers_of_a_stage_are_in_the_lists(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    for length, path in ((4, "ending/next/"), (3, "ending/"), (2, "ending/lapsed/?ago=1")):
        await add_subscribers(acme, 21, length=length, prefix=f"r{length}x")
        stage = {4: "before", 3: "last", 2: "after_1"}[length]
        page = await owner.text("letters", stage)
        assert "These are the first 20." in page
        assert f'href="/desk/{acme.subdomain}/{path}"' in page


async def test_a_subscriber_without_email_cannot_bounce(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1, email="")
    id = (await acme.get("/v1/subscribers/")).json()["items"][0]["id"]
    here = owner.address("subscribers", id, "letters")
    refused = await owner.send(here, {"do": "bounced"})
    assert refused.status_code == 400
    assert "no email address that could bounce" in refused.text


@pytest.mark.parametrize("stage", RenewalStage)
async def test_the_text_of_a_stage_is_changed(
    owner: Person, acme: Cast, stage: RenewalStage
) -> None:
    here = owner.address("settings", "renewal-letters", stage)
    saved = await owner.send(
        here, {"subject": "Hello {name}", "text": "It ends {end}.", "is_automatic": "y"}
    )
    assert saved.status_code == 303
    page = await owner.text("settings", "renewal-letters", stage)
    assert "Hello {name}" in page
    assert "It ends {end}." in page
    assert "by rule" in await owner.text("settings", "renewal-letters")


async def test_an_unknown_placeholder_is_named(owner: Person) -> None:
    here = owner.address("settings", "renewal-letters", "last")
    refused = await owner.send(here, {"subject": "Hello {nmae}", "text": "Stay {name}."})
    assert refused.status_code == 400
    assert "{nmae} in “Subject” is not a placeholder. You can use {greeting}, {name}, " in (
        refused.text
    )
    assert "Stay {name}." in refused.text


async def test_a_preview_shows_the_letter_of_a_real_subscriber(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    here = owner.address("settings", "renewal-letters", "last")
    fields = {"subject": "S", "text": "Dear {name}, {recipient}: {end}, {price}", "do": "preview"}
    page = (await owner.send(here, fields)).text
    assert "as a sample subscriber" in page
    await add_subscribers(acme, 1)
    page = (await owner.send(here, fields)).text
    assert "The letter as Ada No. 0 gets it by email." in page
    assert "Dear Ada No. 0, Ada No. 0: with issue 3, €42.00" in page


@pytest.mark.usefixtures("mail_server")
@pytest.mark.parametrize("page", ["stage", "send"])
async def test_a_test_goes_to_the_user_from_the_pages_of_a_stage(
    staff: Person, acme: Cast, page: str
) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1)
    here = staff.address("letters", "last", *(["send"] if page == "send" else []))
    sent = await staff.send(here, {"do": "test"})
    assert (
        f"Sending a test to {staff.email}." in (await staff.http.get(sent.headers["location"])).text
    )
    (email,) = await emails_of(acme)
    assert email["recipient"] == staff.email
    assert email["subject"].startswith("Test: ")
    assert "Dear Ada No. 0," in email["body"]
    assert await letters_of(acme) == []


@pytest.mark.usefixtures("mail_server")
async def test_the_text_is_changed_on_the_page_of_the_stage(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1)
    page = await owner.text("letters", "last")
    address = owner.address("settings", "renewal-letters", "last")
    assert f'href="{address}?language=en&amp;back=stage"' in page
    fields = fields_of((await owner.http.get(f"{address}?language=en&back=stage")).text)
    saved = await owner.post(address, {**fields, "subject": "Stay, {name}", "do": "save"})
    assert saved.headers["location"] == owner.address("letters", "last")
    assert "Stay, Ada No. 0" in await owner.text("letters", "last")


@pytest.mark.usefixtures("mail_server")
async def test_a_test_letter_goes_to_the_user(owner: Person, acme: Cast) -> None:
    here = owner.address("settings", "renewal-letters", "last")
    page = (await owner.send(here, {"do": "test"})).text
    assert owner.email in page
    (email,) = await emails_of(acme)
    assert email["recipient"] == owner.email
    assert "/unsubscribe/" in email["body"]
    assert email["letter_id"] is None
    assert (await owner.post(here, owner.sent)).status_code == 200
    assert len(await emails_of(acme)) == 1


async def test_only_owners_change_the_texts(staff: Person, outsider: Person) -> None:
    assert (await staff.see("settings", "renewal-letters")).status_code == 403
    assert (await staff.see("letters")).status_code == 200
    assert (await outsider.see("letters")).status_code == 404


async def test_letters_of_another_account_are_not_found(
    owner: Person, acme: Cast, rival: Cast
) -> None:
    await set_up(rival)
    await add_subscribers(rival, 1, email="", **ADDRESS)
    id = (await write(rival, channel=LetterChannel.PRINT)).id
    for path in ((), ("pdf", "1")):
        assert (await owner.see("letters", "batches", id, *path)).status_code == 404
    subscriber = (await rival.get("/v1/subscribers/")).json()["items"][0]["id"]
    assert (await owner.see("subscribers", subscriber, "letters")).status_code == 404


@pytest.mark.usefixtures("mail_server")
async def test_a_round_in_which_nobody_is_ticked_is_not_sent(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1)
    await add_subscribers(acme, 1, email="", **ADDRESS)
    address = owner.address("letters", "last", "send")
    page = (await owner.http.get(address)).text
    shown = re.findall(r'name="shown" value="([^"]+)"', page)
    fields = {**fields_of(page), "do": "send", "shown": shown, "keep": []}
    refused = await owner.http.post(address, data=fields, headers={"Sec-Fetch-Site": "same-origin"})
    assert refused.status_code == 400
    assert "No letters are left to send: you have left out all subscribers." in refused.text
    assert await letters_of(acme) == await emails_of(acme) == []


async def test_the_settings_list_subjects_with_the_name_of_the_magazine(owner: Person) -> None:
    page = words(await owner.see("settings", "renewal-letters"))
    assert "{magazine}" not in page
    assert "We miss you at Acme" in page
