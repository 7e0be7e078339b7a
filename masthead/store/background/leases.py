"""Leases: one process does shared work until it releases its lease or stops renewing it.

A lease ends by a clock that does not depend on the time of day of this machine: on PostgreSQL by
the server's clock, on SQLite, whose processes share a machine, by the uptime of that machine.
"""

from datetime import datetime, timedelta

from msgspec import Struct

from masthead.model.clock import now
from masthead.store.background.clock import read_uptime
from masthead.store.engine.interface import Connection, Dialect, Transaction


class Lease(Struct, frozen=True):
    """A lease. until_at: when it ends by the holder's clock, only for people to read."""

    name: str
    holder: str
    until_at: datetime


# The end of a lease is in milliseconds, by the clock of the database's server or by the uptime. Its
# last condition: that clock went back, or the machine was restarted
_TAKE: dict[Dialect, str] = {
    "postgres": """
        INSERT INTO lease (name, holder, until_at, until_tick)
        VALUES (
            :name,
            :holder,
            :until_at,
            CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)
                + CAST(:duration_ms AS bigint)
        )
        ON CONFLICT (name) DO UPDATE
        SET holder = excluded.holder,
            until_at = excluded.until_at,
            until_tick = excluded.until_tick
        WHERE lease.holder = :holder
           OR lease.until_tick < CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)
           OR lease.until_tick > excluded.until_tick + CAST(:duration_ms AS bigint)
        RETURNING holder
    """,
    "sqlite": """
        INSERT INTO lease (name, holder, until_at, until_tick)
        VALUES (:name, :holder, :until_at, :uptime_ms + :duration_ms)
        ON CONFLICT (name) DO UPDATE
        SET holder = excluded.holder,
            until_at = excluded.until_at,
            until_tick = excluded.until_tick
        WHERE lease.holder = :holder
           OR lease.until_tick < :uptime_ms
           OR lease.until_tick > excluded.until_tick + :duration_ms
        RETURNING holder
    """,
}


async def take_lease(tx: Transaction, *, name: str, holder: str, duration: timedelta) -> bool:
    """Take a lease or renew it; False if another process holds it."""
    row = await tx.fetch_one(
        _TAKE[tx.dialect],
        {
            "name": name,
            "holder": holder,
            "until_at": now() + duration,
            "uptime_ms": read_uptime(),
            "duration_ms": duration // timedelta(milliseconds=1),
        },
    )
    return row is not None


async def release_lease(tx: Transaction, *, name: str, holder: str) -> None:
    """End a lease, so that another process can take it at once."""
    await tx.execute(
        "DELETE FROM lease WHERE name = :name AND holder = :holder",
        {"name": name, "holder": holder},
    )


async def list_leases(db: Connection) -> list[Lease]:
    """All leases, by name."""
    rows = await db.fetch_all("SELECT name, holder, until_at FROM lease ORDER BY name", {})
    return [Lease(**row) for row in rows]
