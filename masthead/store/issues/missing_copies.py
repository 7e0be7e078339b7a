"""Create the missing copies of an issue, one for each subscription that covers it."""

from masthead.store.dispatch.grace_copies import adopt_grace, insert_numbered
from masthead.store.engine.interface import Connection, Ids, Transaction

# The copies that are missing: of the period `p` of the subscription `s`, and the issue `i`. Periods
# of issues include them by number, those of memberships by release date
MISSING = """FROM period p
    JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id
    JOIN issue i
        ON i.account_id = p.account_id
        AND (
            i.number BETWEEN p.first_issue AND p.last_issue
            OR i.release_date_actual BETWEEN p.period_start AND p.period_end
        )
    WHERE p.account_id = :account_id
      AND NOT EXISTS (
          SELECT 1
          FROM copy c
          WHERE c.account_id = :account_id
            AND c.subscription_id = p.subscription_id
            AND c.issue_number = i.number
      )
      AND NOT EXISTS (
          SELECT 1
          FROM skipped_issue k
          WHERE k.account_id = :account_id
            AND k.subscription_id = p.subscription_id
            AND k.issue_number = i.number
      )"""

_INSERT_MISSING = f"""
    INSERT INTO copy (
        account_id,
        id,
        subscription_id,
        period_id,
        subscriber_id,
        issue_id,
        issue_number,
        status,
        country
    )
    SELECT
        p.account_id,
        CAST(:last_id AS bigint) + row_number() OVER (ORDER BY p.subscription_id, i.number),
        p.subscription_id,
        p.id,
        s.subscriber_id,
        i.id,
        i.number,
        'Not sent',
        s.country
    {MISSING}
      AND s.status <> 'Cancelled'
"""


async def insert_missing_copies(tx: Transaction, account_id: int, issue_id: str) -> int:
    """Add the missing copies of an issue; returns how many. Queries: three."""
    return await insert_numbered(
        tx, account_id, _INSERT_MISSING + "AND i.id = :issue", {"issue": issue_id}
    )


async def insert_missing_of_subscription(tx: Transaction, account_id: int, id: str) -> int:
    """Add the missing copies of a subscription; returns how many. Queries: four at most.

    A copy of an issue that went out as a grace copy is that copy from now on.
    """
    added = await insert_numbered(
        tx,
        account_id,
        _INSERT_MISSING + "AND p.subscription_id = :subscription",
        {"subscription": id},
    )
    if added:
        await adopt_grace(tx, account_id, [id])
    return added


async def find_memberships_with_issue(db: Connection, account_id: int, issue_id: str) -> Ids:
    """The memberships that have a copy of an issue, as one JSON text. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT json_group_array(c.subscription_id) AS ids
        FROM issue i
        JOIN copy c ON c.account_id = i.account_id AND c.issue_number = i.number
        JOIN subscription s ON s.account_id = c.account_id AND s.id = c.subscription_id
        WHERE i.account_id = :account_id AND i.id = :issue AND s.type = 'membership'
        """,
        {"account_id": account_id, "issue": issue_id},
    )
    return str(row["ids"]) if row and row["ids"] else []


async def update_membership_lengths(
    tx: Transaction, account_id: int, subscription_ids: Ids
) -> None:
    """Set the total length of memberships to the number of their copies. Queries: one."""
    await tx.execute(
        """
        UPDATE subscription
        SET total_length = (
            SELECT count(*)
            FROM copy c
            WHERE c.account_id = :account_id AND c.subscription_id = subscription.id
        )
        WHERE account_id = :account_id AND type = 'membership' AND id IN (:ids...)
        """,
        {"account_id": account_id, "ids": subscription_ids},
    )
