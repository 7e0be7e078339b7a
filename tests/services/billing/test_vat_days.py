"""Which day decides about the VAT of an order that is billed: decision 0092."""

from datetime import date
from typing import Any

import pytest

from masthead.model.billing.terms import BillingTerms
from masthead.model.billing.vat import VatRate
from masthead.model.errors import Invalid
from masthead.model.orders.offers import Offer
from masthead.model.types.enums import Medium
from masthead.services.background.daily import redo_daily_pass
from masthead.services.billing.credit import correct_invoice
from masthead.services.billing.payers import update_payer
from masthead.services.billing.settings import save_rate
from masthead.services.billing.waiting import issue_for_payer
from masthead.services.products import create_product
from tests.conftest import BY, Cast
from tests.services.revenue.test_net_statements import total
from tests.support.billing import bill, bill_one, newest_invoices, read_invoice, turn_on_billing
from tests.support.checks import faults
from tests.support.days import pass_on
from tests.support.factories import ABSENT, made, make_issue

CHANGE = date(2026, 7, 1)  # from 7 to 9 %
DATES = {2: "2026-05-15", 3: "2026-06-15", 4: "2026-07-15", 5: None}


async def start(cast: Cast, today: str, *, country: str = "DE", **settings: Any) -> str:
    """Settings with a rate that changes, four issues, and a day; returns the id of issue 5."""
    vat_id = {"DE": "DE136695976", "AT": "ATU12011204"}[country]
    await turn_on_billing(cast, country=country, vat_id=vat_id, **settings)
    rate = VatRate(first_day=CHANGE, place="home", medium=Medium.PRINT, rate=900)
    await save_rate(cast.db, cast.account_id, rate, by=BY)
    made = [
        await make_issue(cast, number, release_date_actual=day) for number, day in DATES.items()
    ]
    await redo_daily_pass(cast.db, cast.account_id, date.fromisoformat(today), by=BY)
    return str(made[-1]["id"])


@pytest.mark.parametrize(
    "country, today, first, length, rate",
    [
        ("DE", "2026-06-01", 2, 2, 700),  # the last issue comes out before the change
        ("DE", "2026-06-01", 2, 3, 900),  # after it
        ("DE", "2026-06-01", 4, 2, 700),  # on a day that is not known
        ("AT", "2026-06-01", 2, 3, 700),  # in other countries, the invoice decides
        ("AT", "2026-07-10", 2, 3, 900),
        ("DE", "2026-08-20", 2, 2, 700),  # all of it was supplied before the invoice
        ("AT", "2026-08-20", 2, 2, 700),
        ("AT", "2026-08-20", 2, 3, 900),
        ("AT", "2026-08-20", 4, 2, 900),
    ],
)
async def test_an_invoice_has_the_rate_of_the_supply(
    acme: Cast, country: str, today: str, first: int, length: int, rate: int
) -> None:
    await start(acme, today, country=country)
    invoice = await bill_one(acme, start_issue=first, length=length, country=country)
    assert [line.rate for line in invoice.document.lines] == [rate]


@pytest.mark.parametrize(
    "country, first, length, rate",
    [("DE", 2, 2, 700), ("DE", 2, 3, 900), ("DE", 4, 2, 700), ("AT", 2, 3, 700)],
)
async def test_a_price_without_vat_stays_what_it_is(
    acme: Cast, country: str, first: int, length: int, rate: int
) -> None:
    await start(acme, "2026-06-01", country=country, prices_include_vat=False)
    common = {"start_issue": first, "length": length, "country": country, "price": "100"}
    [line] = (await bill_one(acme, **common)).document.lines
    assert (line.net, line.rate) == (100_00, rate)


async def test_a_price_without_vat_stays_what_it_is_if_the_product_says_how_long(
    acme: Cast,
) -> None:
    await start(acme, "2026-06-01", prices_include_vat=False)
    made = await create_product(
        acme.db, acme.account_id, name="Three", offer=Offer(length=3), by=BY
    )
    common = {"start_issue": 2, "length": ABSENT, "price": "100"}
    [line] = (await bill_one(acme, product=made.id, **common)).document.lines
    assert (line.net, line.rate) == (100_00, 900)
    with pytest.raises(Invalid) as refusal:
        await bill_one(acme, product="another", **common)
    assert refusal.value.field == "product"


async def test_a_small_business_adds_no_vat_to_prices_without_it(acme: Cast) -> None:
    await start(acme, "2026-06-01", prices_include_vat=False, is_small_business=True)
    document = (await bill_one(acme, start_issue=2, price="100")).document
    assert (document.net, document.vat, document.total) == (100_00, 0, 100_00)


async def test_a_renewal_without_vat_stays_what_it_is(acme: Cast) -> None:
    await start(acme, "2026-06-01", prices_include_vat=False)
    first = await bill(acme, start_issue=2, length=1)
    body = {"source": acme.shop, "order_id": "R", "order_date": "2026-06-01", "price": "100"}
    address = f"/v1/subscriptions/{first.subscriptions[0].id}/renewals/"
    made(await acme.post(address, body | {"length": 2, "is_billed": True}))
    [line] = (await newest_invoices(acme))[0].document.lines
    assert (line.net, line.rate) == (100_00, 900)


@pytest.mark.parametrize("country", ["DE", "AT"])
async def test_an_order_that_waits_has_the_rate_of_its_supply(acme: Cast, country: str) -> None:
    await start(acme, "2026-06-01", country=country)
    first = await bill_one(acme, start_issue=2, length=1, country=country)
    payer = first.payer_id
    await update_payer(acme.db, acme.account_id, payer, vat_id="", bills_together=True, by=BY)
    for id, start_issue, length in (("B", 2, 2), ("C", 2, 3)):
        await bill(
            acme,
            order_id=id,
            subscriber_id=payer,
            start_issue=start_issue,
            length=length,
            country=country,
        )
    await pass_on(acme, "2026-08-20")
    day = date(2026, 8, 20)
    before = await total(acme, day)
    [id] = await issue_for_payer(acme.db, acme.account_id, payer, by=BY)
    lines = (await read_invoice(acme, id)).document.lines
    assert [line.rate for line in lines] == [700, 900]
    assert await total(acme, day) == before
    assert await faults(acme) == []


@pytest.mark.parametrize("country, rate", [("DE", 900), ("AT", 700)])
async def test_an_invoice_is_replaced_when_the_last_day_is_known(
    acme: Cast, country: str, rate: int
) -> None:
    last = await start(acme, "2026-06-01", country=country)
    invoice = await bill_one(acme, start_issue=4, length=2, country=country)
    assert invoice.document.lines[0].rate == 700
    await acme.patch(f"/v1/issues/{last}/", {"release_date_actual": "2026-08-15"})
    terms = BillingTerms()
    await correct_invoice(acme.db, acme.account_id, invoice.id, terms, reason="VAT", by=BY)
    assert (await newest_invoices(acme))[0].document.lines[0].rate == rate
    assert await faults(acme) == []
