"""Revenue statements that two processes work out while others write: each race, and its control.

A statement is worked out from one snapshot, and the first process that is ready stores its result.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Any

import pytest

from masthead.model.revenue.statement_figures import StatementFigures
from masthead.services.revenue import statements as service
from masthead.services.subscriptions.refunds import Refund, refund_order
from masthead.store.engine.interface import Connection, Parameters, Row, Transaction
from masthead.store.engine.postgres.database import PostgresDatabase
from masthead.store.engine.sqlite.database import SQLiteDatabase
from masthead.store.revenue import statements as store
from masthead.store.revenue.order_states import list_order_states
from masthead.store.revenue.statements import Statement, StatementFile
from tests.conftest import BY, Cast
from tests.races.support.races import Race
from tests.races.test_races import CONTROL_ROUNDS, repeat, run
from tests.support.factories import import_row, make_issue
from tests.support.revenue import DAY, TODAY
from tests.support.rounds import rounds
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.races

ROUNDS = rounds(4)


class Pause:
    """A process stops between two orders. reached, over: it has stopped, and it may go on."""

    def __init__(self) -> None:
        self.reached, self.over = asyncio.Event(), asyncio.Event()


PAUSES: dict[str, Pause] = {}
"""The pauses to come, by order id; the first process that reads the order makes it."""


@pytest.fixture(autouse=True)
def reading_order_by_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read the orders of a statement one by one, and pause after some."""

    async def read_and_pause(*arguments: Any, **options: Any) -> Any:
        orders = await list_order_states(*arguments, **options)
        for order in orders:
            if pause := PAUSES.pop(order.order_id, None):
                pause.reached.set()
                await asyncio.wait_for(pause.over.wait(), PATIENCE)
        return orders

    monkeypatch.setattr(service, "BATCH", 1)
    monkeypatch.setattr(service, "list_order_states", read_and_pause)


def first_order(number: int) -> str:
    """The id of an order; no other id contains it."""
    return f"first-order-{number}"


async def request(cast: Cast, number: int) -> tuple[str, str]:
    """A waiting statement, and a subscription with two orders of 42.00 each."""
    await make_issue(cast, number)
    sold = {"order_date": "2026-01-15", "price": "42.00", "length": "1"}
    order = first_order(number)
    await import_row(cast, order_id=order, start_issue=str(number), **sold)
    made = await import_row(cast, order_id=f"{order}-renewed", renews=order, **sold)
    id = await service.request_statement(cast.db, cast.account_id, DAY, today=TODAY, by=BY)
    return id, made["id"]


async def refund(cast: Cast, subscription_id: str) -> None:
    """Refund both orders of a subscription in full, at once."""
    rows = await cast.db.fetch_all(
        "SELECT id, price FROM period WHERE account_id = :account AND subscription_id = :id",
        {"account": cast.account_id, "id": subscription_id},
    )
    refund = Refund(amounts={row["id"]: row["price"] for row in rows}, day=DAY, reason="")
    await refund_order(cast.db, cast.account_id, subscription_id, refund, seen={}, by=BY)


def deferred_of(figures: StatementFigures | None) -> int:
    """What is deferred, in cents."""
    assert figures is not None
    return sum(each.total.deferred for each in figures.currencies)


async def assert_files_match(cast: Cast, statement: Statement) -> None:
    """The stored files are those whose SHA-256 the statement names."""
    for file, sha256 in (
        (StatementFile.FIGURES, statement.sha256),
        (StatementFile.ORDERS, statement.orders_sha256),
    ):
        parts = service.read_file(cast.db, cast.account_id, statement.id, file)
        content = b"".join([part async for part in parts])
        assert hashlib.sha256(content).hexdigest() == sha256


async def statement_against_refund(one: Cast, two: Cast, number: int) -> None:
    """A statement has all refunds of a transaction, or none of them."""
    before = deferred_of(await service.work_out(one.db, one.account_id, DAY))
    id, subscription_id = await request(one, number)
    pause = PAUSES[first_order(number)] = Pause()

    async def refund_meanwhile() -> None:
        await asyncio.wait_for(pause.reached.wait(), PATIENCE)
        await refund(two, subscription_id)
        pause.over.set()

    statement, _ = await asyncio.gather(
        service.make_statement(one.db, one.account_id, id), refund_meanwhile()
    )
    assert deferred_of(statement.figures) - before in (0, 84_00)
    await assert_files_match(one, statement)


async def statement_against_statement(one: Cast, two: Cast, number: int) -> None:
    """Two processes work out a statement from different data: both return what one stored."""
    id, subscription_id = await request(one, number)
    pause = PAUSES[first_order(number)] = Pause()

    async def make_meanwhile() -> Statement:
        await asyncio.wait_for(pause.reached.wait(), PATIENCE)
        await refund(two, subscription_id)
        statement = await service.make_statement(two.db, two.account_id, id)
        pause.over.set()
        return statement

    made = await asyncio.gather(
        service.make_statement(one.db, one.account_id, id), make_meanwhile()
    )
    stored = await store.get_statement(one.db, one.account_id, id)
    assert list(made) == [stored, stored]
    await assert_files_match(one, stored)


@pytest.mark.parametrize("race", [statement_against_refund, statement_against_statement])
async def test_a_statement_has_one_content_after_every_race(
    race: Race, pair: tuple[Cast, Cast]
) -> None:
    await repeat(race, pair, ROUNDS)


class ManyMoments:
    """A connection that reads each query from the data of its own moment."""

    def __init__(
        self, read: Callable[[], AbstractAsyncContextManager[Connection]], dialect: str
    ) -> None:
        self._read, self.dialect = read, dialect

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        """The rows of a query."""
        async with self._read() as connection:
            return await connection.fetch_all(sql, parameters)

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row of a query."""
        async with self._read() as connection:
            return await connection.fetch_one(sql, parameters)


@pytest.mark.slow
async def test_without_a_snapshot_a_statement_has_one_of_two_refunds(
    scratch_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for owner in (SQLiteDatabase, PostgresDatabase):
        read: Any = owner.read

        @asynccontextmanager
        async def read_often(db: Any, *, read: Any = read, **options: bool) -> AsyncIterator[Any]:
            if options.get("is_long"):
                yield ManyMoments(partial(read, db), db.dialect)
            else:
                async with read(db, **options) as connection:
                    yield connection

        monkeypatch.setattr(owner, "read", read_often)
    with pytest.raises(AssertionError):
        await run(statement_against_refund, scratch_url, CONTROL_ROUNDS)


@pytest.mark.slow
async def test_if_each_process_stores_its_result_two_statements_differ(
    scratch_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete = store.complete_statement

    async def replace(tx: Transaction, account_id: int, id: str, **content: Any) -> bool:
        values = {"account_id": account_id, "id": id}
        for sql in (
            "UPDATE revenue_statement SET status = 'waiting'"
            " WHERE account_id = :account_id AND id = :id",
            "DELETE FROM revenue_statement_part"
            " WHERE account_id = :account_id AND statement_id = :id",
        ):
            await tx.execute(sql, values)
        return await complete(tx, account_id, id, **content)

    monkeypatch.setattr(store, "complete_statement", replace)
    with pytest.raises(AssertionError):
        await run(statement_against_statement, scratch_url, CONTROL_ROUNDS)
