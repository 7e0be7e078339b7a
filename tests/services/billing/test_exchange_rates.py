"""The VAT of invoices in another currency, in that of the publisher's country."""

from datetime import date, timedelta
from decimal import Decimal

import pytest

from masthead.model.billing.documents import DocumentKind
from masthead.model.billing.exchange_rates import ExchangeRate
from masthead.model.billing.terms import BillingTerms
from masthead.model.errors import Invalid
from masthead.services.billing.credit import correct_invoice
from masthead.services.billing.exchange_rates import delete_exchange_rate
from masthead.services.billing.waiting import find_problems, issue_waiting
from masthead.store.accounts import get_account
from masthead.store.billing.exchange_rates import list_exchange_rates
from tests.conftest import BY, Cast
from tests.support.audit import list_entries
from tests.support.billing import (
    FRANCS,
    bill,
    bill_one,
    bill_together,
    newest_invoices,
    read_invoice,
    set_exchange_rate,
    turn_on_billing,
)
from tests.support.checks import faults, faults_after

FIRST = date(2020, 1, 1)


def rate_from(day: date, rate: str) -> ExchangeRate:
    return ExchangeRate(
        first_day=day, base_currency="EUR", quote_currency="CHF", rate=Decimal(rate)
    )


async def test_an_invoice_in_francs_has_its_vat_in_euros(acme: Cast) -> None:
    await turn_on_billing(acme)
    await set_exchange_rate(acme)
    invoice = await bill_one(acme, currency="CHF")
    assert invoice.document.vat == 3_93
    converted = invoice.document.converted
    assert converted is not None
    assert (converted.currency, converted.vat, converted.rate) == ("EUR", 4_21, FRANCS)
    await delete_exchange_rate(acme.db, acme.account_id, FIRST, "CHF", "EUR", by=BY)
    assert (await read_invoice(acme, invoice.id)).document.converted == converted
    assert await faults(acme) == []


async def test_a_danish_publisher_states_kroner(acme: Cast) -> None:
    await turn_on_billing(acme, country="DK", vat_id="DK13585628", iban="")
    kroner = ExchangeRate(
        first_day=FIRST, base_currency="EUR", quote_currency="DKK", rate=Decimal("7.4604")
    )
    await set_exchange_rate(acme, kroner)
    invoice = await bill_one(acme, currency="EUR", country="DK")
    assert invoice.document.vat == 3_93
    assert invoice.document.converted is not None
    assert (invoice.document.converted.currency, invoice.document.converted.vat) == ("DKK", 29_32)


@pytest.mark.parametrize(
    "fields",
    [{"currency": "EUR"}, {"currency": "CHF", "country": "CH"}],
    ids=["own currency", "no VAT"],
)
async def test_no_rate_is_needed_for(acme: Cast, fields: dict[str, str]) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, **fields)
    assert invoice.document.converted is None


async def test_the_order_of_a_program_waits_until_there_is_a_rate(acme: Cast) -> None:
    await turn_on_billing(acme)
    made = await bill(acme, currency="CHF")
    assert made.invoices == []
    payer = made.subscriptions[0].subscriber.id
    async with acme.db.read() as db:
        account = await get_account(db, acme.account_id)
        problems = await find_problems(db, account, [payer])
    assert problems[payer].code == "missing_exchange_rate"
    issued = await issue_waiting(acme.db, acme.account_id, by=BY)
    assert issued.count == 0
    assert "There is no exchange rate of CHF on" in issued.problems[payer]
    assert "Add the rate in the settings, under VAT" in issued.problems[payer]
    assert await newest_invoices(acme) == []
    await set_exchange_rate(acme)
    assert (await issue_waiting(acme.db, acme.account_id, by=BY)).count == 1
    [invoice] = await newest_invoices(acme)
    assert invoice.document.converted is not None


async def test_the_rate_is_that_of_the_day_of_the_invoice(acme: Cast) -> None:
    await turn_on_billing(acme)
    today = (await get_account(acme.db, acme.account_id)).daily_date
    await set_exchange_rate(acme)
    await set_exchange_rate(acme, rate_from(today, "0.9"))
    await set_exchange_rate(acme, rate_from(today + timedelta(days=1), "0.8"))
    invoice = await bill_one(acme, currency="CHF")
    assert invoice.document.converted is not None
    assert invoice.document.converted.rate.first_day == today


async def test_what_was_delivered_before_has_the_rate_of_its_last_day(acme: Cast) -> None:
    await turn_on_billing(acme)
    months = {"type": "membership", "start_issue": None, "length": None, "interval_months": 1}
    await set_exchange_rate(acme)
    await set_exchange_rate(acme, rate_from(date(2026, 2, 1), "0.9"))
    past = await bill_one(
        acme, order_id="PAST", currency="CHF", period_start="2025-12-15", **months
    )
    assert past.document.supplied_to is not None
    assert past.document.supplied_to < date(2026, 2, 1)
    assert past.document.converted is not None
    assert past.document.converted.rate == FRANCS


