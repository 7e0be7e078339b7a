"""The recurring subscriptions that are to be renewed by direct debit."""

from collections.abc import Collection
from datetime import date

from msgspec import Struct

from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all


class DueRenewal(Struct, frozen=True, kw_only=True):
    """A subscription whose charge date has come. bundle_id: of those that belong together."""

    id: str
    bundle_id: str | None


async def list_due(
    db: Connection, account_id: int, day: date, *, ids: Collection[str] = ()
) -> list[DueRenewal]:
    """The subscriptions whose last order was collected, and whose charge date is up to a day.

    That is the one of the issue after their last one, or the day after the last period of a
    membership. ids: only these; empty for all. Queries: one. Indexes: subscription_by_last,
    subscription_by_type; for some ids, the primary key.
    """
    only = "AND s.id IN (:ids...)" if ids else ""
    return await fetch_all(
        db,
        f"""
        SELECT c.id, c.bundle_id
        FROM (
            SELECT s.id, s.bundle_id
            FROM issue n
            CROSS JOIN subscription s
            WHERE n.account_id = :account_id
              AND s.account_id = :account_id
              AND s.last_issue = n.number - 1
              AND n.recurring_charge_date <= :day
              AND s.is_recurring
              AND (s.status IN ('Active', 'Past due')) IS TRUE
              {only}
            UNION ALL
            SELECT s.id, s.bundle_id
            FROM subscription s
            WHERE s.account_id = :account_id
              AND s.type = 'membership'
              AND s.status IN ('Active', 'Past due')
              AND s.is_recurring
              {only}
              AND (
                  SELECT p.period_end
                  FROM period p
                  WHERE p.account_id = :account_id AND p.subscription_id = s.id
                  ORDER BY p.id DESC
                  LIMIT 1
              ) < :day
        ) AS c
        WHERE (
            SELECT b.is_debited
            FROM period p
            LEFT JOIN billed_order b ON b.account_id = p.account_id AND b.period_id = p.id
            WHERE p.account_id = :account_id AND p.subscription_id = c.id
            ORDER BY p.id DESC
            LIMIT 1
        ) IS TRUE
        ORDER BY c.id
        """,  # noqa: S608 - a constant
        {"account_id": account_id, "day": day, **({"ids": list(ids)} if ids else {})},
        into=DueRenewal,
    )
