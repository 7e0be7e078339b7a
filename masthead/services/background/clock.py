"""Decide whether the clock can be trusted, by comparing it with the newest proof of time."""

from datetime import datetime, timedelta

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.clock import ClockState, clock_state, end_of, now
from masthead.model.errors import Invalid
from masthead.store import accounts
from masthead.store.audit import trail
from masthead.store.background import clock as store
from masthead.store.background.clock import Heartbeat
from masthead.store.engine.citus.present import read_present
from masthead.store.engine.interface import Database, Transaction

_REASONS = {
    ClockState.UNPROVEN: "masthead last ran at {seen}, and the machine was restarted since then",
    ClockState.AHEAD: (
        "masthead last ran at {seen}, and this machine's uptime shows that less time has passed"
    ),
    ClockState.BEHIND: "masthead already ran at {seen}, which is later",
    ClockState.APART: "the database server's clock says {server}",
}


class ClockReading(Struct, frozen=True):
    """The time of the clock, and whether it is trusted. seen_at: the newest proof of time."""

    moment: datetime
    state: ClockState
    seen_at: datetime | None
    server: datetime | None

    @property
    def is_trusted(self) -> bool:
        """Whether data may be changed by this clock."""
        return self.state is ClockState.TRUSTED

    @property
    def reason(self) -> str:
        """Why the clock is not trusted, as a sentence."""
        because = _REASONS[self.state].format(
            seen=_format(self.seen_at), server=_format(self.server)
        )
        return f"The clock says {_format(self.moment)}, but {because}."


def _format(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC" if moment else ""


async def read_clock(db: Database) -> ClockReading:
    """Compare the clock with the last heartbeat, the uptime and the database server's clock."""
    async with db.read() as connection:
        server = await store.find_server_time(connection)
        heartbeat = await store.find_heartbeat(connection)
    newest = None if heartbeat else await _newest_day(db)
    moment = now()
    if heartbeat is None:
        # no heartbeat yet: the accounts' dates are the proof, unless they are later
        seen_at = newest if newest and newest <= moment else None
        elapsed = None
    else:
        seen_at, elapsed = heartbeat.seen_at, _elapsed_since(heartbeat)
    state = clock_state(moment, seen_at=seen_at, elapsed=elapsed, server=server)
    return ClockReading(moment, state, seen_at, server)


async def _newest_day(db: Database) -> datetime | None:
    """The end of the newest day for which a daily pass was run, without sandboxes."""
    found, _is_whole = await read_present(db, accounts.list_accounts)
    ends = (end_of(each.daily_date, each.zone) for each in found if not each.is_sandbox)
    return max(ends, default=None)


def _elapsed_since(heartbeat: Heartbeat) -> timedelta | None:
    """The time since a heartbeat, None unless this machine wrote it and was not restarted."""
    if not heartbeat.boot_id or heartbeat.boot_id != store.read_boot_id():
        return None
    return timedelta(milliseconds=store.read_uptime() - heartbeat.uptime_ms)


async def keep_heartbeat(db: Database, moment: datetime) -> None:
    """Store the time of a trusted clock as the newest proof of time."""
    await db.write(lambda tx: store.write_heartbeat(tx, moment))


async def confirm_clock(db: Database, *, by: Actor) -> datetime:
    """Trust the clock because the operator confirms it, and return its time.

    Raises: Invalid if the database server's clock contradicts it.
    """
    reading = await read_clock(db)
    if reading.state is ClockState.APART:
        raise Invalid(f"{reading.reason} Correct the clock that is wrong, then try again.")

    async def work(tx: Transaction) -> None:
        await store.write_heartbeat(tx, reading.moment)
        if not reading.is_trusted:
            before, after = {"seen_at": reading.seen_at}, {"confirmed_at": reading.moment}
            for account in await accounts.list_accounts(tx):
                entry = NewEntry(EntryType.ACCOUNT_CONFIRM_CLOCK, account.id, before, after)
                await trail.record(tx, account.id, by, [entry])

    await db.write(work)
    return reading.moment
