"""Sums of documents and payments by day: pages say the same with them as without."""

import asyncio
import random
from datetime import date, timedelta

import pytest

from masthead.model.clock import account_today
from masthead.model.revenue.takings import MonthRange, TakingsLine, add_up
from masthead.services.billing.balances import use_credit
from masthead.services.billing.credit_orders import credit_invoice
from masthead.services.billing.daily_sums import refresh_daily_sums
from masthead.services.billing.journal import add_up_sales
from masthead.services.billing.payments import ReceivedPayment, record_payment
from masthead.services.billing.undo import undo_payment
from masthead.store import accounts
from masthead.store.billing import daily_sums as store, payments
from masthead.store.billing.journal_sums import list_changes
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.revenue.takings import list_takings
from tests.conftest import BY, Cast
from tests.support.become_sandbox import become_sandbox
from tests.support.billing import bill, bill_one, turn_on_billing
from tests.support.checks import execute, faults
from tests.support.factories import make_subscription

AT_ONCE = timedelta(hours=-1)  # also rows of this moment are added up
MONTHS = MonthRange("2020-01", "2999-12")
FIRST = (account_today().replace(day=1) - timedelta(days=1)).replace(day=1)  # of last month
THIRD = FIRST.replace(day=3)


async def refresh(cast: Cast, batch: int = 2) -> int:
    return await refresh_daily_sums(cast.db, cast.account_id, batch=batch, settled=AT_ONCE)


async def pay(cast: Cast, payer: str, *, day: date = THIRD) -> str:
    """Record a payment that settles nothing, so that nobody knows what it is for."""

    async def work(tx: Transaction) -> str:
        account = await accounts.lock_account(tx, cast.account_id)
        received = ReceivedPayment(
            payer_id=payer, payment_date=day, amount=1500, currency="EUR", settled={}
        )
        return (await record_payment(tx, account, received, by=BY)).id

    return await cast.db.write(work, account_id=cast.account_id)


async def read_figures(db: Connection, account_id: int) -> list[object]:
    """All figures of the pages that use the sums, of several ranges of days."""
    found: list[object] = []
    for first, last in (
        (date(2020, 1, 1), date(2999, 1, 1)),
        (THIRD, THIRD),
        (FIRST.replace(day=4), date(2999, 1, 1)),
    ):
        found.append(await add_up_sales(db, account_id, first, last))
        found.append(await list_changes(db, account_id, first, last))
    lines = add_up(await list_takings(db, account_id, MONTHS), "all")
    found.append(sorted(_of_line(each) for each in lines))
    return found


def _of_line(line: TakingsLine) -> tuple[object, ...]:
    group = line.group
    return (group.month, group.source_id, group.product_id, line.received, line.price)


class _TakenBack(Exception):
    """Ends a transaction that changes nothing."""


async def check_figures(cast: Cast) -> None:
    """The figures with the sums are those without, and the sums are those of a recount."""
    async with cast.db.read() as connection:
        shown = await read_figures(connection, cast.account_id)
    counted = list[object]()

    async def work(tx: Transaction) -> None:
        await store.delete_sums(tx, cast.account_id)
        counted.extend(await read_figures(tx, cast.account_id))
        raise _TakenBack

    with pytest.raises(_TakenBack):
        await cast.db.write(work)
    assert shown == counted
    assert await faults(cast) == []


async def test_figures_are_the_same_whenever_documents_are_added_up(acme: Cast) -> None:
    await turn_on_billing(acme)
    draw = random.Random(7)
    recorded = []
    for step in range(14):
        invoice = await bill_one(acme, order_id=f"B-{step}", price=f"{draw.randint(10, 99)}.00")
        await make_subscription(acme, order_id=f"P-{step}", price="24.00")
        paid = await pay(acme, invoice.payer_id, day=FIRST.replace(day=draw.randint(1, 9)))
        recorded.append(paid)
        match draw.choice(["undo", "use", "credit", "nothing"]):
            case "undo":
                undone = recorded.pop(draw.randrange(len(recorded)))
                await undo_payment(acme.db, acme.account_id, undone, by=BY)
            case "use":
                await use_credit(acme.db, acme.account_id, invoice.id, by=BY)
            case "credit":
                await credit_invoice(
                    acme.db, acme.account_id, invoice.id, amount=100, reason="Late", by=BY
                )
        if step % 3 == 2:
            assert await refresh(acme, batch=draw.randint(1, 9)) > 0
        await check_figures(acme)
    assert await refresh(acme)
    assert await refresh(acme) == 0


async def test_only_rows_that_are_an_hour_old_are_added_up(acme: Cast) -> None:
    await turn_on_billing(acme)
    await bill(acme)
    assert await refresh_daily_sums(acme.db, acme.account_id) == 0
    assert await refresh(acme) == 1


async def test_a_sandbox_has_no_sums_because_its_clock_may_stand(acme: Cast) -> None:
    await turn_on_billing(acme)
    await bill(acme)
    await become_sandbox(acme)
    assert await refresh(acme) == 0
    await check_figures(acme)


async def test_rows_that_appear_among_older_ones_start_the_sums_again(acme: Cast) -> None:
    await turn_on_billing(acme)
    for number in "123":
        await bill(acme, order_id=number)
    await refresh(acme)
    await execute(acme, "UPDATE summed_until SET invoices = 2 WHERE {own}")  # as it was before
    await execute(acme, "DELETE FROM billed_sum WHERE {own}")
    assert await faults(acme)
    assert await refresh(acme) == 3
    await check_figures(acme)


async def test_what_a_payment_is_for_changes_while_it_is_added_up(acme: Cast) -> None:
    """Without the lock of the sums, PostgreSQL would add up the payment as it was before."""
    if acme.db.dialect == "sqlite":  # its writers come one after the other
        return
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    await refresh(acme)
    payment = await pay(acme, invoice.payer_id)
    is_set, go = asyncio.Event(), asyncio.Event()

    async def work(tx: Transaction) -> None:
        await payments.update_sold(
            tx, acme.account_id, payment, acme.shop, await _product(tx, acme)
        )
        is_set.set()
        await go.wait()

    changing = asyncio.create_task(acme.db.write(work, account_id=acme.account_id))
    await is_set.wait()
    adding = asyncio.create_task(refresh(acme))
    await asyncio.wait([adding], timeout=0.2)
    go.set()
    await asyncio.gather(changing, adding)
    await check_figures(acme)


async def _product(db: Connection, cast: Cast) -> str:
    row = await db.fetch_one(
        "SELECT id FROM product WHERE account_id = :account_id LIMIT 1",
        {"account_id": cast.account_id},
    )
    assert row is not None
    return str(row["id"])
