"""Move the clock of a sandbox: first store where to, then do everything day by day.

Each day is done in transactions of its own. If a process is killed between two of them, the next
move first ends this one.
"""

from datetime import date, timedelta
from typing import TypeVar, Unpack

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.clock import use_sandbox_day
from masthead.model.emails import Site
from masthead.model.errors import Invalid
from masthead.model.sandboxes import (
    NotSandbox,
    Sandbox,
    SandboxClock,
    SandboxMove,
    SandboxNext,
    no_next,
    require_goal,
    require_one,
)
from masthead.services.sandboxes.charges import charge_due
from masthead.services.sandboxes.moved_by_time import STEPS, NewDay
from masthead.services.transactions import in_transaction
from masthead.store import accounts, sources
from masthead.store.audit import trail
from masthead.store.engine.interface import Connection, Database, Transaction, Work, WriteOptions
from masthead.store.engine.wrapped import Undurable, WrappedDatabase
from masthead.store.sandboxes import charges, clocks as store
from masthead.store.self_service import aging

T = TypeVar("T")


class _Elsewhere(Exception):
    """The clock is not moving to the day any more: somebody was faster, or has reset it."""


class _OfDay(WrappedDatabase):
    """The database during the work of a day: each write checks that the clock moves to it."""

    def __init__(self, db: Database, account_id: int, day: date) -> None:
        super().__init__(db)
        self._account_id, self._day = account_id, day

    async def write(self, work: Work[T], **options: Unpack[WriteOptions]) -> T:
        """The result of `work`. Raises: _Elsewhere."""

        async def checked(tx: Transaction) -> T:
            await accounts.lock_account(tx, self._account_id)
            found = await _get(tx, self._account_id)
            if not found.done_date < self._day <= found.goal_date:
                raise _Elsewhere
            return await work(tx)

        return await super().write(checked, **options)


async def get_clock(db: Connection, account_id: int) -> SandboxClock:
    """The clock of a sandbox. Queries: one. Raises: NotSandbox."""
    found = await _get(db, account_id)
    return SandboxClock(
        day=found.done_date, first_day=found.first_date, is_automatic=found.is_automatic
    )


async def _get(db: Connection, account_id: int) -> Sandbox:
    found = await store.find_sandbox(db, account_id)
    if found is None:
        raise NotSandbox
    return found


@in_transaction
async def set_goal(
    tx: Transaction, account_id: int, move: SandboxMove, *, by: Actor
) -> SandboxClock:
    """Store the day that a clock moves to, and return the clock as it will be then.

    `move_to_goal` does the rest. Raises: NotSandbox; Invalid, also if an earlier move has not
    ended, which `move_to_goal` ends.
    """
    await _get(tx, account_id)
    require_one(move)
    account = await accounts.lock_account(tx, account_id)
    found = await _get(tx, account_id)
    if found.goal_date > found.done_date:
        raise Invalid(
            f"The clock is moving to {found.goal_date}, and has done everything up to "
            f"{found.done_date}. Send the request again when that has ended.",
            code="clock_is_moving",
        )
    day, first_day = found.done_date, found.first_date
    goal = day
    if move.to or move.next:
        goal = move.to or await _find_next(tx, account_id, move.next, day)
        require_goal(goal, day=day, first_day=first_day)
    sets = found.is_automatic if move.is_automatic is None else move.is_automatic
    before = {"daily_date": day, "is_automatic": found.is_automatic}
    after = {"daily_date": goal, "is_automatic": sets}
    changed = [name for name, value in after.items() if before[name] != value]
    if changed:
        await store.update_goal(tx, account_id, goal, is_automatic=sets)
        await aging.add_age(tx, account_id, goal - day)
        entry = NewEntry(
            EntryType.ACCOUNT_MOVE_CLOCK,
            account.id,
            {name: before[name] for name in changed},
            {name: after[name] for name in changed},
        )
        await trail.record(tx, account_id, by, [entry])
    return SandboxClock(day=goal, first_day=first_day, is_automatic=sets)


async def _find_next(db: Connection, account_id: int, next: SandboxNext | None, day: date) -> date:
    assert next is not None
    find = store.find_next_issue if next is SandboxNext.ISSUE else charges.find_next
    found = await find(db, account_id, day)
    if found is None:
        raise no_next(next, day)
    return found


async def move_to_goal(db: Database, account_id: int, *, site: Site, by: Actor) -> int:
    """Do everything up to the goal of the clock, day by day; returns how many days.

    It can be interrupted anywhere, and called again. If another call is faster, or the sandbox is
    reset, nothing more is done of the day. A year takes about a second.
    """
    quick = Undurable(db)  # until the last day, whose end is durable
    is_automatic = (await _get(db, account_id)).is_automatic
    day, count, has_more = None, 0, True
    while has_more:
        day = await _begin_day(quick, account_id, day, site=site, by=by)
        has_more = day is not None
        if day is not None:
            try:
                of_day = _OfDay(quick, account_id, day)
                for step in STEPS:
                    await step(NewDay(of_day, account_id, day, site, is_automatic, by))
                count += 1
            except _Elsewhere:
                day = None

    async def make_durable(tx: Transaction) -> None:
        await accounts.lock_account(tx, account_id)

    if count:
        await db.write(make_durable, account_id=account_id)
    return count


async def move_clock(
    db: Database, account_id: int, move: SandboxMove, *, site: Site, by: Actor
) -> SandboxClock:
    """Move the clock of a sandbox, after ending a move that was interrupted.

    Raises: as `set_goal`.
    """
    await _get(db, account_id)
    await move_to_goal(db, account_id, site=site, by=by)
    clock = await set_goal(db, account_id, move, by=by)
    await move_to_goal(db, account_id, site=site, by=by)
    return clock


async def _begin_day(
    db: Database, account_id: int, done: date | None, *, site: Site, by: Actor
) -> date | None:
    """End a day and begin the next one; returns it, or None at the goal.

    done: the day that was done, if any. What the sandbox charges itself is charged first: a
    membership that is paid in time is never past due.
    """
    day: date | None = None
    has_more = True

    async def work(tx: Transaction) -> tuple[date | None, bool]:
        account = await accounts.lock_account(tx, account_id)
        if done is not None:
            await store.update_done(tx, account_id, done)
        found = await _get(tx, account_id)
        if found.done_date >= found.goal_date:
            return None, False
        begun = found.done_date + timedelta(days=1)
        if account.daily_date < begun:
            await accounts.update_daily_date(tx, account_id, begun)
        account = structs.replace(account, daily_date=begun)
        use_sandbox_day(begun, account.zone)
        shop = found.source_id and await sources.find_source(tx, account_id, found.source_id)
        if not shop or not shop.is_active:
            return begun, False
        return begun, await charge_due(
            tx, account, shop.id, begun, placeholder_domain=site.domain, by=by
        )

    while has_more:
        day, has_more = await db.write(work, account_id=account_id, is_long=True)
    return day
