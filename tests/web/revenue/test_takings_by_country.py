"""What came in, and what was ordered, by country and month, as a page and as a file."""

import csv
from datetime import date

import pytest

from masthead.model.billing.inputs import PaymentCreate
from masthead.model.revenue.takings import MonthRange, add_up
from masthead.model.validation import decode_input
from masthead.services.billing.payments import create_payment
from masthead.store.engine.interface import Transaction
from masthead.store.revenue.takings import list_takings
from masthead.store.revenue.takings_by_country import list_takings_by_country
from masthead.web.revenue.takings import choose_range, list_ranges
from tests.conftest import BY, Cast
from tests.support.billing import bill, bill_one, turn_on_billing
from tests.support.factories import import_row, make_issue
from tests.support.revenue import add_refund
from tests.web.conftest import Person
from tests.web.revenue.test_takings import rows_of

VIENNA = {"country": "AT", "city": "Wien", "postcode": "1010", "address1": "Ring 1"}


@pytest.fixture
async def orders(acme: Cast) -> None:
    """Orders that were paid at once from two countries, and a refund."""
    await make_issue(acme)
    await import_row(acme, order_id="G1", start_issue="1", length="4", price="40.00")
    await import_row(
        acme, order_id="G2", start_issue="1", length="4", price="5.00", order_date="2026-03-10"
    )
    await import_row(
        acme,
        order_id="A1",
        start_issue="1",
        length="4",
        price="44.00",
        **VIENNA,
        order_date="2026-02-01",
    )
    await add_refund(acme, "A1", "2026-03-03", 1150)


@pytest.mark.usefixtures("orders")
async def test_the_months_of_each_country_are_in_one_table(staff: Person) -> None:
    page = await staff.text("money", **{"from": "2026-01", "to": "2026-03"}, by="country-month")
    assert rows_of(page) == [
        ["Country", "Total", "Jan 2026", "Feb 2026", "Mar 2026"],
        ["Germany", "€45.00", "€40.00", "", "€5.00"],
        ["Austria", "€32.50", "", "€44.00", "−€11.50"],
        ["Total", "€77.50", "€40.00", "€44.00", "−€6.50"],
    ]
    file = await staff.see(
        "money", "csv", **{"from": "2026-01", "to": "2026-03"}, by="country-month"
    )
    assert list(csv.reader(file.text.lstrip("\ufeff").splitlines())) == [
        ["country_name", "currency", "total", "2026-01", "2026-02", "2026-03"],
        ["Germany", "EUR", "45.00", "40.00", "0.00", "5.00"],
        ["Austria", "EUR", "32.50", "0.00", "44.00", "-11.50"],
        ["Total", "EUR", "77.50", "40.00", "44.00", "-6.50"],
    ]


async def test_payments_count_for_the_countries_of_their_invoices(
    acme: Cast, staff: Person
) -> None:
    await turn_on_billing(acme, digital_percent=50)
    both = await bill_one(acme, medium="Print + digital", price="42.80")  # two lines of 21.40
    berne = await bill_one(acme, email="eva@bern.test", price="60.00", country="CH")
    day = both.document.issue_date
    await bill(acme, is_billed=False, price="10.70", order_date=day.isoformat())

    async def move_line(tx: Transaction) -> None:
        await tx.execute(
            "UPDATE invoice_line SET country = 'FR' WHERE account_id = :a AND line = 2",
            {"a": acme.account_id},
        )

    await acme.db.write(move_line, account_id=acme.account_id)
    for amount, invoice in (("10.00", both), ("67.00", berne)):
        number = [{"number": invoice.document.number}]
        asked = {"amount": amount, "payer": invoice.payer_id, "invoices": number}
        body = decode_input(PaymentCreate, asked)
        await create_payment(acme.db, acme.account_id, body, by=BY)
    month = f"{day:%Y-%m}"
    page = await staff.text("money", **{"from": month, "to": month}, by="country")
    assert rows_of(page) == [
        [
            "Country",
            "Orders",
            "Paid at once",
            "Payments of invoices",
            "Refunds",
            "Came in",
            "Discounts",
        ],
        ["Switzerland", "0", "€0.00", "€60.00", "€0.00", "€60.00", "€0.00"],
        ["Germany", "1", "€10.70", "€5.00", "€0.00", "€15.70", "€0.00"],
        ["France", "0", "€0.00", "€5.00", "€0.00", "€5.00", "€0.00"],
        ["for no invoice yet", "0", "€0.00", "€7.00", "€0.00", "€7.00", "€0.00"],
        ["Total", "1", "€10.70", "€77.00", "€0.00", "€87.70", "€0.00"],
    ]
    async with acme.db.read() as db:
        months = MonthRange(month, month)
        by_source = add_up(await list_takings(db, acme.account_id, months), "month")
        countries = add_up(await list_takings_by_country(db, acme.account_id, months), "month")
    assert [each.net for each in countries] == [each.net for each in by_source] == [8770]
    year = {"from": f"{day.year}-01", "to": month}  # the orders by invoice have an earlier date
    ordered = await staff.text("money", **year, by="country", counted="ordered")
    assert rows_of(ordered) == [
        ["Country", "Orders", "Ordered", "Discounts"],
        ["Switzerland", "1", "€60.00", "€0.00"],
        ["Germany", "2", "€53.50", "€0.00"],
        ["Total", "3", "€113.50", "€0.00"],
    ]
    by_month = await staff.text("money", **year, counted="ordered")
    assert rows_of(by_month)[-1] == ["Total", "3", "€113.50", "€0.00"]


@pytest.mark.usefixtures("orders")
async def test_a_figure_of_a_country_leads_to_its_orders(staff: Person) -> None:
    listed = await staff.text(
        "money", "orders", **{"from": "2026-01", "to": "2026-03"}, country="AT"
    )
    assert [row[0] for row in rows_of(listed)[1:]] == ["A1"]
    refunds = await staff.text(
        "money", "refunds", **{"from": "2026-01", "to": "2026-03"}, country="DE"
    )
    assert "There are no such refunds." in refunds


async def test_this_year_is_one_click(staff: Person) -> None:
    page = await staff.text("money")
    assert ">This year</a>" in page
    assert ">Last year</a>" in page
    year = {"from": "2026-01", "to": "2026-12", "range": "this-year"}
    shown = await staff.text("money", **year)
    assert 'aria-current="true">This year</a>' in shown
    assert 'aria-current="true">Last 12 months</a>' not in shown
    ordered = await staff.text("money", counted="ordered", **year)
    assert "range=this-year" in ordered
    assert '<input type="hidden" name="range" value="this-year">' in ordered


def test_in_december_only_one_of_the_same_ranges_is_chosen() -> None:
    ranges = list_ranges(date(2026, 12, 1))
    for clicked in ("", "last-year", "last-12-months"):
        assert choose_range(ranges, MonthRange.of_year(2026), clicked) == "last-12-months"
    assert choose_range(ranges, MonthRange.of_year(2026), "this-year") == "this-year"
    assert choose_range(ranges, MonthRange.of_year(2025), "this-year") == "last-year"
    assert choose_range(ranges, MonthRange("2026-01", "2026-11"), "this-year") == ""
