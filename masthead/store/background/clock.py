"""Sources of time other than the system clock: the last heartbeat, the uptime, the server.

The heartbeat belongs to no account: the process that does the background work writes it.
"""

import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from masthead.store.engine.interface import Connection, Transaction

_UPTIME = Path("/proc/uptime")
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Heartbeat(Struct, frozen=True):
    """The newest proof of time. boot_id, uptime_ms: of the machine that wrote it, at that moment.

    boot_id: empty if the system does not provide one.
    """

    seen_at: datetime
    boot_id: str
    uptime_ms: int


def read_uptime() -> int:
    """Milliseconds since this machine was started; setting its clock does not change them."""
    with suppress(OSError):
        return round(float(_UPTIME.read_text().split()[0]) * 1000)
    return round(time.monotonic() * 1000)


def read_boot_id() -> str:
    """The id of this start of the machine; empty if the system does not provide one."""
    with suppress(OSError):
        return _BOOT_ID.read_text().strip()
    return ""


async def find_heartbeat(db: Connection) -> Heartbeat | None:
    """The last heartbeat, if there is one."""
    row = await db.fetch_one(
        "SELECT seen_at, boot_id, uptime_ms FROM heartbeat WHERE name = 'clock'", {}
    )
    return Heartbeat(**row) if row else None


async def find_server_time(db: Connection) -> datetime | None:
    """The time by the database server's clock; None on SQLite, which has no clock of its own."""
    if db.dialect == "sqlite":
        return None
    row = await db.fetch_one("SELECT clock_timestamp() AS moment_at", {})
    assert row is not None
    moment: datetime = row["moment_at"]
    return moment


async def write_heartbeat(tx: Transaction, moment: datetime) -> None:
    """Store a moment as the newest proof of time."""
    await tx.execute(
        """
        INSERT INTO heartbeat (name, seen_at, boot_id, uptime_ms)
        VALUES ('clock', :moment, :boot_id, :uptime_ms)
        ON CONFLICT (name) DO UPDATE
        SET seen_at = excluded.seen_at, boot_id = excluded.boot_id, uptime_ms = excluded.uptime_ms
        """,
        {"moment": moment, "boot_id": read_boot_id(), "uptime_ms": read_uptime()},
    )
