"""The pages of the account and of the welcome email."""

import re
from typing import Any

import pytest

from masthead.services.check.accounts import check_account
from masthead.store.accounts import get_locale
from masthead.store.background import outbox
from masthead.store.engine.interface import Transaction
from masthead.store.welcome_emails import get_welcome
from tests.conftest import Cast
from tests.support.factories import make_issue, make_subscription
from tests.web.conftest import Person, fields_of
from tests.web.nasty import NASTY, is_harmless

# --- The account ----------------------------------------------------------------------------------


async def ltvs(cast: Cast) -> list[tuple[str, str]]:
    """The amounts that subscribers have paid, newest first."""
    items = (await cast.get("/v1/subscribers/")).json()["items"]
    return [(each["ltv"], each["ltv_currency"]) for each in items]


async def test_a_new_account_name_applies_immediately(owner: Person, acme: Cast) -> None:
    address = owner.address("settings", "account")
    answer = await owner.send(address, {"name": " Acme & Sons "})
    assert answer.status_code == 303
    page = await owner.http.get(answer.headers["Location"])
    assert "The account is saved." in page.text
    assert "Acme &amp; Sons" in page.text
    made = await acme.client.get("/v1/me/", key=acme.read_only_key)
    assert made.json()["account"]["name"] == "Acme & Sons"


async def test_a_language_without_texts_says_so(owner: Person) -> None:
    page = await owner.text("settings", "account")
    groups = re.findall(r'<optgroup label="([^"]+)">(.*?)</optgroup>', page, re.DOTALL)
    codes = {label: set(re.findall(r'value="(\w\w)_', options)) for label, options in groups}
    assert codes["Texts, dates and amounts"] == {"de", "en"}
    others = codes["Dates and amounts only; the texts are in English"]
    assert "fr" in others
    assert others.isdisjoint({"de", "en"})


async def test_dates_and_numbers_follow_the_locale(owner: Person, acme: Cast) -> None:
    page = await owner.text("settings", "account")
    assert '<option value="de_AT">Deutsch (Österreich)</option>' in page
    assert '<option selected value="en_GB">' in page
    saved = await owner.send(owner.address("settings", "account"), {"locale": "de_AT"})
    shown = await owner.http.get(saved.headers["Location"])
    assert "Die Angaben zur Zeitschrift sind gespeichert." in shown.text
    async with acme.db.read() as connection:
        assert await get_locale(connection, acme.account_id) == "de_AT"
    assert "EUR · Euro" in await owner.text("settings", "account")


