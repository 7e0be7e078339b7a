"""The page of a stage in one line of numbers; letters in the language of each recipient."""

import re

import pytest

from masthead.services.accounts import update_account
from tests.conftest import BY, Cast
from tests.support.factories import make_subscription
from tests.support.letters import ADDRESS, add_subscribers, emails_of, execute, set_up
from tests.web.conftest import Person, fields_of
from tests.web.letters.test_pages import text_of

BY_COUNTRY = {"DE": "de", "*": "en"}


async def start(cast: Cast) -> None:
    """Issue 3 is current; with it, one subscription ends in Germany, and two in Norway."""
    await set_up(cast)
    await update_account(cast.db, cast.account_id, country_languages=BY_COUNTRY, by=BY)
    await add_subscribers(cast, 1, prefix="de", country="DE", **ADDRESS)
    await add_subscribers(cast, 2, prefix="no", country="NO", **ADDRESS)


@pytest.mark.usefixtures("mail_server")
async def test_a_stage_says_in_one_line_what_becomes_of_those_not_renewed(
    owner: Person, acme: Cast
) -> None:
    await set_up(acme)
    await add_subscribers(acme, 3)
    await add_subscribers(acme, 1, prefix="bo", email="", **ADDRESS)
    await add_subscribers(acme, 1, prefix="cy", email="", last_name="Nobody")
    page = text_of(await owner.text("letters", "last"))
    assert (
        "5 without a renewal: 3 by email, 1 on paper, 1 without an address (Ada Nobody)."
        " Show the list"
    ) in page
    before, after = page.split("How these numbers relate")
    assert "paid subscriptions end with issue 3" not in before
    assert "5 paid subscriptions end with issue 3, besides memberships" in after


@pytest.mark.usefixtures("mail_server")
async def test_a_stage_says_who_renewed_after_its_last_round(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 2)
    await owner.send(owner.address("letters", "last", "send"), {"do": "email"})
    await execute(
        acme,
        "UPDATE renewal_letter SET status = 'sent', ended_at = created_at"
        " WHERE account_id = :account_id",
    )
    await make_subscription(acme, email="ada0@example.test", start_issue=3, length=4)
    page = await owner.text("letters", "last")
    assert ": 2 by email Renewed since 1 of 2 has renewed" in text_of(page)
    assert "/renewed/" in page


@pytest.mark.usefixtures("mail_server")
async def test_the_pages_say_in_which_languages_letters_go_out(owner: Person, acme: Cast) -> None:
    await start(acme)
    text = text_of(await owner.text("letters", "last")).replace(" ,", ",")
    assert "English: 2, German: 1" in text
    text = text_of(await owner.text("letters", "last", "send")).replace(" ,", ",")
    assert "English: 2, German: 1" in text
    assert "Guten Tag" in text  # the preview is that of the first, in German


@pytest.mark.usefixtures("mail_server")
async def test_a_changed_letter_gets_a_text_in_another_language(owner: Person, acme: Cast) -> None:
    await start(acme)
    address = owner.address("settings", "renewal-letters", "last")
    await owner.send(address, {"subject": "Bye", "text": "{greeting}, it ends."})
    page = await owner.text("letters", "last", "send")
    assert "1 of them is for somebody who wants German: this letter has no such text." in text_of(
        page
    )
    german = f"{address}?language=de"
    assert german in page
    shown = text_of((await owner.http.get(german)).text)
    assert "they get the text in the language of the account" in shown
    assert "Send it by rule" not in shown
    saved = await owner.send(german, {"do": "save", "subject": "Ade", "text": "{greeting}, Ende."})
    assert saved.is_redirect
    assert "Delete the text in this language" in (await owner.http.get(german)).text
    assert "this letter has no such text" not in await owner.text("letters", "last", "send")
    await owner.send(owner.address("letters", "last", "send"), {"do": "email"})
    assert sorted(each["subject"] for each in await emails_of(acme)) == ["Ade", "Bye", "Bye"]


async def test_a_text_in_another_language_is_previewed_and_deleted(
    owner: Person, acme: Cast
) -> None:
    await start(acme)
    german = owner.address("settings", "renewal-letters", "last") + "?language=de"
    typed = {"subject": "Ade", "text": "{greeting}, {subscription} endet {end}."}
    seen = text_of((await owner.send(german, {**typed, "do": "preview"})).text)
    assert "endet mit Ausgabe 3." in seen
    await owner.send(german, {**typed, "do": "save"})
    await owner.send(german, {"do": "delete"})
    page = (await owner.http.get(german)).text
    assert "Until you change it, they get the text that comes with masthead." in page
    assert "Bitte verlängern Sie" in page


async def test_the_buttons_that_send_come_after_the_names(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 2, email="", **ADDRESS)
    page = await owner.text("letters", "last", "send")
    assert (
        page.index('name="keep"') < page.index('class="actions send"') < page.index('value="print"')
    )


@pytest.mark.usefixtures("mail_server")
async def test_the_daily_rule_is_explained_where_it_holds(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1)
    rule = "masthead sends this letter once a day by itself"
    assert rule not in await owner.text("letters", "last", "send")
    address = owner.address("settings", "renewal-letters", "last")
    await owner.send(address, {"is_automatic": "y"})
    assert rule in await owner.text("letters", "last", "send")


