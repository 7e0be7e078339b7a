"""The settings pages about invoices: the publisher, the letterhead, and the rates of VAT."""

from datetime import date, timedelta
from io import BytesIO

import httpx
import pytest
from pypdf import PdfReader

from masthead.model.billing.settings import BillingSettings
from masthead.model.billing.vat import VatRate, VatSetting
from masthead.model.types.enums import Medium
from masthead.store.accounts import get_account
from masthead.store.billing import settings as store
from masthead.store.engine.interface import Transaction
from tests.conftest import Cast
from tests.support.billing import SETTINGS, bill_one, turn_on_billing
from tests.support.pictures import picture
from tests.web.conftest import Person, fields_of
from tests.web.subscribers.test_pages import words

TYPED = {
    **SETTINGS,
    "bic": "cobadeffxxx",
    "prices": "net",
    "digital_percent": "30 %",
    "due_days": "30",
    "series": "R-{year}-",
    "footer": "Managing director: Ada\nRegister 12",
}


async def settings_of(cast: Cast) -> BillingSettings:
    """The stored settings."""
    found = await store.find_settings(cast.db, cast.account_id)
    assert found is not None
    return found


async def upload(person: Person, content: bytes) -> httpx.Response:
    """Send a picture with the form of the letterhead."""
    address = person.address("settings", "billing", "letterhead")
    fields = fields_of((await person.http.get(address)).text)
    return await person.http.post(
        address,
        data={"idempotency_key": fields["idempotency_key"]},
        files={"file": ("logo.png", content, "image/png")},
        headers={"Sec-Fetch-Site": "same-origin"},
    )


async def today_of(cast: Cast) -> date:
    """The day of the account."""
    return (await get_account(cast.db, cast.account_id)).daily_date


async def test_the_settings_are_saved_and_shown(owner: Person, acme: Cast) -> None:
    address = owner.address("settings", "billing")
    first = fields_of((await owner.http.get(address)).text)
    assert first["name"] == "Acme"
    assert (await owner.send(address, TYPED)).status_code == 303
    saved = await settings_of(acme)
    assert saved.iban == "DE89370400440532013000"
    assert saved.bic == "COBADEFFXXX"
    assert (saved.digital_percent, saved.due_days) == (30, 30)
    assert not saved.prices_include_vat
    assert not saved.is_small_business
    shown = fields_of((await owner.http.get(address)).text)
    assert shown["footer"].splitlines() == TYPED["footer"].splitlines()
    assert shown["prices"] == "net"
    assert "00001" in await owner.text("settings", "billing")


@pytest.mark.parametrize(
    "field, text, message",
    [
        ("iban", "DE89370400440532013001", "This is not an IBAN."),
        ("bic", "X", "is not a BIC"),
        ("vat_id", "DE136695977", "is not a valid VAT ID of Germany"),
        ("vat_id", "", "Type the VAT ID or the tax number."),
        ("due_days", "400", "Type a whole number from 0 to 365."),
        ("digital_percent", "many", "Type a whole number from 0 to 100."),
        ("series", "2026", "ends with a digit"),
        ("series", "R 2026-", "cannot begin a number"),
        ("footer", "a\n" * 5, "has place for 4 lines"),
        ("country", "", "Choose a country."),
        ("email", "nobody", "email"),
    ],
)
async def test_what_is_wrong_is_said_at_its_field_and_kept(
    field: str, text: str, message: str, owner: Person, acme: Cast
) -> None:
    answer = await owner.send(owner.address("settings", "billing"), TYPED | {field: text})
    assert answer.status_code == 400
    assert message in words(answer)
    assert fields_of(answer.text)["name"] == TYPED["name"]
    assert f'id="{field}-error"' in answer.text
    assert await store.find_settings(acme.db, acme.account_id) is None


async def test_the_sample_shows_the_settings(owner: Person, acme: Cast) -> None:
    assert (await owner.see("settings", "billing", "sample")).status_code == 400
    await turn_on_billing(acme)
    answer = await owner.see("settings", "billing", "sample")
    assert answer.headers["Content-Type"] == "application/pdf"
    page = PdfReader(BytesIO(answer.content)).pages[0].extract_text()
    assert "Acme Verlag GmbH" in page
    assert "VAT 7%" in page
    assert "VAT 19%" in page