async def test_a_new_currency_is_saved_only_after_a_confirmation(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    for price, currency in (("10.00", "EUR"), ("5.00", "EUR"), ("7.00", "USD")):
        await make_subscription(acme, price=price, currency=currency, email="ada@x.test")
    address = owner.address("settings", "account")
    asked = await owner.send(address, {"currency": "USD", "name": "Acme 2"})
    assert asked.status_code == 200
    assert "1 of 3 orders would count" in asked.text
    assert "2 orders in EUR would no longer count" in asked.text
    assert await ltvs(acme) == [("15.00", "EUR")]
    typed = fields_of(asked.text)
    assert (typed["currency"], typed["name"]) == ("USD", "Acme 2")
    answer = await owner.post(address, {**typed, "confirm_currency": "y"})
    assert answer.status_code == 303
    assert await ltvs(acme) == [("7.00", "USD")]
    assert (await owner.post(address, {**typed, "confirm_currency": "y"})).status_code == 303
    assert not [fault async for fault in check_account(acme.db, acme.subdomain)]
    actions = await actions_of(acme)
    assert actions[-1] == ("account.update", "user")
    assert actions.count(("account.update", "user")) == 1


async def actions_of(cast: Cast) -> list[tuple[str, str]]:
    """The actions on the account, with the kinds of actors."""
    async with cast.db.read() as connection:
        rows = await connection.fetch_all(
            "SELECT action, actor_kind FROM audit WHERE account_id = :a"
            " AND subject_type = 'account' ORDER BY id",
            {"a": cast.account_id},
        )
    return [(row["action"], row["actor_kind"]) for row in rows]


@pytest.mark.parametrize(
    "typed, says",
    [
        ({"name": " "}, "Give the account a name"),
        ({"name": "x" * 256}, "at most 255"),
        ({"currency": "EURO"}, "expected an ISO 4217 currency code"),
        ({"locale": "xx_YY"}, "expected a language and a country"),
        ({"time_zone": "Europe/Berln"}, "Did you mean Europe/Berlin?"),
    ],
)
async def test_an_invalid_setting_is_marked(
    owner: Person, acme: Cast, typed: dict[str, str], says: str
) -> None:
    answer = await owner.send(owner.address("settings", "account"), {"name": "New", **typed})
    assert answer.status_code == 400
    assert says in answer.text
    assert 'aria-invalid="true"' in answer.text
    assert fields_of(answer.text)["name"] == typed.get("name", "New").strip()
    assert await actions_of(acme) == [("account.create", "command")]


@pytest.mark.parametrize("name", NASTY)
async def test_the_name_of_an_account_is_escaped(owner: Person, name: str) -> None:
    await owner.send(owner.address("settings", "account"), {"name": name})
    for part in ("account", "welcome-email", "products"):
        assert is_harmless(await owner.text("settings", part), name)


# --- The welcome email ---------------------------------------------------------------------------

TYPED = {"subject": "Hello {name}", "text": "{magazine} begins with {start_issue}."}


async def emails_of(cast: Cast) -> list[dict[str, Any]]:
    """The emails of the account, oldest first."""
    async with cast.db.read() as connection:
        rows = await connection.fetch_all(
            "SELECT recipient, subject, body, status FROM outbox WHERE account_id = :a ORDER BY id",
            {"a": cast.account_id},
        )
    return [dict(row) for row in rows]


async def saved(cast: Cast) -> tuple[str, str]:
    """The saved subject and text."""
    async with cast.db.read() as connection:
        known = (await get_welcome(connection, cast.account_id)).template
    return known.subject, known.text


async def test_the_welcome_email_is_saved_and_sent(owner: Person, acme: Cast) -> None:
    answer = await owner.send(owner.address("settings", "welcome-email"), {**TYPED, "do": "save"})
    assert answer.status_code == 303
    assert await saved(acme) == (TYPED["subject"], TYPED["text"] + "\n")
    await make_issue(acme, name="Spring")
    await make_subscription(acme, first_name="Ada", email="a@x.test", send_welcome_email=True)
    (email,) = await emails_of(acme)
    assert (email["subject"], email["body"]) == ("Hello Ada", "Acme begins with Spring.\n")
    assert await actions_of(acme) == [
        ("account.create", "command"),
        ("account.update_welcome_email", "user"),
    ]


async def test_a_form_sent_by_the_enter_key_is_saved(owner: Person, acme: Cast) -> None:
    await owner.send(owner.address("settings", "welcome-email"), TYPED)
    assert (await saved(acme))[0] == TYPED["subject"]


async def test_a_preview_shows_the_email_and_saves_nothing(owner: Person, acme: Cast) -> None:
    before = await saved(acme)
    page = await owner.send(owner.address("settings", "welcome-email"), {**TYPED, "do": "preview"})
    assert page.status_code == 200
    assert "Hello Ada Lovelace" in page.text
    assert "Acme begins with Summer 2026." in page.text
    assert fields_of(page.text)["subject"] == TYPED["subject"]
    assert await saved(acme) == before
    assert await emails_of(acme) == []
    answer = await owner.post(
        owner.address("settings", "welcome-email"), {**fields_of(page.text), "do": "save"}
    )
    assert answer.status_code == 303
    assert (await saved(acme))[0] == TYPED["subject"]


async def test_a_test_email_goes_to_the_user_once_and_the_form_can_still_be_saved(
    owner: Person, acme: Cast, mail_server: None
) -> None:
    before, address = await saved(acme), owner.address("settings", "welcome-email")
    for page in (
        await owner.send(address, {**TYPED, "do": "test"}),
        await owner.post(address, owner.sent),
    ):
        assert page.status_code == 200
        assert f"Sending a test to <bdi>{acme.owner}</bdi>." in page.text
    (email,) = await emails_of(acme)
    assert (email["recipient"], email["subject"]) == (acme.owner, "Test: Hello Ada Lovelace")
    assert await saved(acme) == before
    answer = await owner.post(address, {**fields_of(page.text), "do": "save"})
    assert answer.status_code == 303
    assert (await saved(acme))[0] == TYPED["subject"]


@pytest.mark.parametrize("do", ["save", "preview", "test"])
async def test_an_unknown_placeholder_is_rejected_with_a_list_of_the_known_ones(
    owner: Person, acme: Cast, mail_server: None, do: str
) -> None:
    before = await saved(acme)
    typed = {"subject": "Hello", "text": "Dear {nmae}", "do": do}
    page = await owner.send(owner.address("settings", "welcome-email"), typed)
    assert page.status_code == 400
    assert "{nmae} in “Text” is not a placeholder. You can use {greeting}, {name}," in page.text
    assert fields_of(page.text)["text"] == "Dear {nmae}"
    assert await saved(acme) == before
    assert await emails_of(acme) == []


@pytest.mark.parametrize("text", [*NASTY, "</textarea><script>alert(1)</script>"])
async def test_the_text_of_the_email_is_escaped(owner: Person, text: str) -> None:
    if "{{" in text:
        return  # braces are only for placeholders
    typed = {"subject": text, "text": text, "do": "preview"}
    page = await owner.send(owner.address("settings", "welcome-email"), typed)
    assert page.status_code == 200
    assert is_harmless(page.text, text)


async def test_a_failed_email_can_be_sent_again(owner: Person, acme: Cast, rival: Cast) -> None:
    async def give_up(cast: Cast) -> str:
        async def work(tx: Transaction) -> str:
            id = await outbox.insert_email(
                tx, cast.account_id, recipient="a@x.test", subject="Hi", body="", domain="x.test"
            )
            await outbox.update_failed(tx, cast.account_id, id, reason="550 <no>", retry_at=None)
            return id

        return await cast.db.write(work)

    id, foreign = await give_up(acme), await give_up(rival)
    page = await owner.text("settings", "welcome-email")
    assert "550 &lt;no&gt;" in page
    assert (
        await owner.post(owner.address("settings", "welcome-email", foreign, "retry"))
    ).status_code == 404
    address = owner.address("settings", "welcome-email", id, "retry")
    assert (await owner.post(address)).status_code == 303
    assert [email["status"] for email in await emails_of(acme)] == ["waiting"]
    assert [email["status"] for email in await emails_of(rival)] == ["failed"]
    assert "could not be sent" not in await owner.text("settings", "welcome-email")


async def test_an_email_that_masthead_sends_again_is_listed_with_its_reason(
    owner: Person, acme: Cast
) -> None:
    """An email that waits for its first attempt is not."""

    async def put_off(tx: Transaction) -> None:
        for recipient in ("ada@x.test", "new@x.test"):
            id = await outbox.insert_email(
                tx, acme.account_id, recipient=recipient, subject="Hi", body="", domain="x.test"
            )
            if recipient == "ada@x.test":
                await outbox.update_sending(tx, acme.account_id, id, message_id="<1@x.test>")
                await outbox.update_waiting(tx, acme.account_id, id, reason="refused <now>")

    await acme.db.write(put_off)
    page = await owner.text("settings", "welcome-email")
    assert "Emails that will be sent again" in page
    assert "refused &lt;now&gt;" in page
    assert "ada@x.test" in page
    assert "new@x.test" not in page
    assert "could not be sent" not in page


async def test_without_a_mail_server_the_page_says_so_and_queues_no_test(
    owner: Person, acme: Cast
) -> None:
    shown = await owner.text("settings", "welcome-email")
    assert "MASTHEAD_SMTP_HOST" in shown
    assert "Send a test" not in shown
    page = await owner.send(owner.address("settings", "welcome-email"), {**TYPED, "do": "test"})
    assert page.status_code == 400
    assert "No mail server is set up" in page.text
    assert await emails_of(acme) == []


async def test_the_postal_address_is_saved_in_lines(owner: Person, acme: Cast) -> None:
    here = owner.address("settings", "account")
    await owner.send(here, {"postal_address": " Acme \r\n\r\nKai 7\r\n20457 Hamburg\n"})
    assert "Acme\nKai 7\n20457 Hamburg</textarea>" in await owner.text("settings", "account")
    assert (await owner.send(here)).status_code == 303
    assert "Acme\nKai 7\n20457 Hamburg</textarea>" in await owner.text("settings", "account")
    refused = await owner.send(here, {"postal_address": "x" * 256})
    assert refused.status_code == 400
    assert "“Postal address” has 256 characters" in refused.text


async def test_the_time_zone_is_saved(owner: Person) -> None:
    here = owner.address("settings", "account")
    assert (await owner.send(here, {"time_zone": "Europe/Berlin"})).status_code == 303
    assert fields_of(await owner.text("settings", "account"))["time_zone"] == "Europe/Berlin"


async def test_the_welcome_email_has_a_text_in_each_language(owner: Person) -> None:
    here = owner.address("settings", "welcome-email")
    german = f"{here}?language=de"
    assert german in await owner.text("settings", "welcome-email")
    page = (await owner.http.get(german)).text
    assert "Until you change it, they get the text that comes with masthead." in page
    assert "Willkommen bei {magazine}" in page
    await owner.send(here, {"do": "save", "subject": "Hi", "text": "Hi."})
    page = (await owner.http.get(german)).text
    assert "You have not saved it yet: they get the text in the language of the account." in page
    typed = {"subject": "Moin {name}", "text": "{greeting},\n\nmoin."}
    seen = (await owner.send(german, {**typed, "do": "preview"})).text
    assert "Guten Tag, Frau Lovelace" in seen or "Sehr geehrte Frau Lovelace" in seen
    saved = await owner.send(german, {**typed, "do": "save"})
    assert saved.headers["location"] == german
    page = (await owner.http.get(german)).text
    assert "Moin {name}" in page
    assert "Delete the text in this language" in page
    assert "Moin" not in await owner.text("settings", "welcome-email")
    await owner.send(german, {"do": "delete"})
    page = (await owner.http.get(german)).text
    assert "Willkommen bei {magazine}" in page
    assert "Delete the text in this language" not in page


async def test_a_text_of_the_welcome_email_needs_known_placeholders_in_all_languages(
    owner: Person,
) -> None:
    german = owner.address("settings", "welcome-email") + "?language=de"
    refused = await owner.send(german, {"do": "save", "subject": "{nome}", "text": "Moin."})
    assert refused.status_code == 400
    assert "{nome}" in refused.text
