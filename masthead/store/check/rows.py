"""Reads the data for `masthead check`: rows that break an invariant, and stats to compare."""

from datetime import date
from typing import Literal

from msgspec import Struct

from masthead.model.subscriptions.lifecycle import LIVE
from masthead.store.check.billing import (
    BANK_INVARIANTS,
    BILLING_INVARIANTS,
    DEBIT_INVARIANTS,
    REMINDER_INVARIANTS,
)
from masthead.store.check.dispatch import DISPATCH_INVARIANTS
from masthead.store.check.invariants import INVARIANTS
from masthead.store.check.letters import LETTER_INVARIANTS
from masthead.store.check.orders import (
    IMPORT_INVARIANTS,
    LIFECYCLE_INVARIANTS,
    ORDER_INVARIANTS,
    REVENUE_INVARIANTS,
)
from masthead.store.check.subscribers import ADDRESS_INVARIANTS, SUBSCRIBER_INVARIANTS
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all
from masthead.store.subscribers.records import STATS

EVENT_INVARIANTS = {
    "the numbers of events have no gaps": """
        SELECT number AS id
        FROM (
            SELECT number, lag(number) OVER (ORDER BY number) AS previous
            FROM event
            WHERE account_id = :account_id
        ) AS numbered
        WHERE number <> previous + 1
    """,
    "the last event has the number that its account counts": """
        SELECT s.last_event AS id
        FROM account_state s
        WHERE s.account_id = :account_id
          AND EXISTS (SELECT 1 FROM event WHERE account_id = :account_id)
          AND s.last_event <> (SELECT max(number) FROM event WHERE account_id = :account_id)
    """,
}


class RecountedStats(Struct, frozen=True, kw_only=True):
    """The stats of a subscriber. ltv: in cents, of the currency that was asked for."""

    id: str
    subscription_count: int
    has_active_subscription: bool
    latest_order_date: date | None
    latest_country: str | None
    ltv: int


class StoredStats(RecountedStats, frozen=True, kw_only=True):
    """The stats of a subscriber as they are stored, and the email with its key."""

    email: str
    email_key: str


ALL_INVARIANTS = {
    **INVARIANTS,
    **LIFECYCLE_INVARIANTS,
    **DISPATCH_INVARIANTS,
    **BANK_INVARIANTS,
    **ORDER_INVARIANTS,
    **SUBSCRIBER_INVARIANTS,
    **REVENUE_INVARIANTS,
    **ADDRESS_INVARIANTS,
    **LETTER_INVARIANTS,
    **EVENT_INVARIANTS,
    **IMPORT_INVARIANTS,
    **BILLING_INVARIANTS,
    **DEBIT_INVARIANTS,
    **REMINDER_INVARIANTS,
}

_RECOUNT = f"""
    SELECT id, {", ".join(f"{expression} AS {column}" for column, expression in STATS.items())}
    FROM subscriber
    WHERE account_id = :account_id AND id > :after
    ORDER BY id
    LIMIT :limit
"""  # noqa: S608 - constants


async def list_broken(db: Connection, account_id: int, invariant: str) -> list[str]:
    """The ids of the rows that break an invariant."""
    rows = await db.fetch_all(ALL_INVARIANTS[invariant], {"account_id": account_id})
    return [str(row["id"]) for row in rows]


async def list_fingerprints(db: Connection, account_id: int) -> dict[str, str]:
    """The fingerprints of all dispatch runs, by the id of the run."""
    rows = await db.fetch_all(
        "SELECT id, fingerprint FROM dispatch WHERE account_id = :account_id ORDER BY id",
        {"account_id": account_id},
    )
    return {row["id"]: row["fingerprint"] for row in rows}


async def list_stats(
    db: Connection, account_id: int, *, after: str, limit: int
) -> list[StoredStats]:
    """Subscribers by id: email address and stats as they are stored."""
    return await fetch_all(
        db,
        """
        SELECT
            id,
            email,
            email_key,
            subscription_count,
            has_active_subscription,
            latest_order_date,
            latest_country,
            ltv
        FROM subscriber
        WHERE account_id = :account_id AND id > :after
        ORDER BY id
        LIMIT :limit
        """,
        {"account_id": account_id, "after": after, "limit": limit},
        into=StoredStats,
    )


async def list_recounted_stats(
    db: Connection, account_id: int, *, after: str, limit: int, currency: str
) -> list[RecountedStats]:
    """The same subscribers with their stats recounted. currency: of the account."""
    return await fetch_all(
        db,
        _RECOUNT,
        {
            "account_id": account_id,
            "after": after,
            "limit": limit,
            "live": sorted(LIVE),
            "currency": currency,
        },
        into=RecountedStats,
    )


async def list_ids(
    db: Connection,
    account_id: int,
    table: Literal["subscriber", "subscription"],
    *,
    after: str,
    limit: int,
) -> list[str]:
    """Ids of subscribers or subscriptions, in their order."""
    rows = await db.fetch_all(
        f"""
        SELECT id
        FROM {table}
        WHERE account_id = :account_id AND id > :after
        ORDER BY id
        LIMIT :limit
        """,  # noqa: S608 - two tables
        {"account_id": account_id, "after": after, "limit": limit},
    )
    return [row["id"] for row in rows]
