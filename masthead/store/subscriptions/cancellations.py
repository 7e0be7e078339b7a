"""Cancellations: a row for each time that a subscription was cancelled."""

from collections.abc import Sequence
from datetime import date

from msgspec import Struct

from masthead.model.clock import now
from masthead.model.types.enums import SubscriptionStatus
from masthead.store.engine.interface import Connection, Row, Transaction
from masthead.store.engine.rows import fetch_one
from masthead.store.update_statement import update_row


async def insert_cancellations(tx: Transaction, account_id: int, rows: Sequence[Row]) -> None:
    """Add cancellations. rows: by column name. Queries: one, for any number of rows."""
    await tx.insert_rows("cancellation", [{**row, "account_id": account_id} for row in rows])


class OpenCancellation(Struct, frozen=True):
    """The cancellation of a subscription that was not reopened."""

    id: str
    cancelled_date: date
    reason: str
    notes: str | None
    status_before: SubscriptionStatus


async def find_open(
    db: Connection, account_id: int, subscription_id: str
) -> OpenCancellation | None:
    """The cancellation of a cancelled subscription; None if it is not cancelled. Queries: one."""
    return await fetch_one(
        db,
        """
        SELECT id, cancelled_date, reason, notes, status_before
        FROM cancellation
        WHERE account_id = :account_id
          AND subscription_id = :subscription
          AND reopened_date IS NULL
        """,
        {"account_id": account_id, "subscription": subscription_id},
        into=OpenCancellation,
    )


async def close_cancellation(
    tx: Transaction, account_id: int, id: str, *, reopened_date: date
) -> None:
    """Note that the subscription was reopened. Queries: one."""
    await update_row(
        tx, account_id, "cancellation", id, reopened_date=reopened_date, reopened_at=now()
    )
