"""Copies that wait: their address is undeliverable, or their subscription is held."""

from collections.abc import Collection

from masthead.store.addresses.in_force import is_held, must_wait
from masthead.store.copies import IS_FREE
from masthead.store.engine.interface import Connection

Counts = dict[int, int]  # by issue number


async def count_waiting(
    db: Connection, account_id: int, numbers: Collection[int]
) -> tuple[Counts, Counts]:
    """The unsent copies that no run holds and that wait; those of them in held subscriptions.

    numbers: one at least. Queries: one; takes 5 µs for each. CROSS JOIN begins with the few
    reasons. BETWEEN reads the copies of a subscription at once; other numbers are left out later.
    """
    rows = await db.fetch_all(
        f"""
        SELECT
            c.issue_number,
            count(*) AS count,
            sum(CASE WHEN {is_held("c.subscription_id")} THEN 1 ELSE 0 END) AS of_held
        FROM (
            SELECT reported.subscription_id
            FROM delivery_report reported
            WHERE reported.account_id = :account_id
              AND (reported.status, reported.kind) = ('open', 'undeliverable')
            UNION
            SELECT held.subscription_id
            FROM subscription_hold held
            WHERE held.account_id = :account_id AND held.ended_at IS NULL
        ) AS t
        CROSS JOIN copy c
        WHERE c.account_id = :account_id
          AND c.subscription_id = t.subscription_id
          AND c.issue_number BETWEEN :first AND :last
          AND ({IS_FREE}) IS TRUE
          AND {must_wait("c.subscription_id", "c.issue_number")}
        GROUP BY c.issue_number
        """,  # noqa: S608 - the conditions are constants
        {
            "account_id": account_id,
            "first": min(numbers),
            "last": max(numbers),
        },
    )
    wanted = [row for row in rows if row["issue_number"] in numbers]
    return (
        {row["issue_number"]: row["count"] for row in wanted},
        {row["issue_number"]: int(row["of_held"]) for row in wanted},
    )
