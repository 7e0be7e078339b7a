"""Leases: one process does shared work until it releases its lease or stops renewing it.

A lease ends by a clock that does not depend on the time of day of this machine: on PostgreSQL by
the server's clock, on SQLite, whose processes share a machine, by the uptime of that machine.
"""

from datetime import datetime, timedelta

from msgspec import Struct

from masthead.model.clock import now
from masthead.store.background.clock import read_uptime
from masthead.store.engine.interface import Connection, Transaction


class Lease(Struct, frozen=True):
    """A lease. until_at: when it ends by the holder's clock, only for people to read."""

    name: str
    holder: str
    until_at: datetime


# Milliseconds by the clock of the database's server. A statement of its own: Citus refuses the
# time of day in the condition of the statement that takes the lease.
_SERVER_TICK = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) AS tick"


async def _read_tick(db: Connection) -> int:
    """The milliseconds by which leases end: of the server's clock, or of the uptime."""
    if db.dialect == "sqlite":
        return read_uptime()
    row = await db.fetch_one(_SERVER_TICK, {})
    assert row is not None
    return int(row["tick"])


async def take_lease(tx: Transaction, *, name: str, holder: str, duration: timedelta) -> bool:
    """Take a lease or renew it; False if another process holds it.

    A lease also ends if it would last too long: that clock went back, or the machine was restarted.
    """
    tick, duration_ms = await _read_tick(tx), duration // timedelta(milliseconds=1)
    row = await tx.fetch_one(
        """
        INSERT INTO lease (name, holder, until_at, until_tick)
        VALUES (:name, :holder, :until_at, :until_tick)
        ON CONFLICT (name) DO UPDATE
        SET holder = excluded.holder,
            until_at = excluded.until_at,
            until_tick = excluded.until_tick
        WHERE lease.holder = :holder
           OR lease.until_tick < :tick
           OR lease.until_tick > :latest
        RETURNING holder
        """,
        {
            "name": name,
            "holder": holder,
            "until_at": now() + duration,
            "until_tick": tick + duration_ms,
            "tick": tick,
            "latest": tick + 2 * duration_ms,
        },
    )
    return row is not None


async def release_lease(tx: Transaction, *, name: str, holder: str) -> None:
    """End a lease, so that another process can take it at once."""
    await tx.execute(
        "DELETE FROM lease WHERE name = :name AND holder = :holder",
        {"name": name, "holder": holder},
    )


async def is_held(db: Connection, *, name: str, duration: timedelta) -> bool:
    """Whether a process holds a lease now. duration: for which it is taken. Queries: two at most.

    It has also ended if it would last too long, as for `take_lease`.
    """
    tick = await _read_tick(db)
    row = await db.fetch_one(
        "SELECT 1 FROM lease WHERE name = :name AND until_tick BETWEEN :tick AND :latest",
        {"name": name, "tick": tick, "latest": tick + 2 * (duration // timedelta(milliseconds=1))},
    )
    return row is not None


async def list_leases(db: Connection) -> list[Lease]:
    """All leases, by name."""
    rows = await db.fetch_all("SELECT name, holder, until_at FROM lease ORDER BY name", {})
    return [Lease(**row) for row in rows]
