"""Take back what an import made: what touched it since, and the deletion of its records."""

from collections.abc import Collection, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all
from masthead.store.subscribers.dismissed_pairs import delete_pairs_of

_AUDIT = """
    SELECT id, subject_id, action, after
    FROM audit
    WHERE account_id = :account_id
      AND subject_type = :subject_type
      AND subject_id IN (:ids...)
    ORDER BY +id
"""  # `+id` keeps SQLite from reading the whole trail
# Each is a SELECT of the subscriptions, or the subscribers, that something is about
_ABOUT = {
    "line": """
        SELECT DISTINCT c.subscription_id AS id
        FROM copy c
        JOIN dispatch_line l ON l.account_id = c.account_id AND l.copy_id = c.id
        WHERE c.account_id = :account_id AND c.subscription_id IN (:ids...)
        UNION
        SELECT subscription_id
        FROM grace_copy
        WHERE account_id = :account_id AND subscription_id IN (:ids...)
    """,
    "invoice": """
        SELECT DISTINCT p.subscription_id AS id
        FROM period p
        JOIN invoice_line l ON l.account_id = p.account_id AND l.period_id = p.id
        WHERE p.account_id = :account_id AND p.subscription_id IN (:ids...)
    """,
    "payer": """
        SELECT payer_id AS id
        FROM invoice
        WHERE account_id = :account_id AND payer_id IN (:ids...)
        UNION
        SELECT payer_id
        FROM payment
        WHERE account_id = :account_id AND payer_id IN (:ids...)
        UNION
        SELECT payer_id
        FROM billed_order
        WHERE account_id = :account_id AND payer_id IN (:ids...)
        UNION
        SELECT payer_id FROM mandate WHERE account_id = :account_id AND payer_id IN (:ids...)
    """,
    "claim": """
        SELECT DISTINCT c.subscription_id AS id
        FROM copy c
        JOIN claim m ON m.account_id = c.account_id AND m.copy_id = c.id
        WHERE c.account_id = :account_id AND c.subscription_id IN (:ids...)
    """,
    "report": """
        SELECT DISTINCT subscription_id AS id
        FROM delivery_report
        WHERE account_id = :account_id AND subscription_id IN (:ids...)
    """,
    "address": """
        SELECT DISTINCT subscription_id AS id
        FROM address_change
        WHERE account_id = :account_id AND subscription_id IN (:ids...)
    """,
    "letter": """
        SELECT DISTINCT p.subscription_id AS id
        FROM period p
        JOIN renewal_letter l ON l.account_id = p.account_id AND l.period_id = p.id
        WHERE p.account_id = :account_id AND p.subscription_id IN (:ids...)
    """,
    "note": """
        SELECT DISTINCT subscriber_id AS id
        FROM subscriber_note
        WHERE account_id = :account_id AND subscriber_id IN (:ids...)
    """,
    "merge": """
        SELECT kept_id AS id
        FROM subscriber_merge
        WHERE account_id = :account_id AND kept_id IN (:ids...)
        UNION
        SELECT merged_id AS id
        FROM subscriber_merge
        WHERE account_id = :account_id AND merged_id IN (:ids...)
    """,
    "subscription": """
        SELECT DISTINCT subscriber_id AS id
        FROM subscription
        WHERE account_id = :account_id AND subscriber_id IN (:ids...)
    """,
    "gift": """
        SELECT DISTINCT gifter_id AS id
        FROM subscription
        WHERE account_id = :account_id AND gifter_id IN (:ids...)
    """,
    "erasure": """
        SELECT DISTINCT subscriber_id AS id
        FROM erasure
        WHERE account_id = :account_id AND subscriber_id IN (:ids...)
    """,
}


class AuditedChange(Struct, frozen=True):
    """An audit entry about a subscription or a subscriber. import_number: that it names, if any."""

    id: int
    subject_id: str
    action: str
    import_number: int | None


async def list_changes(
    db: Connection, account_id: int, subject_type: str, ids: Collection[str]
) -> list[AuditedChange]:
    """The audit entries about some records, oldest first. Index: audit_by_subject."""
    rows = await db.fetch_all(
        _AUDIT, {"account_id": account_id, "subject_type": subject_type, "ids": list(ids)}
    )
    return [
        AuditedChange(row["id"], row["subject_id"], row["action"], _number(row["after"]))
        for row in rows
    ]


def _number(after: str | None) -> int | None:
    if after is None or "import_number" not in after:
        return None
    found: dict[str, Any] = msgspec.json.decode(after)
    return found.get("import_number")


async def find_about(db: Connection, account_id: int, what: str, ids: Collection[str]) -> set[str]:
    """Those of some subscriptions or subscribers that a claim, a letter, … is about.

    what: a key of `_ABOUT`. Queries: one.
    """
    if not ids:
        return set()
    rows = await db.fetch_all(_ABOUT[what], {"account_id": account_id, "ids": list(ids)})
    return {row["id"] for row in rows}


class CopyCounts(Struct, frozen=True):
    """How many copies of a period are sent, and how many are in a run."""

    period_id: int
    sent: int
    in_runs: int