async def test_a_letterhead_is_uploaded_and_removed(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    assert (await upload(owner, picture(800, 200))).status_code == 303
    assert (await settings_of(acme)).letterhead == 1
    invoice = await bill_one(acme)
    assert invoice.document.seller.letterhead == 1
    sent = await owner.http.get(owner.address("settings", "billing", "letterhead", 1))
    assert sent.headers["Content-Type"] == "image/png"
    assert "sandbox" in sent.headers["Content-Security-Policy"]
    await owner.send(owner.address("settings", "billing"), SETTINGS | {"due_days": "7"})
    assert (await settings_of(acme)).letterhead == 1
    await owner.post(owner.address("settings", "billing", "letterhead", "delete"))
    assert (await settings_of(acme)).letterhead == 0
    # An invoice that has it keeps it
    kept = await owner.http.get(owner.address("settings", "billing", "letterhead", 1))
    assert kept.status_code == 200


async def test_a_file_that_is_no_picture_is_refused(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    answer = await upload(owner, b"<script>")
    assert answer.status_code == 400
    assert "This is no picture in PNG, JPEG or WebP." in words(answer)


# --- VAT ------------------------------------------------------------------------------------------


async def test_a_rate_changes_tomorrow_and_the_old_one_stays_in_the_list(
    owner: Person, acme: Cast
) -> None:
    address, today = owner.address("settings", "vat"), await today_of(acme)
    rate = {"place": "home", "medium": "Print", "product_id": "", "rate": "7"}
    await owner.send(address, rate | {"first_day": "2020-01-01"})
    tomorrow = today + timedelta(days=1)
    answer = await owner.send(address, rate | {"rate": "5,5 %", "first_day": str(tomorrow)})
    assert answer.status_code == 303
    both = await store.list_rates(acme.db, acme.account_id)
    assert [(each.first_day, each.rate, each.medium) for each in both] == [
        (tomorrow, 550, Medium.PRINT),
        (both[1].first_day, 700, Medium.PRINT),
    ]
    page = await owner.text("settings", "vat")
    assert "5.5%" in page
    assert "next" in page
    assert "Past rates" not in page


@pytest.mark.parametrize(
    "field, text, message",
    [
        ("rate", "seven", "Type the rate like 7 or 5.5."),
        ("rate", "60", "A rate is from 0 to 50%."),
        ("first_day", "soon", "Type the date like 2026-01-15."),
        ("place", "XX", "country code"),
        ("medium", "Print + digital", "Choose one of these."),
    ],
)
async def test_a_rate_that_is_wrong_is_refused(
    field: str, text: str, message: str, owner: Person, acme: Cast
) -> None:
    rate = {"place": "home", "medium": "", "rate": "7", "first_day": "2020-01-01"}
    answer = await owner.send(owner.address("settings", "vat"), rate | {field: text})
    assert answer.status_code == 400
    assert message in words(answer)
    assert await store.list_rates(acme.db, acme.account_id) == []


async def test_a_rate_is_deleted_unless_an_invoice_may_have_it(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    delete = owner.address("settings", "vat", "2020-01-01", "home", "-", "-", "delete")
    await bill_one(acme)
    answer = await owner.post(delete)
    assert answer.status_code == 400
    assert "Invoices were issued since 2020-01-01" in words(answer)
    tomorrow = await today_of(acme) + timedelta(days=1)
    coming = VatRate(first_day=tomorrow, place="FR", rate=210)

    async def work(tx: Transaction) -> None:
        await store.save_rate(tx, acme.account_id, coming)

    await acme.db.write(work, account_id=acme.account_id)
    path = owner.address("settings", "vat", tomorrow, "FR", "-", "-", "delete")
    assert (await owner.post(path)).status_code == 303
    assert coming not in await store.list_rates(acme.db, acme.account_id)


async def test_staff_without_the_right_see_neither_page(staff: Person, acme: Cast) -> None:
    for page in ("billing", "vat"):
        assert (await staff.see("settings", page)).status_code == 403


# --- What else decides about VAT ------------------------------------------------------------------


async def test_the_exemption_begins_on_a_day_to_come(owner: Person, acme: Cast) -> None:
    address = owner.address("settings", "vat", "settings")
    early = await owner.http.get(address)
    assert early.headers["Location"].startswith(owner.address("settings", "billing"))
    await turn_on_billing(acme, digital_percent=20)
    assert "is_small_business" not in await owner.text("settings", "billing")
    tomorrow = await today_of(acme) + timedelta(days=1)
    typed = {"first_day": str(tomorrow), "is_small_business": "y", "digital_percent": "30 %"}
    assert (await owner.send(address, typed)).status_code == 303
    later = VatSetting(first_day=tomorrow, is_small_business=True, digital_percent=30)
    assert (await settings_of(acme)).vat_settings == (later,)
    page = words(await owner.see("settings", "vat", "settings"))
    assert "Yes 30% Next" in page
    assert "No 20% Now" in page
    assert "You are a small business" not in await owner.text("settings", "vat")
    for wrong in ({"first_day": "soon"}, {"digital_percent": "101"}):
        assert (await owner.send(address, typed | wrong)).status_code == 400
    assert (await owner.post(f"{address}{tomorrow}/delete/")).status_code == 303
    assert (await owner.post(f"{address}soon/delete/")).status_code == 404
    assert (await settings_of(acme)).vat_settings == ()


@pytest.mark.parametrize("page", ["", "settings", "exchange-rates"])
async def test_nothing_about_vat_holds_from_a_year_of_three_digits_on(
    owner: Person, acme: Cast, page: str
) -> None:
    """The page with the first days was an internal error from then on."""
    await turn_on_billing(acme)
    address = owner.address(*filter(None, ("settings", "vat", page)))
    typed = {"first_day": "0001-01-01", "place": "home", "rate": "7", "quote_currency": "CHF"}
    sent = await owner.send(address, typed)
    assert sent.status_code == 400
    assert "the years 1900 to 9999" in words(sent)
    assert (await owner.http.get(address)).status_code == 200


async def test_a_form_with_nothing_but_its_key_changes_nothing(acme: Cast, owner: Person) -> None:
    """It failed with an internal error: found by random requests."""
    await turn_on_billing(acme, digital_percent=20)
    await owner.send(
        address := owner.address("settings", "vat", "settings"),
        {"first_day": "2026-02-01", "digital_percent": "30"},
    )
    before = (await settings_of(acme)).vat_on(await today_of(acme))
    answer = await owner.post(address)
    assert answer.status_code == 303
    after = (await settings_of(acme)).vat_on(await today_of(acme))
    assert (after.is_small_business, after.digital_percent) == (
        before.is_small_business,
        before.digital_percent,
    )
