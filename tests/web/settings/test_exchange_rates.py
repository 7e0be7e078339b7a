"""The page of exchange rates, and where it is needed."""

import csv
import io
from datetime import timedelta
from decimal import Decimal

import pytest

from masthead.model.billing.exchange_rates import ExchangeRate
from masthead.store.billing.exchange_rates import list_exchange_rates
from tests.conftest import Cast
from tests.support.billing import bill_one, turn_on_billing
from tests.web.conftest import Person
from tests.web.settings.test_billing import today_of
from tests.web.subscribers.test_pages import words

FRANCS = {
    "base_currency": "EUR",
    "rate": "0,9342",
    "quote_currency": "CHF",
    "first_day": "2020-01-01",
}


async def test_rates_are_added_and_deleted(owner: Person, acme: Cast) -> None:
    address = owner.address("settings", "vat", "exchange-rates")
    early = await owner.http.get(address)
    assert early.headers["Location"].startswith(owner.address("settings", "billing"))
    await turn_on_billing(acme)
    assert address in await owner.text("settings", "vat")
    empty = await owner.text("settings", "vat", "exchange-rates")
    assert "There are no exchange rates yet" in empty
    tomorrow = await today_of(acme) + timedelta(days=1)
    assert (await owner.send(address, FRANCS)).status_code == 303
    later = FRANCS | {"rate": "0.95", "first_day": str(tomorrow)}
    assert (await owner.send(address, later)).status_code == 303
    assert [each.rate for each in await list_exchange_rates(acme.db, acme.account_id)] == [
        Decimal("0.95"),
        Decimal("0.9342"),
    ]
    page = words(await owner.see("settings", "vat", "exchange-rates"))
    assert "1 EUR = 0.95 CHF" in page
    assert "1 EUR = 0.9342 CHF" in page
    assert page.index("Next") < page.index("Now")
    for wrong in ("soon/EUR-CHF", f"{tomorrow}/EUR"):
        assert (await owner.post(f"{address}{wrong}/delete/")).status_code == 404
    assert (await owner.post(f"{address}{tomorrow}/EUR-CHF/delete/")).status_code == 303
    [left] = await list_exchange_rates(acme.db, acme.account_id)
    assert left.text == "1 EUR = 0.9342 CHF"


@pytest.mark.parametrize(
    "field, text, message",
    [
        ("rate", "much", "Type a number above 0, such as 0.9342"),
        ("rate", "0", "Type a number above 0, such as 0.9342"),
        ("rate", "1.234,5", "Type a number above 0, such as 0.9342"),
        ("first_day", "soon", "Type the date like 2026-01-15."),
        ("quote_currency", "EUR", "Exactly one of the two currencies must be EUR"),
        ("base_currency", "USD", "Exactly one of the two currencies must be EUR"),
        ("quote_currency", "", "Choose a currency."),
    ],
)
async def test_a_rate_that_is_wrong_is_refused(
    field: str, text: str, message: str, owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    address = owner.address("settings", "vat", "exchange-rates")
    answer = await owner.send(address, FRANCS | {field: text})
    assert answer.status_code == 400
    assert message in words(answer)
    assert await list_exchange_rates(acme.db, acme.account_id) == []


async def test_staff_without_the_right_do_not_see_the_page(staff: Person) -> None:
    assert (await staff.see("settings", "vat", "exchange-rates")).status_code == 403


async def test_the_page_of_an_invoice_shows_the_converted_amount(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    await owner.send(owner.address("settings", "vat", "exchange-rates"), FRANCS)
    invoice = await bill_one(acme, currency="CHF")
    page = words(await owner.see("money", "invoices", invoice.id))
    assert "VAT in EUR: €4.21 (1 EUR = 0.9342 CHF, rate from 1 Jan 2020 on)." in page


async def test_the_file_of_invoices_has_the_converted_amounts(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    await owner.send(owner.address("settings", "vat", "exchange-rates"), FRANCS)
    invoice = await bill_one(acme, currency="CHF")
    await bill_one(acme, order_id="EUROS", email="b@example.test", currency="EUR")
    await acme.post(f"/v1/invoices/{invoice.id}/credit/", {"reason": "Late"})
    file = await owner.see("downloads", "invoices", "csv")
    rows = list(csv.DictReader(io.StringIO(file.text.removeprefix("\ufeff"))))
    assert [
        (row["vat"], row["vat_converted"], row["vat_currency"], row["exchange_rate"])
        for row in rows
    ] == [
        ("-3.93", "-4.21", "EUR", "1 EUR = 0.9342 CHF"),
        ("3.93", "", "", ""),
        ("3.93", "4.21", "EUR", "1 EUR = 0.9342 CHF"),
    ]
    assert (await owner.see("downloads", "invoices", "xlsx")).status_code == 200


def test_a_rate_of_the_form_is_an_exchange_rate() -> None:
    assert set(FRANCS) == set(ExchangeRate.__struct_fields__)
