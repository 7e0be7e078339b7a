"""Issues that subscriptions leave out."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from masthead.model.actors import Actor
from masthead.model.subscriptions.skips import Instead, SkippedIssue
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all

# The numbers of the issues that the period `p` leaves out, and for how many it got another one
SKIPPED_OF_PERIOD = """(
            SELECT group_concat(CAST(k.issue_number AS text), ' ')
            FROM skipped_issue k
            WHERE k.account_id = :account_id
              AND k.subscription_id = p.subscription_id
              AND k.issue_number BETWEEN p.first_issue AND p.last_issue
        ) AS skipped,
        (
            SELECT count(*)
            FROM skipped_issue k
            WHERE k.account_id = :account_id
              AND k.subscription_id = p.subscription_id
              AND k.issue_number BETWEEN p.first_issue AND p.last_issue
              AND k.instead = 'added'
        ) AS added"""


async def list_skipped(
    db: Connection, account_id: int, subscription_ids: Collection[str]
) -> list[SkippedIssue]:
    """The issues that subscriptions leave out, lowest number first. Queries: one."""
    return await fetch_all(
        db,
        """
        SELECT subscription_id, issue_number, instead, refund_id
        FROM skipped_issue
        WHERE account_id = :account_id AND subscription_id IN (:ids...)
        ORDER BY issue_number, subscription_id
        """,
        {"account_id": account_id, "ids": list(subscription_ids)},
        into=SkippedIssue,
    )


async def insert_skipped(
    tx: Transaction,
    account_id: int,
    id: str,
    numbers: Sequence[int],
    instead: Instead,
    *,
    refund_ids: Mapping[int, str],
    moment: datetime,
    by: Actor,
) -> None:
    """Let a subscription leave issues out. refund_ids: by number. Queries: one."""
    await tx.insert_rows(
        "skipped_issue",
        [
            {
                "account_id": account_id,
                "subscription_id": id,
                "issue_number": number,
                "instead": instead.value,
                "refund_id": refund_ids.get(number),
                "created_at": moment,
                "actor_kind": by.kind,
                "actor_id": by.id,
            }
            for number in numbers
        ],
    )


async def delete_skipped(tx: Transaction, account_id: int, id: str, number: int) -> None:
    """Let a subscription include an issue again. Queries: one."""
    await tx.execute(
        """
        DELETE FROM skipped_issue
        WHERE account_id = :account_id
          AND subscription_id = :subscription
          AND issue_number = :number
        """,
        {"account_id": account_id, "subscription": id, "number": number},
    )


async def count_skipped(
    db: Connection, account_id: int, first: int, last: int
) -> list[tuple[int, str, str, int]]:
    """How many copies are skipped of issues: number, country, medium and count.

    first, last: numbers of issues. Queries: one. Index: skipped_issue_by_issue.
    """
    rows = await db.fetch_all(
        """
        SELECT k.issue_number, s.country, s.medium, count(*) AS count
        FROM skipped_issue k
        JOIN subscription s ON s.account_id = k.account_id AND s.id = k.subscription_id
        WHERE k.account_id = :account_id
          AND k.issue_number BETWEEN :first AND :last
          AND s.status <> 'Cancelled'
        GROUP BY k.issue_number, s.country, s.medium
        """,
        {"account_id": account_id, "first": first, "last": last},
    )
    return [(row["issue_number"], row["country"], row["medium"], row["count"]) for row in rows]
