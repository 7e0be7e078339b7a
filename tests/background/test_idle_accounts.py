"""On a new day, accounts on which nothing changes take few statements together."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any

import pytest
import time_machine

from masthead.background import daily
from masthead.model.actors import Actor
from masthead.model.errors import Busy
from masthead.services import accounts
from masthead.services.background import idle_accounts
from masthead.store.accounts import lock_account
from masthead.store.background import idle_accounts as store
from masthead.store.engine.interface import Transaction
from masthead.store.reports.trends import list_due
from tests.conftest import make_account
from tests.support.factories import make_membership, make_subscription
from tests.support.own_service import OwnService, open_own_service
from tests.support.statement_counter import StatementCounter

BY = Actor(kind="command", id="test")


@pytest.fixture
async def own(scratch_url: str) -> AsyncIterator[OwnService]:
    """A separate service on `first_day`, whose account has all that is due on that day."""
    with time_machine.travel(first_day()):
        async with open_own_service(scratch_url) as opened:
            await work(opened)
            yield opened


async def work(own: OwnService) -> None:
    """Run every job once, with the lease."""
    worker = own.background()
    await worker.work_once()
    await worker._lease.release()


def first_day() -> datetime:
    """Now, or a day earlier if the day after it is in another month, which needs more work.

    Both days are as near to those of the database server's clock as is trusted.
    """
    moment = datetime.now(UTC)
    tomorrow = moment + timedelta(days=1)
    return moment if tomorrow.month == moment.month else moment - timedelta(days=1)


NEXT = timedelta(days=1)


async def states(own: OwnService) -> list[dict[str, Any]]:
    """The days of all accounts, by id."""
    async with own.cast.db.read() as connection:
        rows = await connection.fetch_all("SELECT * FROM account_state ORDER BY account_id", {})
    return [dict(row) for row in rows]


async def run_a_new_day(own: OwnService) -> int:
    """Run the daily pass and the trends of the next day; returns how many statements they take."""
    with time_machine.travel(first_day()):
        await work(own)  # of new accounts
    counter = StatementCounter(own.cast.db)
    worker = own.background(db=counter)
    with time_machine.travel(first_day() + NEXT):
        assert await worker._lease.renew()
        counter.statements.clear()
        counter.reads.clear()
        for job in ("daily pass", "trends"):
            await worker._jobs[job].run_once()
        later = len(counter.statements + counter.reads)
        await worker._jobs["daily pass"].run_once()
        assert len(counter.statements + counter.reads) == later  # the day is done
        await worker._lease.release()
    return later


async def test_a_new_day_of_fifty_idle_accounts_takes_no_more_statements_than_of_one(
    own: OwnService,
) -> None:
    alone = await run_a_new_day(own)
    await own.execute("UPDATE account_state SET daily_date = :day", day=date(2020, 1, 1))
    for number in range(50):
        await accounts.create_account(
            own.cast.db,
            name="Idle",
            subdomain=f"idle-{number}",
            currency="EUR",
            owner=f"owner@idle-{number}.test",
            by=BY,
        )
    with time_machine.travel(first_day()):
        await own.execute("UPDATE account_state SET trend_date = NULL")
    assert await run_a_new_day(own) == alone
    assert alone < 15
    day = (first_day() + NEXT).date()
    found = await states(own)
    assert {(each["daily_date"], each["trend_date"]) for each in found} == {(day, day)}
    assert len(found) == 51


async def test_idle_accounts_are_moved_in_batches(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_account(own.cast.client, own.cast.db, "Rival")
    await make_account(own.cast.client, own.cast.db, "Third")
    with time_machine.travel(first_day()):
        await work(own)
    monkeypatch.setattr(idle_accounts, "ACCOUNTS", 2)
    day = (first_day() + NEXT).date()
    assert await idle_accounts.pass_idle_accounts(own.cast.db, day, ["UTC"]) == 3
    assert await idle_accounts.pass_idle_accounts(own.cast.db, day, ["UTC"]) == 0
    found = await states(own)
    assert {(each["daily_date"], each["trend_date"]) for each in found} == {(day, day)}


async def test_accounts_with_an_ended_membership_or_a_planned_change_are_not_idle(
    own: OwnService,
) -> None:
    day = (first_day() + NEXT).date()
    await make_membership(own.cast)
    await own.execute("UPDATE period SET period_end = :day", day=day)
    assert await idle(own, day)
    assert not await idle(own, day + NEXT)
    await own.execute("UPDATE period SET is_complete = :yes", yes=True)
    assert await idle(own, day + NEXT)
    await own.execute(
        """
        INSERT INTO address_change (
            account_id, id, group_id, subscriber_id, subscription_id, first_issue, country, status,
            created_at, actor_kind, actor_id
        )
        SELECT
            account_id, 'a', 'a', subscriber_id, id, 2, 'DE', 'planned', created_at, 'command', 'a'
        FROM subscription
        """
    )
    assert not await idle(own, day + NEXT)
    await own.execute("UPDATE address_change SET status = 'done'")
    assert await idle(own, day + NEXT)


async def idle(own: OwnService, day: date) -> bool:
    """Whether the account needs no daily pass of its own for a day."""
    async with own.cast.db.read() as connection:
        return bool(await store.list_without_pass(connection, day, ["UTC"]))


@pytest.mark.parametrize("column", ["release_date_actual", "date_as_start_issue"])
async def test_a_trend_is_counted_again_when_an_issue_is_released(
    own: OwnService, column: str
) -> None:
    day = (first_day() + NEXT).date()

    async def kept(today: date) -> bool:
        async with own.cast.db.read() as connection:
            return bool(await store.list_with_right_trend(connection, today))

    await own.execute(
        "UPDATE issue SET release_date_actual = :past, date_as_start_issue = :past",
        past=date(2020, 1, 1),
    )
    assert await kept(day)
    assert not await kept(day - NEXT)  # it is of this day
    await own.execute(f"UPDATE issue SET {column} = :day", day=day)  # noqa: S608 - a parameter
    assert not await kept(day)
    await own.execute(f"UPDATE issue SET {column} = :day", day=day + NEXT)  # noqa: S608
    assert await kept(day)
    assert not await kept(day + timedelta(days=31))  # another month needs another point


async def test_an_account_that_is_written_to_meanwhile_is_left_for_its_own_pass(
    own: OwnService,
) -> None:
    db, day = own.cast.db, (first_day() + NEXT).date()
    async with db.read() as connection:
        seen = await store.list_without_pass(connection, day, ["UTC"])
        kept = await store.list_with_right_trend(connection, day)
    assert list(seen) == list(kept) == [own.cast.account_id]
    await db.write(
        partial(lock_account, account_id=own.cast.account_id), account_id=own.cast.account_id
    )

    async def move(tx: Transaction) -> tuple[int, int]:
        return (
            await store.update_daily_dates(tx, seen, day),
            await store.update_trend_days(tx, kept, day),
        )

    assert await db.write(move) == (0, 0)


@pytest.mark.parametrize("error", [Busy(), ValueError("a row that raises")])
async def test_if_an_idle_account_is_locked_or_fails_each_account_has_its_own_pass(
    own: OwnService, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    await make_subscription(own.cast)

    async def refuse(*_: object) -> int:
        raise error

    with time_machine.travel(first_day() + NEXT), monkeypatch.context() as patched:
        patched.setattr(daily, "pass_idle_accounts", refuse)
        await work(own)
        (state,) = await states(own)
        assert state["daily_date"] == state["trend_date"] == datetime.now(UTC).date()
        async with own.cast.db.read() as connection:
            assert not await list_due(connection, settled=datetime.now(UTC) - NEXT)
