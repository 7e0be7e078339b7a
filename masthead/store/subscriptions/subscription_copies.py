"""The copies of a few subscriptions: count, restore, add and remove them."""

from collections.abc import Collection

from msgspec import Struct

from masthead.model.types.enums import CopyStatus
from masthead.store.copies import IS_FREE
from masthead.store.engine.interface import Connection, Ids, Transaction
from masthead.store.engine.rows import fetch_all
from masthead.store.issues.missing_copies import MISSING


async def count_by_period(
    db: Connection, account_id: int, subscription_ids: Collection[str], status: CopyStatus
) -> dict[int, int]:
    """The number of copies with a status, by period. Queries: one. Index: copy_once."""
    rows = await db.fetch_all(
        # FILTER makes the database read the few copies of the subscriptions, not all of the status
        """
        SELECT period_id, count(*) FILTER (WHERE status = :status) AS count
        FROM copy
        WHERE account_id = :account_id AND subscription_id IN (:ids...)
        GROUP BY period_id
        """,
        {"account_id": account_id, "ids": list(subscription_ids), "status": status},
    )
    return {row["period_id"]: row["count"] for row in rows}


class CopyInRun(Struct, frozen=True):
    """A copy, with the run that holds it, if any. run: its number within the issue."""

    id: int
    subscription_id: str
    period_id: int
    issue_number: int
    status: CopyStatus
    dispatch_id: str | None
    run: int | None


class MissingCopy(Struct, frozen=True):
    """An existing issue that a period includes, but without a copy."""

    period_id: int
    issue_number: int


async def list_with_runs(
    db: Connection, account_id: int, subscription_ids: Collection[str]
) -> list[CopyInRun]:
    """The copies of subscriptions by issue. Queries: one. Index: copy_once."""
    return await fetch_all(
        db,
        """
        SELECT
            c.id,
            c.subscription_id,
            c.period_id,
            c.issue_number,
            c.status,
            c.dispatch_id,
            d.number AS run
        FROM copy c
        LEFT JOIN dispatch d ON d.account_id = c.account_id AND d.id = c.dispatch_id
        WHERE c.account_id = :account_id AND c.subscription_id IN (:ids...)
        ORDER BY c.issue_number, c.subscription_id
        """,
        {"account_id": account_id, "ids": list(subscription_ids)},
        into=CopyInRun,
    )


async def list_missing(db: Connection, account_id: int, id: str) -> list[MissingCopy]:
    """The issues that a subscription has no copy of, lowest number first. Queries: one."""
    return await fetch_all(
        db,
        f"""
        SELECT p.id AS period_id, i.number AS issue_number
        {MISSING}
          AND p.subscription_id = :subscription
        ORDER BY i.number
        """,
        {"account_id": account_id, "subscription": id},
        into=MissingCopy,
    )


async def restore_cancelled(tx: Transaction, account_id: int, id: str) -> list[int]:
    """Let the cancelled copies of a subscription be sent; returns their ids. Queries: one.

    These are the copies that its cancellation cancelled: no other subscription has cancelled ones,
    as `check` proves. No run holds them: the next run takes them.
    """
    rows = await tx.fetch_all(
        """
        UPDATE copy
        SET status = 'Not sent'
        WHERE account_id = :account_id
          AND subscription_id = :subscription
          AND (status = 'Cancelled') IS TRUE
        RETURNING id
        """,
        {"account_id": account_id, "subscription": id},
    )
    return sorted(row["id"] for row in rows)


async def list_mentioned(db: Connection, account_id: int, ids: Ids) -> list[int]:
    """Those of some copies that a claim or a delivery report is about. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT copy_id
        FROM claim
        WHERE account_id = :account_id AND copy_id IN (:copies... AS bigint)
        UNION
        SELECT copy_id
        FROM delivery_report
        WHERE account_id = :account_id AND copy_id IN (:copies... AS bigint)
        """,
        {"account_id": account_id, "copies": ids},
    )
    return [row["copy_id"] for row in rows]


async def delete_copies(tx: Transaction, account_id: int, ids: Ids) -> None:
    """Delete copies that are not sent, held by no run, and that nothing is about. Queries: one."""
    await tx.execute(
        f"""
        DELETE FROM copy AS c
        WHERE c.account_id = :account_id AND c.id IN (:copies... AS bigint) AND ({IS_FREE}) IS TRUE
        """,  # noqa: S608 - a constant
        {"account_id": account_id, "copies": ids},
    )


async def update_periods(tx: Transaction, account_id: int, id: str) -> None:
    """Let each copy of a subscription belong to the period that includes its issue. Queries: one.

    For a number of issues, after its periods were shifted.
    """
    await tx.execute(
        """
        UPDATE copy
        SET period_id = (
            SELECT p.id
            FROM period p
            WHERE p.account_id = :account_id
              AND p.subscription_id = copy.subscription_id
              AND (copy.issue_number BETWEEN p.first_issue AND p.last_issue) IS TRUE
        )
        WHERE account_id = :account_id AND subscription_id = :subscription
        """,
        {"account_id": account_id, "subscription": id},
    )