async def test_credit_notes_share_the_amount_of_their_invoice(acme: Cast) -> None:
    await turn_on_billing(acme)
    await set_exchange_rate(acme)
    invoice = await bill_one(acme, currency="CHF")
    await set_exchange_rate(acme, rate_from(FIRST, "0.5"))  # issued invoices keep theirs
    for amount in ("10", "10.01", ""):
        body = {"reason": "Late"} | ({"amount": amount} if amount else {})
        answer = await acme.post(f"/v1/invoices/{invoice.id}/credit/", body)
        assert answer.status_code == 201
    notes = [each for each in await newest_invoices(acme) if each.id != invoice.id]
    converted = [each.document.converted for each in notes]
    assert len(notes) == 3
    assert {each.rate for each in converted if each} == {FRANCS}
    assert sum(each.vat for each in converted if each) == 4_21
    assert await faults(acme) == []


async def test_a_replaced_invoice_has_the_rate_of_the_day_of_the_first(acme: Cast) -> None:
    await turn_on_billing(acme)
    await set_exchange_rate(acme)
    invoice = await bill_one(acme, currency="CHF")
    corrected = rate_from(FIRST, "0.5")
    await set_exchange_rate(acme, corrected)
    await correct_invoice(acme.db, acme.account_id, invoice.id, BillingTerms(), reason="x", by=BY)
    new, _note, _old = await newest_invoices(acme)
    assert new.document.kind is DocumentKind.INVOICE
    assert new.document.converted is not None
    assert new.document.converted.rate == corrected


async def test_an_invoice_for_all_orders_of_a_payer_needs_the_rate(acme: Cast) -> None:
    await turn_on_billing(acme)
    payer = await bill_together(acme)
    await bill(acme, order_id="FRANCS", subscriber_id=payer, currency="CHF")
    async with acme.db.read() as db:
        account = await get_account(db, acme.account_id)
        assert (await find_problems(db, account, [payer])).keys() == {payer}


async def test_a_rate_is_replaced_in_either_direction_and_audited(acme: Cast) -> None:
    await turn_on_billing(acme)
    await set_exchange_rate(acme)
    other = ExchangeRate(
        first_day=FIRST, base_currency="CHF", quote_currency="EUR", rate=Decimal("1.07")
    )
    await set_exchange_rate(acme, other)
    assert await list_exchange_rates(acme.db, acme.account_id) == [other]
    for _again in range(2):
        await delete_exchange_rate(acme.db, acme.account_id, FIRST, "EUR", "CHF", by=BY)
    assert await list_exchange_rates(acme.db, acme.account_id) == []
    async with acme.db.read() as db:
        entries = await list_entries(db, acme.account_id, "account", str(acme.account_id))
    noted = [
        (each["before"]["exchange_rate"], each["after"]["exchange_rate"])
        for each in entries
        if "exchange_rate" in (each["after"] or {})
    ]
    assert noted == [
        (None, "1 EUR = 0.9342 CHF"),
        ("1 EUR = 0.9342 CHF", "1 CHF = 1.07 EUR"),
        ("1 CHF = 1.07 EUR", None),
    ]


async def test_a_converted_amount_that_is_wrong_is_found(acme: Cast) -> None:
    await turn_on_billing(acme)
    await set_exchange_rate(acme)
    invoice = await bill_one(acme, currency="CHF")
    found = await faults_after(
        acme,
        """
        UPDATE invoice
        SET document = replace(document, '"vat":421', '"vat":420')
        WHERE {own} AND id = :invoice
        """,
        invoice=invoice.id,
    )
    assert found == [("VAT in the currency of the country is converted by its rate", invoice.id)]


async def test_without_a_rate_nothing_is_replaced(acme: Cast) -> None:
    await turn_on_billing(acme)
    await set_exchange_rate(acme)
    invoice = await bill_one(acme, currency="CHF")
    await delete_exchange_rate(acme.db, acme.account_id, FIRST, "CHF", "EUR", by=BY)
    with pytest.raises(Invalid, match="There is no exchange rate of CHF on"):
        await correct_invoice(
            acme.db, acme.account_id, invoice.id, BillingTerms(), reason="x", by=BY
        )
    assert len(await newest_invoices(acme)) == 1


async def test_a_renewal_by_a_program_waits_until_there_is_a_rate(acme: Cast) -> None:
    await turn_on_billing(acme)
    await set_exchange_rate(acme)
    made = await bill(acme, currency="CHF")
    await delete_exchange_rate(acme.db, acme.account_id, FIRST, "CHF", "EUR", by=BY)
    renewal = {
        "source": acme.shop,
        "order_id": "AGAIN",
        "order_date": "2026-01-16",
        "price": "60.00",
        "currency": "CHF",
        "is_billed": True,
    }
    answer = await acme.post(f"/v1/subscriptions/{made.subscriptions[0].id}/renewals/", renewal)
    assert answer.status_code == 201
    assert len(await newest_invoices(acme)) == 1
    await set_exchange_rate(acme)
    assert (await issue_waiting(acme.db, acme.account_id, by=BY)).count == 1
