"""Update the statuses of periods and subscriptions that follow from a change.

Each statement updates many rows. Their CASE expressions repeat the rules of `model.lifecycle`; a
test compares the two. decision 0020.
"""

from datetime import date

from masthead.model.actors import Actor
from masthead.model.audit_events import EventType
from masthead.store.audit.trail import record_rows
from masthead.store.engine.interface import Connection, Ids, Row, Transaction

# CASE is `is_period_complete`, the cheapest condition first. Not "= 'Not sent'", for which SQLite
# would read all copies with that status
FIND_CHANGED_PERIODS = """
    SELECT
        count(*) AS count,
        json_group_array(p.id) AS periods,
        json_group_array(p.subscription_id) AS subscriptions
    FROM period p
    WHERE p.account_id = :account_id
      AND p.subscription_id IN (:ids...)
      AND p.is_complete <> CASE
          WHEN p.period_end IS NOT NULL THEN p.period_end < :day
          WHEN EXISTS (
              SELECT 1
              FROM copy c
              WHERE c.account_id = p.account_id
                AND c.subscription_id = p.subscription_id
                AND c.period_id = p.id
                AND c.status NOT IN ('Sent', 'Cancelled')
          ) THEN false
          ELSE p.length = (
              SELECT count(*)
              FROM issue i
              WHERE i.account_id = p.account_id
                AND i.number BETWEEN p.first_issue AND p.last_issue
          )
      END
"""

# CASE is `derive_status` for a subscription whose periods are all complete
FIND_SETTLED = """
    SELECT
        count(*) AS count,
        json_group_array(s.id) AS subscriptions,
        json_group_array(s.subscriber_id) AS subscribers
    FROM subscription s
    WHERE s.account_id = :account_id
      AND s.id IN (:ids...)
      AND s.status <> CASE
          WHEN s.status IN ('Cancelled', 'Complete') THEN s.status
          WHEN NOT s.is_recurring OR s.status = 'Active - Renewals stopped' THEN 'Complete'
          WHEN s.type = 'membership' THEN 'Past due'
          ELSE s.status
      END
      AND NOT EXISTS (
          SELECT 1
          FROM period p
          WHERE p.account_id = s.account_id AND p.subscription_id = s.id AND NOT p.is_complete
      )
"""
SETTLED_ENTRIES = """
    SELECT
        s.id,
        '{"status":"' || s.status || '"}' AS before,
        '{"status":"' || CASE
            WHEN s.status IN ('Cancelled', 'Complete') THEN s.status
            WHEN NOT s.is_recurring OR s.status = 'Active - Renewals stopped' THEN 'Complete'
            WHEN s.type = 'membership' THEN 'Past due'
            ELSE s.status
        END || '"}' AS after
    FROM subscription s
    WHERE s.account_id = :account_id AND s.id IN (:ids...)
"""
SETTLE = """
    UPDATE subscription AS s
    SET status = CASE
        WHEN s.status IN ('Cancelled', 'Complete') THEN s.status
        WHEN NOT s.is_recurring OR s.status = 'Active - Renewals stopped' THEN 'Complete'
        WHEN s.type = 'membership' THEN 'Past due'
        ELSE s.status
    END
    WHERE s.account_id = :account_id AND s.id IN (:ids...)
"""

# CASE is `status_before_completion`
FIND_REOPENED = """
    SELECT
        count(*) AS count,
        json_group_array(s.id) AS subscriptions,
        json_group_array(s.subscriber_id) AS subscribers
    FROM subscription s
    WHERE s.account_id = :account_id
      AND s.id IN (:ids...)
      AND s.status <> CASE
          WHEN s.status = 'Complete' AND s.is_recurring THEN 'Active - Renewals stopped'
          WHEN s.status IN ('Complete', 'Past due') THEN 'Active'
          ELSE s.status
      END
"""
REOPENED_ENTRIES = """
    SELECT
        s.id,
        '{"status":"' || s.status || '"}' AS before,
        '{"status":"' || CASE
            WHEN s.status = 'Complete' AND s.is_recurring THEN 'Active - Renewals stopped'
            WHEN s.status IN ('Complete', 'Past due') THEN 'Active'
            ELSE s.status
        END || '"}' AS after
    FROM subscription s
    WHERE s.account_id = :account_id AND s.id IN (:ids...)
"""
REOPEN = """
    UPDATE subscription AS s
    SET status = CASE
        WHEN s.status = 'Complete' AND s.is_recurring THEN 'Active - Renewals stopped'
        WHEN s.status IN ('Complete', 'Past due') THEN 'Active'
        ELSE s.status
    END
    WHERE s.account_id = :account_id AND s.id IN (:ids...)
"""


async def find_changed_periods(
    db: Connection, account_id: int, ids: Ids, *, day: date
) -> Row | None:
    """The periods of subscriptions whose `is_complete` is out of date. Queries: one.

    `periods` and `subscriptions`: their ids, as JSON; None if there are none.
    """
    row = await db.fetch_one(
        FIND_CHANGED_PERIODS, {"account_id": account_id, "ids": ids, "day": day}
    )
    return row if row and row["count"] else None


async def update_period_completion(tx: Transaction, account_id: int, changed: Row) -> None:
    """Invert `is_complete` of the periods from `find_changed_periods`. Queries: one."""
    await tx.execute(
        """
        UPDATE period
        SET is_complete = NOT is_complete
        WHERE account_id = :account_id AND id IN (:periods... AS bigint)
        """,
        {"account_id": account_id, "periods": changed["periods"]},
    )


async def find_settled(db: Connection, account_id: int, ids: Ids) -> Row | None:
    """The given subscriptions whose status changes because all their periods are complete.

    `subscriptions` and `subscribers`: their ids, as JSON; None if there are none. Queries: one.
    """
    row = await db.fetch_one(FIND_SETTLED, {"account_id": account_id, "ids": ids})
    return row if row and row["count"] else None


async def settle_subscriptions(tx: Transaction, account_id: int, found: Row, *, by: Actor) -> None:
    """Update and record the status of the subscriptions from `find_settled`. Queries: three."""
    parameters = {"account_id": account_id, "ids": found["subscriptions"]}
    await record_rows(
        tx, account_id, by, EventType.SUBSCRIPTION_UPDATE_STATUS, SETTLED_ENTRIES, parameters
    )
    await tx.execute(SETTLE, parameters)


async def find_reopened(db: Connection, account_id: int, ids: Ids) -> Row | None:
    """The given memberships whose status says that they ended, although they have not.

    `count`, and `subscriptions` and `subscribers`: their ids, as JSON; None if there are none.
    """
    row = await db.fetch_one(FIND_REOPENED, {"account_id": account_id, "ids": ids})
    return row if row and row["count"] else None


async def reopen_subscriptions(tx: Transaction, account_id: int, found: Row, *, by: Actor) -> None:
    """Restore and record the status of the memberships from `find_reopened`. Queries: three."""
    parameters = {"account_id": account_id, "ids": found["subscriptions"]}
    await record_rows(
        tx, account_id, by, EventType.SUBSCRIPTION_REOPEN, REOPENED_ENTRIES, parameters
    )
    await tx.execute(REOPEN, parameters)
