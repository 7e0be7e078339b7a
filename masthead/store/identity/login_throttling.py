"""Counts of failed sign-ins, by the names that `services.identity.login_throttling` chooses."""

from datetime import datetime

from masthead.model.clock import now
from masthead.store.engine.interface import Connection, Transaction


async def lock_failures(tx: Transaction, name: str) -> tuple[int, datetime]:
    """The number of failures under a name and the time of the last one; locks the row."""
    row = await tx.fetch_one(
        """
        INSERT INTO throttle (name, failures, failed_at)
        VALUES (:name, 0, :now)
        ON CONFLICT (name) DO UPDATE SET name = excluded.name
        RETURNING failures, failed_at
        """,
        {"name": name, "now": now()},
    )
    assert row is not None
    return row["failures"], row["failed_at"]


async def update_failures(
    tx: Transaction, name: str, failures: int, *, failed_at: datetime
) -> None:
    """Set the number of failures. failed_at: the moment of the last one."""
    await tx.execute(
        "UPDATE throttle SET failures = :failures, failed_at = :failed_at WHERE name = :name",
        {"name": name, "failures": failures, "failed_at": failed_at},
    )


async def count_failures(db: Connection, name: str) -> int:
    """The number of failures under a name."""
    row = await db.fetch_one("SELECT failures FROM throttle WHERE name = :name", {"name": name})
    return row["failures"] if row else 0


async def take_back_failures(
    tx: Transaction, name: str, *, count: int, failed_at: datetime, unless_after: datetime
) -> None:
    """Reduce the count, and restore the moment of the last failure unless another one followed.

    failed_at: that moment. unless_after: the moment of the failure that no longer counts.
    """
    await tx.execute(
        """
        UPDATE throttle
        SET failures = CASE WHEN failures > :count THEN failures - :count ELSE 0 END,
            failed_at = CASE WHEN failed_at > :moment THEN failed_at ELSE :failed_at END
        WHERE name = :name
        """,
        {"name": name, "count": count, "failed_at": failed_at, "moment": unless_after},
    )


async def delete_failures(tx: Transaction, name: str) -> None:
    """Delete the count of failures under a name."""
    await tx.execute("DELETE FROM throttle WHERE name = :name", {"name": name})


async def delete_old_failures(tx: Transaction, *, failed_before: datetime) -> None:
    """Delete the counts of old failures."""
    await tx.execute("DELETE FROM throttle WHERE failed_at <= :failed", {"failed": failed_before})


async def delete_future_failures(tx: Transaction, moment: datetime) -> None:
    """Delete counts dated after a moment: they were written while a clock was ahead."""
    await tx.execute("DELETE FROM throttle WHERE failed_at > :moment", {"moment": moment})
