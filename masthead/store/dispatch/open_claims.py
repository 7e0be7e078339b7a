"""Open claims: how many replacements the next run of an issue takes, and how many wait."""

from collections import defaultdict
from collections.abc import Collection

from msgspec import Struct

from masthead.store.addresses.in_force import must_wait
from masthead.store.dispatch.candidates import IS_CLAIMED_COPY_SENT
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all


class OpenClaims(Struct, frozen=True):
    """The open claims of an issue, in three parts.

    count: a run takes them. on_hold: they wait, because their subscription is held, or its address
    is undeliverable. unsent: the copy itself is not sent yet, so it goes out instead.
    """

    issue_id: str
    issue_number: int
    count: int = 0
    on_hold: int = 0
    unsent: int = 0


async def count_open(db: Connection, account_id: int) -> list[OpenClaims]:
    """The open claims by issue, highest number first. Queries: one. Index: claim_by_status."""
    return await fetch_all(
        db,
        f"""
        SELECT
            i.id AS issue_id,
            t.issue_number,
            count(*) FILTER (WHERE t.is_sent AND NOT t.waits) AS count,
            count(*) FILTER (WHERE t.is_sent AND t.waits) AS on_hold,
            count(*) FILTER (WHERE NOT t.is_sent) AS unsent
        FROM (
            SELECT
                k.issue_number,
                {IS_CLAIMED_COPY_SENT} AS is_sent,
                {must_wait("k.subscription_id", "k.issue_number")} AS waits
            FROM claim k
            WHERE k.account_id = :account_id AND k.status = 'open'
        ) AS t
        JOIN issue i ON i.account_id = :account_id AND i.number = t.issue_number
        GROUP BY i.id, t.issue_number
        ORDER BY t.issue_number DESC
        """,  # noqa: S608 - the conditions are constants
        {"account_id": account_id},
        into=OpenClaims,
    )


async def list_open_issues(
    db: Connection, account_id: int, subscription_ids: Collection[str]
) -> dict[str, list[int]]:
    """The issues of the open claims of some subscriptions, whose copies were sent.

    Queries: one. Index: claim_by_copy.
    """
    rows = await db.fetch_all(
        f"""
        SELECT k.subscription_id, k.issue_number
        FROM claim k
        WHERE k.account_id = :account_id
          AND k.copy_id IN (
              SELECT c.id
              FROM copy c
              WHERE c.account_id = :account_id
                AND c.subscription_id IN (:ids...)
          )
          AND k.status = 'open'
          AND {IS_CLAIMED_COPY_SENT}
        ORDER BY k.issue_number
        """,  # noqa: S608 - the condition is a constant
        {"account_id": account_id, "ids": list(subscription_ids)},
    )
    found = defaultdict[str, list[int]](list)
    for row in rows:
        found[row["subscription_id"]].append(row["issue_number"])
    return found


async def list_waiting(db: Connection, account_id: int, ids: Collection[str]) -> set[str]:
    """Those of some open claims whose replacement waits. Queries: one, or none without ids."""
    if not ids:
        return set()
    rows = await db.fetch_all(
        f"""
        SELECT k.id
        FROM claim k
        WHERE k.account_id = :account_id
          AND k.id IN (:ids...)
          AND {must_wait("k.subscription_id", "k.issue_number")}
        """,  # noqa: S608 - the condition is a constant
        {"account_id": account_id, "ids": list(ids)},
    )
    return {row["id"] for row in rows}


async def list_by_issue(
    db: Connection, account_id: int, ids: Collection[str]
) -> dict[str, list[str]]:
    """Those of some claims that are open, by the id of their issue, first issue first.

    Queries: one, or none without ids.
    """
    if not ids:
        return {}
    rows = await db.fetch_all(
        """
        SELECT i.id AS issue_id, k.id
        FROM claim k
        JOIN issue i ON i.account_id = k.account_id AND i.number = k.issue_number
        WHERE k.account_id = :account_id AND k.id IN (:ids...) AND k.status = 'open'
        ORDER BY k.issue_number, k.id
        """,
        {"account_id": account_id, "ids": list(ids)},
    )
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["issue_id"], []).append(row["id"])
    return found
