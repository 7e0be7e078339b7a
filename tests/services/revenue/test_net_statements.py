"""What is deferred is without VAT. All figures here are worked out by hand, from the rates."""

from datetime import date

import pytest

from masthead.model.billing.journal import Ledger
from masthead.model.billing.terms import BillingTerms
from masthead.model.billing.vat import VatRate, VatSetting
from masthead.model.revenue.statement_figures import Sums
from masthead.model.types.enums import Medium
from masthead.services.background.daily import redo_daily_pass
from masthead.services.billing.credit import correct_invoice
from masthead.services.billing.payers import update_payer
from masthead.services.billing.settings import save_rate, save_vat_setting
from masthead.services.check.revenue import figures_by_kind, recount_figures
from masthead.services.copies import mark_copies_sent
from masthead.services.revenue.statements import work_out
from tests.conftest import BY, Cast
from tests.support.billing import (
    balances,
    bill,
    bill_one,
    bill_together,
    list_journal,
    turn_on_billing,
)
from tests.support.checks import faults
from tests.support.days import pass_on
from tests.support.factories import copies_of, make_membership, make_subscription
from tests.support.revenue import add_refund

DAY = date(2026, 3, 31)
NEXT = date(2026, 4, 30)


async def total(cast: Cast, day: date = DAY) -> Sums:
    """The sums of a day in euros, which the database recounts."""
    figures = await work_out(cast.db, cast.account_id, day)
    assert figures_by_kind(figures) == await recount_figures(cast.db, cast.account_id, day)
    found = figures.find("EUR")
    return found.total if found else Sums()


async def set_from_the_beginning(
    cast: Cast, *, is_small_business: bool = False, digital_percent: int = 0
) -> None:
    """Change what decides about the VAT of all orders."""
    setting = VatSetting(
        first_day=date(2020, 1, 1),
        is_small_business=is_small_business,
        digital_percent=digital_percent,
    )
    await save_vat_setting(cast.db, cast.account_id, setting, by=BY)


async def send_first(cast: Cast, subscription_id: str) -> None:
    """Send issue 1 to a subscription on `DAY`."""
    first = [copy["id"] for copy in await copies_of(cast, subscription_id)][:1]
    await mark_copies_sent(cast.db, cast.account_id, first, DAY, by=BY)


def parts(sums: Sums) -> dict[str, int]:
    """The figures that are not zero."""
    names = ("price", "refunds", "vat", "earned", "deferred", "kept")
    return {name: amount for name in names if (amount := getattr(sums, name))}


@pytest.fixture
async def acme(acme: Cast) -> Cast:
    """An account on `DAY`, at 7 % for print and 19 % for digital copies in Germany."""
    await turn_on_billing(acme)
    await redo_daily_pass(acme.db, acme.account_id, DAY, by=BY)
    return acme


async def test_a_billed_order_is_divided_without_the_vat_of_its_invoice(acme: Cast) -> None:
    made = await bill(acme, price="107.00", order_date=str(DAY))  # 100.00 and 7 %, 4 issues
    await send_first(acme, made.subscriptions[0].id)
    assert parts(await total(acme)) == {
        "price": 107_00,
        "vat": 7_00,
        "earned": 25_00,
        "deferred": 75_00,
    }


async def test_an_order_paid_at_once_has_the_vat_of_its_own_day(acme: Cast) -> None:
    before = VatRate(first_day=date(2026, 1, 1), place="home", medium=Medium.DIGITAL, rate=2500)
    await save_rate(acme.db, acme.account_id, before, by=BY)
    now = VatRate(first_day=DAY, place="home", medium=Medium.DIGITAL, rate=1000)
    await save_rate(acme.db, acme.account_id, now, by=BY)
    await make_subscription(acme, medium="Digital", price="125.00", order_date="2026-03-30")
    await make_subscription(acme, medium="Digital", price="110.00", order_date="2026-03-31")
    assert parts(await total(acme)) == {"price": 235_00, "vat": 35_00, "deferred": 200_00}


async def test_where_no_vat_is_charged_the_price_is_divided(acme: Cast) -> None:
    await make_subscription(acme, price="40.00", country="CH", order_date=str(DAY))
    assert parts(await total(acme)) == {"price": 40_00, "deferred": 40_00}


async def test_a_small_business_and_an_account_without_settings_have_no_vat(
    acme: Cast, rival: Cast
) -> None:
    await set_from_the_beginning(acme, is_small_business=True)
    await bill(acme, price="107.00", order_date=str(DAY))
    await rival.post("/v1/issues/", {"number": 1})
    await make_subscription(rival, price="107.00", order_date=str(DAY))
    for cast in (acme, rival):
        assert parts(await total(cast)) == {"price": 107_00, "deferred": 107_00}
    assert (await work_out(acme.db, acme.account_id, DAY)).is_net
    assert not (await work_out(rival.db, rival.account_id, DAY)).is_net


async def test_an_order_that_waits_has_the_vat_of_the_day(acme: Cast) -> None:
    """Its invoice would have it if it were issued on that day."""
    await bill_together(acme, price="0.00", order_date=str(DAY))
    new = VatRate(first_day=NEXT, place="home", medium=Medium.PRINT, rate=2000)
    await save_rate(acme.db, acme.account_id, new, by=BY)
    # 60.00 with 7 %: 3.93. With 20 %: 10.00
    assert (await total(acme)).vat == 3_93
    assert (await total(acme, NEXT)).vat == 10_00


