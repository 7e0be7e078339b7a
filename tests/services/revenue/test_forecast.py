"""Deferred revenue as it is expected on a day to come, and that of paid orders only."""

from datetime import date

from masthead.model.billing.inputs import PaymentCreate
from masthead.model.validation import decode_input
from masthead.services.billing.payments import create_payment
from masthead.services.revenue.forecast import ExpectedFigures, expect_figures
from masthead.services.revenue.statements import work_out
from tests.conftest import BY, Cast
from tests.support.billing import bill_one, turn_on_billing
from tests.support.factories import import_row, make_issue, make_membership

YEAR_2026 = {"period_start": "2026-01-01", "period_end": "2026-12-31"}


async def expect(cast: Cast, day: date, *, today: date, only_paid: bool = False) -> ExpectedFigures:
    async with cast.db.read() as db:
        return await expect_figures(db, cast.account_id, day, today=today, only_paid=only_paid)


async def test_planned_issues_count_as_sent_on_their_release_date(acme: Cast) -> None:
    for number in range(1, 4):
        await make_issue(acme, number, release_date_actual=f"2026-0{number}-01")
    await import_row(
        acme, order_id="P", start_issue="1", length="4", price="42.00", sent_issues="1"
    )
    await import_row(acme, order_id="Q", start_issue="1", length="2", price="20.00")
    await make_membership(acme, order_id="M", price="73.00", **YEAR_2026)
    expected = await expect(acme, date(2026, 3, 31), today=date(2026, 1, 15))
    assert [each.number for each in expected.planned] == [2, 3]
    [euros] = expected.figures.currencies
    # P: issue 4 of 4 is left; Q: issue 1, which was never sent
    assert euros.subscriptions.deferred == 10_50 + 10_00
    assert euros.subscriptions.earned == 31_50 + 10_00
    assert euros.owed_copies == 1 + 1
    # 90 of 365 days are over
    assert euros.memberships.deferred == 73_00 - 18_00
    assert [(each.number, copies) for each, copies in expected.overdue] == [(1, 1)]
    sooner = await expect(acme, date(2026, 2, 1), today=date(2026, 1, 15))
    [euros] = sooner.figures.currencies
    assert (euros.owed_copies, euros.subscriptions.deferred) == (3, 21_00 + 10_00)


async def test_copies_of_an_issue_that_is_out_are_owed_as_in_a_statement(acme: Cast) -> None:
    today = date(2026, 2, 1)
    await make_issue(acme, 1)
    await make_issue(acme, 2, release_date_actual=today.isoformat())
    await make_issue(acme, 3, release_date_actual="2026-03-01")
    await import_row(acme, order_id="P", start_issue="1", length="3", price="30.00", sent_issues="")
    expected = await expect(acme, today, today=today)
    assert not expected.planned
    async with acme.db.read() as db:
        stated = await work_out(db, acme.account_id, today)
    assert expected.figures == stated
    [euros] = stated.currencies
    assert (euros.owed_copies, euros.subscriptions.deferred) == (3, 30_00)
    # Issue 1 has no release date, but is before the current one
    assert [(each.number, copies) for each, copies in expected.overdue] == [(1, 1), (2, 1)]
    later = await expect(acme, date(2026, 2, 2), today=today)
    assert [each.number for each in later.planned] == [2]
    assert [(each.number, copies) for each, copies in later.overdue] == [(1, 1)]
    past = await expect(acme, date(2026, 1, 31), today=today)
    assert not past.planned


async def test_only_paid_orders(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, price="60.00")
    day = invoice.document.issue_date

    async def orders() -> list[int]:
        expected = await expect(acme, day, today=day, only_paid=True)
        return [each.total.orders for each in expected.figures.currencies]

    async def pay(amount: str) -> None:
        number = [{"number": invoice.document.number}]
        asked = {"amount": amount, "payer": invoice.payer_id, "invoices": number}
        body = decode_input(PaymentCreate, asked)
        await create_payment(acme.db, acme.account_id, body, by=BY)

    assert await orders() == []
    await pay("59.99")
    assert await orders() == []
    await pay("0.01")
    assert await orders() == [1]
    every = await expect(acme, day, today=day)
    assert [each.total.orders for each in every.figures.currencies] == [1]
