"""Subscribers get letters, emails, invoices and reminders in their own language."""

import re
from io import BytesIO

import pytest
from msgspec import structs
from pypdf import PdfReader

from masthead.model.emails import EmailTemplate
from masthead.model.errors import Invalid
from masthead.model.letters.outcomes import LetterChannel
from masthead.model.renewals.lapsed import RenewalStage
from masthead.services.accounts import update_account
from masthead.services.emails.attachments import BatchAttachments
from masthead.services.emails.welcome import update_translation as update_welcome_in, update_welcome
from masthead.services.letters.printing import prepare_pdf
from masthead.services.letters.recipients import count_letters
from masthead.services.letters.texts import update_text, update_translation
from masthead.services.reminders.settings import save_stage
from masthead.store import accounts
from masthead.store.reminders.stages import list_stages
from tests.conftest import BY, Cast
from tests.services.emails.test_attachments import waiting
from tests.services.reminders.test_rounds import start
from tests.support.billing import bill_one, turn_on_billing
from tests.support.days import pass_on
from tests.support.factories import make_issue, make_subscription
from tests.support.letters import ADDRESS, add_subscribers, emails_of, letters_of, set_up, write
from tests.support.reminders import remind
from tests.support.subscribers import correct

BY_COUNTRY = {"DE": "de", "AT": "de", "CH": "de", "*": "en"}


async def choose_by_country(cast: Cast, rule: dict[str, str] = BY_COUNTRY) -> None:
    """Write to people in the language of their country."""
    await update_account(cast.db, cast.account_id, country_languages=rule, by=BY)


async def test_the_welcome_email_is_in_the_language_of_the_country(acme: Cast) -> None:
    await choose_by_country(acme)
    await make_issue(acme)
    for country in ("CH", "NO"):
        email = f"{country.lower()}@example.test"
        await make_subscription(acme, email=email, country=country, send_welcome_email=True)
    swiss, norwegian = await emails_of(acme)
    assert swiss["subject"] == f"Willkommen bei {acme.name}"
    assert "vielen Dank" in swiss["body"]
    assert norwegian["subject"] == f"Welcome to {acme.name}"


async def test_a_welcome_email_of_the_account_is_all_in_its_language(acme: Cast) -> None:
    await choose_by_country(acme)
    await make_issue(acme)
    text = "{greeting},\n\nnice to have you.\n"
    await update_welcome(acme.db, acme.account_id, subject="Hello!", text=text, by=BY)
    await make_subscription(
        acme,
        email="ada@example.test",
        country="DE",
        first_name="Ada",
        last_name="Lovelace",
        send_welcome_email=True,
    )
    [email] = await emails_of(acme)
    assert email["body"].startswith("Dear Ada Lovelace,\n\nnice to have you.")


@pytest.mark.parametrize("is_deleted", [False, True])
async def test_a_changed_welcome_email_has_a_text_in_each_language(
    acme: Cast, is_deleted: bool
) -> None:
    await choose_by_country(acme)
    await make_issue(acme)
    account = acme.db, acme.account_id
    await update_welcome(*account, subject="Hello!", text="{greeting}, hello.", by=BY)
    moin = EmailTemplate("Moin!", "{greeting}, moin.")
    await update_welcome_in(*account, "de", moin, by=BY)
    if is_deleted:
        await update_welcome_in(*account, "de", None, by=BY)
    for country in ("DE", "NO"):
        email = f"{country.lower()}@example.test"
        await make_subscription(acme, email=email, country=country, send_welcome_email=True)
    german, norwegian = await emails_of(acme)
    assert german["subject"] == ("Hello!" if is_deleted else "Moin!")
    assert ("moin." in german["body"]) is not is_deleted
    assert norwegian["subject"] == "Hello!"
    with pytest.raises(Invalid, match="nome"):
        await update_welcome_in(*account, "de", EmailTemplate("{nome}", "x"), by=BY)


async def test_an_invoice_is_in_the_language_of_its_payer(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, email="ada@example.test")
    assert invoice.document.language == "en_GB"
    await correct(acme, invoice.payer_id, language="de")
    invoice = await bill_one(acme, email="ada@example.test", order_id="SECOND")
    assert invoice.document.language == "de_DE"
    assert "Ausgabe" in invoice.document.lines[0].detail
    await choose_by_country(acme)
    invoice = await bill_one(acme, email="bo@example.test", order_id="THIRD")
    assert invoice.document.language == "de_DE"