@pytest.mark.usefixtures("mail_server")
async def test_the_preview_and_the_test_are_those_of_somebody_with_an_email(
    owner: Person, acme: Cast
) -> None:
    await set_up(acme)
    await add_subscribers(acme, 2, prefix="a", email="", last_name="Paper", **ADDRESS)
    page = text_of(await owner.text("letters", "last", "send"))
    assert "The letter as Ada Paper gets it on paper." in page
    await add_subscribers(acme, 1, prefix="b", last_name="Mail")
    page = text_of(await owner.text("letters", "last", "send"))
    assert "The letter as Ada Mail gets it by email." in page
    await owner.send(owner.address("letters", "last", "send"), {"do": "test"})
    [email] = await emails_of(acme)
    assert email["subject"].startswith("Test: ")
    assert "Dear Ada Mail," in email["body"]


@pytest.mark.usefixtures("mail_server")
async def test_a_hint_says_if_a_country_has_another_language(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 2, prefix="de", country="DE", **ADDRESS)
    await add_subscribers(acme, 1, prefix="no", country="NO", **ADDRESS)
    for page in (("letters", "last"), ("letters", "last", "send")):
        text = await owner.text(*page)
        assert (
            "English: 3 2 of them go to countries where German is spoken, but are in English."
            " Set languages by country"
        ) in text_of(text)
        assert "/settings/account/#languages" in text
    text = await owner.text("letters", "last", "send")
    assert 'data-letter="email language-en price-of-order spoken-de"' in text
    await update_account(acme.db, acme.account_id, country_languages=BY_COUNTRY, by=BY)
    text = text_of(await owner.text("letters", "last", "send"))
    assert "English: 1" in text
    assert "is spoken" not in text


@pytest.mark.usefixtures("mail_server")
@pytest.mark.parametrize(
    "language, begins, subject",
    [
        ("de", "Guten Tag Ada No. 0,", "Bitte verlängern Sie"),
        ("en", "Dear Ada No. 0,", "Please renew"),
    ],
)
@pytest.mark.parametrize("page", ["stage", "send"])
async def test_a_letter_is_read_and_tested_in_each_language_that_recipients_get(
    owner: Person, acme: Cast, page: str, language: str, begins: str, subject: str
) -> None:
    await start(acme)
    here = owner.address("letters", "last", *(["send"] if page == "send" else []))
    shown = (await owner.http.get(f"{here}?language={language}")).text
    assert begins in shown
    assert re.search(r"German \([^)]*1", shown)
    assert re.search(r"English \([^)]*2", shown)
    assert fields_of(shown)["language"] == language
    if page != "send":
        assert f'href="{here}send/?language={language}"' in shown
    await owner.send(f"{here}?language={language}", {"do": "test"})
    [email] = await emails_of(acme)
    assert begins in email["body"]
    assert email["subject"].startswith(f"Test: {subject}")


async def test_the_page_to_send_keeps_the_selection_when_the_language_changes(
    owner: Person, acme: Cast
) -> None:
    await start(acme)
    here = owner.address("letters", "last", "send")
    fields = fields_of(await owner.text("letters", "last", "send"))
    moved = await owner.post(here, {**fields, "keep": [], "do": "language:de"})
    assert moved.headers["location"] == f"{here}?language=de"
    assert "left out of this round" in (await owner.http.get(here)).text


async def test_a_stage_without_recipients_shows_a_sample_that_agrees_with_the_stage(
    owner: Person, acme: Cast
) -> None:
    await set_up(acme, current=3)
    assert "ends with issue 3." in text_of(await owner.text("letters", "last"))
    assert "ends with issue 4." in text_of(await owner.text("letters", "before"))
    assert "ended with issue 2." in text_of(await owner.text("letters", "after_1"))
    german = await owner.text("letters", "last", language="de")
    assert "endet mit Ausgabe 3." in german
    assert f'href="{owner.address("letters", "last")}?language=en#preview"' in german


async def test_the_list_of_stages_says_in_which_other_languages_a_letter_is_written(
    owner: Person, acme: Cast
) -> None:
    await set_up(acme)
    address = owner.address("settings", "renewal-letters", "last")
    page = await owner.text("letters")
    assert f'href="{address}"' in page
    assert text_of(page).count("Also in: German") == 4
    await owner.send(address, {"subject": "Bye", "text": "{greeting}, it ends."})
    assert text_of(await owner.text("letters")).count("Also in: German") == 3


@pytest.mark.parametrize("page", [["letters"], ["settings", "renewal-letters"]])
async def test_the_subjects_of_the_stages_are_in_the_language_of_their_reader_if_it_has_a_text(
    owner: Person, acme: Cast, page: list[str]
) -> None:
    await set_up(acme)
    address = owner.address("settings", "renewal-letters", "last")
    await owner.post("/you/locale/", {"locale": "de_AT"})
    assert "endet" in (shown := text_of(await owner.text(*page)))
    assert "Your subscription to" not in shown
    assert shown.count("Auch auf: Englisch") == (4 if page == ["letters"] else 0)
    await owner.send(address, {"subject": "Bye", "text": "{greeting}, it ends.", "language": "en"})
    assert "Bye" in (shown := text_of(await owner.text(*page)))  # it has no German text any more
    await owner.send(
        address, {"subject": "Servus", "text": "{greeting}, es endet.", "language": "de"}
    )
    assert "Servus" in (shown := text_of(await owner.text(*page)))
    assert "Bye" not in shown


async def test_the_text_of_a_letter_opens_in_the_language_of_its_reader(
    owner: Person, acme: Cast
) -> None:
    await set_up(acme)
    await update_account(acme.db, acme.account_id, locale="de_DE", by=BY)
    await execute(acme, "UPDATE app_user SET locale = 'en_GB' WHERE :account_id > 0")
    address = owner.address("settings", "renewal-letters", "last")
    page = (await owner.http.get(address)).text
    assert "Please renew your subscription" in page
    assert "Bitte verlängern Sie" not in page
    assert "Bitte verlängern Sie" in (await owner.http.get(f"{address}?language=de")).text