async def test_a_company_abroad_with_a_vat_id_has_none_while_it_waits(acme: Cast) -> None:
    austria = VatRate(first_day=date(2020, 1, 1), place="AT", rate=1000)
    await save_rate(acme.db, acme.account_id, austria, by=BY)
    vienna = {"country": "AT", "address1": "Ring 1", "city": "Wien", "postcode": "1010"}
    payer = await bill_together(acme, price="0.00", order_date=str(DAY), **vienna)
    await bill(acme, subscriber_id=payer, price="55.00", order_date=str(DAY), **vienna)
    # 60.00 to Germany with 7 %, and 55.00 to Austria with 10 %
    assert (await total(acme)).vat == 3_93 + 5_00
    db, id = acme.db, acme.account_id
    await update_payer(db, id, payer, vat_id="ATU13585627", bills_together=True, by=BY)
    assert (await total(acme)).vat == 3_93


async def test_a_bundle_has_the_rate_of_each_of_its_parts(acme: Cast) -> None:
    await set_from_the_beginning(acme, digital_percent=50)
    both = {"medium": "Print + digital", "order_date": str(DAY)}
    await make_subscription(acme, price="100.00", **both)
    # 50.00 with 7 %: 3.27. 50.00 with 19 %: 7.98
    assert (await total(acme)).vat == 3_27 + 7_98


async def test_a_membership_is_earned_by_days_without_vat(acme: Cast) -> None:
    await make_membership(
        acme,
        price="107.00",
        order_date=str(DAY),
        period_start="2026-03-22",
        period_end="2026-06-29",  # 100 days, ten of which have passed
    )
    assert parts(await total(acme)) == {
        "price": 107_00,
        "vat": 7_00,
        "earned": 10_00,
        "deferred": 90_00,
    }


async def test_refunds_take_their_vat_with_them(acme: Cast) -> None:
    made = await bill(acme, order_id="BILLED", price="107.00", order_date=str(DAY))
    await make_subscription(acme, order_id="PAID", price="53.50", order_date=str(DAY))
    await send_first(acme, made.subscriptions[0].id)
    await pass_on(acme, str(NEXT))
    await add_refund(acme, "BILLED", str(NEXT), 53_50)
    await add_refund(acme, "PAID", str(NEXT), 10_70)
    assert parts(await total(acme)) == {
        "price": 160_50,
        "vat": 10_50,
        "earned": 25_00,
        "deferred": 125_00,
    }
    # Of the first, 50.00 and 3.50 are left, two issues; of the second, 40.00 and 2.80
    assert parts(await total(acme, NEXT)) == {
        "price": 160_50,
        "refunds": 64_20,
        "vat": 6_30,
        "earned": 25_00,
        "deferred": 65_00,
    }
    assert await faults(acme) == []


async def test_a_refund_with_an_earlier_date_counts_with_its_credit_note(acme: Cast) -> None:
    """So that what is deferred agrees with sales and receivables on each day."""
    await bill(acme, order_id="BILLED", price="107.00", order_date=str(DAY))
    await pass_on(acme, str(NEXT))
    await add_refund(acme, "BILLED", "2026-04-02", 53_50)
    assert (await total(acme, date(2026, 4, 29))).refunds == 0
    assert parts(await total(acme, NEXT)) == {
        "price": 107_00,
        "refunds": 53_50,
        "vat": 3_50,
        "deferred": 50_00,
    }


async def test_a_replaced_invoice_counts_as_the_new_one_says(acme: Cast) -> None:
    invoice = await bill_one(acme, price="107.00", order_date=str(DAY))
    await pass_on(acme, str(NEXT))
    await set_from_the_beginning(acme, is_small_business=True)
    await correct_invoice(acme.db, acme.account_id, invoice.id, BillingTerms(), reason="x", by=BY)
    assert (await total(acme)).vat == 7_00
    assert (await total(acme, NEXT)).vat == 0


async def test_the_largest_amounts_are_recounted_exactly(acme: Cast) -> None:
    made = await make_subscription(acme, price="999999999.99", length=7, order_date=str(DAY))
    await send_first(acme, made["id"])
    sums = await total(acme)
    # 934,579,439.24 without VAT; the first of seven issues has a seventh of it
    assert sums.vat == 65_420_560_75
    assert sums.earned == 934_579_439_24 * 142_857_142_85 // 999_999_999_99


async def test_sales_paid_at_once_are_the_sum_of_orders_that_were_rounded_each(acme: Cast) -> None:
    """Three orders of 1.94 have 0.13 of VAT each; 5.82 together would have 0.38."""
    for number in range(3):
        await make_subscription(acme, order_id=f"P{number}", price="1.94", order_date=str(DAY))
    await pass_on(acme, str(NEXT))
    await add_refund(acme, "P0", str(NEXT), 94)
    async with acme.db.read() as db:
        for day in (DAY, NEXT):
            entries = await list_journal(db, acme.account_id, DAY, day)
            found = balances(entries)
            sums = await total(acme, day)
            # After the refund, 1.00 of one order is left, with 0.07 of VAT
            assert sums.vat == (39 if day == DAY else 33)
            assert sums.vat == -found["EUR", Ledger.VAT]
            assert sums.earned + sums.deferred == -found["EUR", Ledger.SALES]
            assert sums.price - sums.refunds == found["EUR", Ledger.PAID_AT_ONCE]