async def test_what_an_invoice_lacks_is_said_in_the_language_of_the_page(acme: Cast) -> None:
    await turn_on_billing(acme)
    await choose_by_country(acme)
    with pytest.raises(Invalid, match="There is no rate of VAT for Print to Austria"):
        await bill_one(acme, email="bo@example.test", country="AT")


async def test_a_letter_is_in_the_language_of_its_recipient(acme: Cast) -> None:
    await set_up(acme)
    await choose_by_country(acme)
    await add_subscribers(acme, 1, prefix="de", country="DE", **ADDRESS)
    await add_subscribers(acme, 2, prefix="us", country="US", **ADDRESS)
    async with acme.db.read(aside=True) as db:
        account = await accounts.get_account(db, acme.account_id)
        counts = await count_letters(db, account, RenewalStage.LAST)
    assert counts.locales == {"de_DE": 1, "en_GB": 2}
    await write(acme)
    german, *english = await emails_of(acme)
    assert german["subject"] == f"Bitte verlängern Sie Ihr Abonnement von {acme.name}"
    assert "hier abbestellen:" in german["body"]
    assert {each["subject"] for each in english} == {
        f"Please renew your subscription to {acme.name}"
    }


@pytest.mark.parametrize("has_german", [False, True])
async def test_a_changed_letter_needs_a_text_in_each_language(acme: Cast, has_german: bool) -> None:
    await set_up(acme)
    await choose_by_country(acme)
    await add_subscribers(acme, 1, country="DE", **ADDRESS)
    stage = RenewalStage.LAST
    await update_text(
        acme.db,
        acme.account_id,
        stage,
        subject="Bye",
        text="{greeting}, it ends {end}.",
        is_automatic=False,
        by=BY,
    )
    if has_german:
        text = EmailTemplate("Ade", "{greeting}, es endet {end}.")
        await update_translation(acme.db, acme.account_id, stage, "de", text, by=BY)
    await write(acme)
    [email] = await emails_of(acme)
    if has_german:
        assert email["subject"] == "Ade"
        assert "es endet mit Ausgabe 3." in email["body"]
    else:  # all of it is in the language of the text, also the greeting
        assert email["subject"] == "Bye"
        assert "it ends with issue 3." in email["body"]
        assert "unsubscribe here" in email["body"]


async def test_a_text_in_another_language_can_be_deleted(acme: Cast) -> None:
    await set_up(acme)
    await choose_by_country(acme)
    await add_subscribers(acme, 1, country="DE", **ADDRESS)
    stage, text = RenewalStage.LAST, EmailTemplate("Ade", "Text")
    for template in (text, None):
        await update_translation(acme.db, acme.account_id, stage, "de", template, by=BY)
    await write(acme)
    [email] = await emails_of(acme)
    assert email["subject"].startswith("Bitte verlängern Sie")


async def test_printed_letters_have_their_date_in_their_language(acme: Cast) -> None:
    await set_up(acme)
    await choose_by_country(acme)
    for country in ("DE", "US"):
        await add_subscribers(acme, 1, prefix=country, country=country, **{**ADDRESS, "email": ""})
    batch = await write(acme, channel=LetterChannel.PRINT)
    assert [each["locale"] for each in await letters_of(acme)] == ["de_DE", "en_GB"]
    pdf = await prepare_pdf(acme.db, acme.account_id, batch.id, 1, by=BY)
    first, second = PdfReader(BytesIO(pdf)).pages
    assert re.search(r"\d+\. \w+ \d{4}", first.extract_text())
    assert re.search(r"\d+ \w+ \d{4}", second.extract_text())


@pytest.mark.parametrize("is_changed", [False, True])
async def test_a_reminder_is_in_the_language_of_its_payer(acme: Cast, is_changed: bool) -> None:
    await start(acme)
    invoice = await bill_one(acme, due_days=1, email="ada@example.org")
    await correct(acme, invoice.payer_id, language="de")
    if is_changed:  # what an owner wrote is in the language of the account
        async with acme.db.read() as db:
            stage = (await list_stages(db, acme.account_id))[0]
        changed = structs.replace(stage, text="{greeting},\n\nplease pay {total}.\n")
        await save_stage(acme.db, acme.account_id, changed, by=BY)
    await pass_on(acme, "2026-06-22")
    await remind(acme, 1)
    [email] = [each for each in await waiting(acme) if each.reminder_id]
    file = await BatchAttachments(acme.db, [email]).get(email)
    assert file is not None
    subject = (await emails_of(acme))[-1]["subject"]
    if is_changed:
        assert (file.name, subject) == ("reminder.pdf", f"Payment reminder: {acme.name}")
    else:
        assert (file.name, subject) == ("mahnung.pdf", f"Zahlungserinnerung: {acme.name}")