async def count_copies(
    db: Connection, account_id: int, subscription_ids: Collection[str]
) -> dict[int, CopyCounts]:
    """The copies of subscriptions by period: how many are sent, or in a run. Queries: one."""
    found = await fetch_all(
        db,
        """
        SELECT
            period_id,
            count(*) FILTER (WHERE status = 'Sent') AS sent,
            count(dispatch_id) AS in_runs
        FROM copy
        WHERE account_id = :account_id AND subscription_id IN (:ids...)
        GROUP BY period_id
        """,
        {"account_id": account_id, "ids": list(subscription_ids)},
        into=CopyCounts,
    )
    return {each.period_id: each for each in found}


async def list_search_numbers(
    db: Connection, account_id: int, subscriber_ids: Collection[str]
) -> list[int]:
    """The numbers in the search index of subscribers and their subscriptions. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT n
        FROM subscriber
        WHERE account_id = :account_id AND id IN (:ids...)
        UNION
        SELECT n
        FROM subscription
        WHERE account_id = :account_id AND subscriber_id IN (:ids...)
        """,
        {"account_id": account_id, "ids": list(subscriber_ids)},
    )
    return [row["n"] for row in rows]


async def delete_periods(
    tx: Transaction, account_id: int, subscription_ids: Sequence[str], period_ids: Sequence[int]
) -> None:
    """Delete periods of subscriptions with their copies and refunds. Queries: four."""
    values = {
        "account_id": account_id,
        "subscriptions": list(subscription_ids),
        "periods": list(period_ids),
    }
    await tx.execute(
        """
        DELETE FROM copy
        WHERE account_id = :account_id
          AND subscription_id IN (:subscriptions...)
          AND (period_id IN (:periods... AS bigint)) IS TRUE
        """,
        values,
    )
    await tx.execute(
        """
        DELETE FROM refund
        WHERE account_id = :account_id AND period_id IN (:periods... AS bigint)
        """,
        values,
    )
    await tx.execute(
        "DELETE FROM billed_order"
        " WHERE account_id = :account_id AND period_id IN (:periods... AS bigint)",
        values,
    )
    await tx.execute(
        "DELETE FROM period WHERE account_id = :account_id AND id IN (:periods... AS bigint)",
        values,
    )


async def delete_subscriptions(tx: Transaction, account_id: int, ids: Sequence[str]) -> None:
    """Delete subscriptions without periods, and their stored JSON. Queries: five."""
    values = {"account_id": account_id, "ids": list(ids)}
    for statement in (
        """
        DELETE FROM cancellation
        WHERE account_id = :account_id AND subscription_id IN (:ids...)
        """,
        """
        DELETE FROM skipped_issue
        WHERE account_id = :account_id AND subscription_id IN (:ids...)
        """,
        "DELETE FROM subscription_document WHERE account_id = :account_id AND id IN (:ids...)",
        "DELETE FROM subscription_change WHERE account_id = :account_id AND id IN (:ids...)",
        "DELETE FROM subscription WHERE account_id = :account_id AND id IN (:ids...)",
    ):
        await tx.execute(statement, values)


async def delete_subscribers(tx: Transaction, account_id: int, ids: Sequence[str]) -> None:
    """Delete subscribers of whom nothing is left. Queries: three."""
    await delete_pairs_of(tx, account_id, ids)
    await tx.execute(
        "DELETE FROM payer WHERE account_id = :account_id AND subscriber_id IN (:ids...)",
        {"account_id": account_id, "ids": list(ids)},
    )
    await tx.execute(
        "DELETE FROM subscriber WHERE account_id = :account_id AND id IN (:ids...)",
        {"account_id": account_id, "ids": list(ids)},
    )


async def delete_open_cancellation(tx: Transaction, account_id: int, id: str) -> None:
    """Delete the cancellation of a subscription that is cancelled. Queries: one."""
    await tx.execute(
        """
        DELETE FROM cancellation
        WHERE account_id = :account_id AND subscription_id = :id AND reopened_date IS NULL
        """,
        {"account_id": account_id, "id": id},
    )


async def recount_subscriptions(tx: Transaction, account_id: int, ids: Sequence[str]) -> None:
    """Set the last issue and the length of subscriptions by their periods. Queries: one.

    `+` and the currency, which is never empty, keep SQLite from reading `period_by_last`, in which
    it would look for the highest issue among the periods of all subscriptions.
    """
    await tx.execute(
        """
        UPDATE subscription
        SET last_issue = (
                SELECT max(+p.last_issue)
                FROM period p
                WHERE p.account_id = :account_id
                  AND p.subscription_id = subscription.id
                  AND p.currency <> ''
            ),
            total_length = (
                SELECT CAST(coalesce(sum(p.length), 0) AS bigint)
                FROM period p
                WHERE p.account_id = :account_id
                  AND p.subscription_id = subscription.id
            )
        WHERE account_id = :account_id AND id IN (:ids...)
        """,
        {"account_id": account_id, "ids": list(ids)},
    )
