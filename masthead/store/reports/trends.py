"""The trend: active subscriptions and subscribers at the end of past months, and today.

Several copies for one address are one subscription. Those of a group ended together, so that the
oldest stands for all.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, tzinfo
from functools import cache

from masthead.model.audit_entries import EntryType
from masthead.model.clock import end_of, now
from masthead.model.reports.trends import TrendPoint
from masthead.model.subscriptions.lifecycle import LIVE
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.subscriptions.bundles import FIRST_OF_GROUP, GROUP_KEY


@cache
def _count_active(days: int) -> str:
    """Counts active subscriptions and their subscribers at the end of each of several days.

    is_live: whether the subscription is active today. until: the last day on which a membership was
    active. ended: the first day on which a subscription was not active any more. cancelled_at: the
    moment of its cancellation. MATERIALIZED: SQLite would look all that up again for each day.
    `p.id > 0` keeps it from reading the periods of the account by `order_date` for each row.
    """
    counts = ", ".join(
        f"""
        count(*) FILTER (
            WHERE began <= :day{day}
              AND (is_live OR cancelled_at >= :end{day} OR ended > :day{day} OR until >= :day{day})
        ) AS n{day}
        """
        for day in range(days)
    )
    sums = ", ".join(
        f"""
        coalesce(sum(n{day}), 0) AS subscriptions{day},
        count(*) FILTER (WHERE n{day} > 0) AS subscribers{day}
        """
        for day in range(days)
    )
    return f"""
        WITH activity AS MATERIALIZED (
            SELECT
                s.subscriber_id,
                s.is_live,
                s.cancelled_at,
                (
                    SELECT min(p.order_date)
                    FROM period p
                    WHERE p.account_id = :account_id AND p.subscription_id = s.id AND p.id > 0
                ) AS began,
                CASE
                    WHEN s.is_ended_membership THEN (
                        SELECT p.period_end
                        FROM period p
                        WHERE p.account_id = :account_id AND p.subscription_id = s.id
                        ORDER BY p.id DESC
                        LIMIT 1
                    )
                END AS until,
                CASE
                    WHEN s.is_live OR s.is_ended_membership OR s.cancelled_at IS NOT NULL THEN NULL
                    ELSE coalesce(
                        (
                            SELECT max(c.date_sent)
                            FROM copy c
                            WHERE c.account_id = :account_id AND c.subscription_id = s.id
                        ),
                        CASE
                            WHEN s.status = 'Complete' THEN (
                                SELECT i.release_date_actual
                                FROM issue i
                                WHERE i.account_id = :account_id AND i.number = s.last_issue
                            )
                        END,
                        (
                            SELECT max(p.order_date)
                            FROM period p
                            WHERE p.account_id = :account_id
                              AND p.subscription_id = s.id
                              AND p.id > 0
                        )
                    )
                END AS ended
            FROM (
                SELECT
                    o.*,
                    o.status IN (:live...) AS is_live,
                    o.status = 'Complete' AND o.type = 'membership' AS is_ended_membership,
                    CASE
                        WHEN o.status = 'Cancelled' THEN (
                            SELECT min(a.happened_at)
                            FROM audit a
                            WHERE a.account_id = :account_id
                              AND a.subject_type = 'subscription'
                              AND a.subject_id = o.id
                              AND a.action = :cancel
                        )
                    END AS cancelled_at
                FROM subscription o
                WHERE o.account_id = :account_id
            ) AS s
            WHERE {FIRST_OF_GROUP}
        )
        SELECT {sums}
        FROM (
            SELECT {counts}
            FROM activity
            GROUP BY subscriber_id
        ) AS subscribers
        """  # noqa: S608 - a count for each day


async def count_active(
    db: Connection, account_id: int, days: Sequence[date], zone: tzinfo
) -> list[TrendPoint]:
    """Count active records at the end of each day; read aside. Queries: one, of a second or two."""
    parameters: dict[str, object] = {
        "account_id": account_id,
        "live": sorted(LIVE),
        "cancel": EntryType.SUBSCRIPTION_CANCEL,
    }
    for place, day in enumerate(days):
        parameters[f"day{place}"] = day
        parameters[f"end{place}"] = end_of(day, zone)
    row = await db.fetch_one(_count_active(len(days)), parameters)
    assert row is not None
    return [
        TrendPoint(day, int(row[f"subscriptions{place}"]), row[f"subscribers{place}"])
        for place, day in enumerate(days)
    ]


async def list_due(db: Connection, *, settled: datetime) -> list[int]:
    """The accounts whose trend must be counted again, such as on a new day.

    settled: an older trend is outdated if the account was written to after it.
    """
    rows = await db.fetch_all(
        """
        SELECT account_id
        FROM account_state
        WHERE trend_date IS NULL
           OR trend_date <> daily_date
           OR (trend_at < :settled AND trend_writes <> writes)
        ORDER BY account_id
        """,
        {"settled": settled},
    )
    return [row["account_id"] for row in rows]


async def replace_trend(
    tx: Transaction, account_id: int, points: Sequence[TrendPoint], *, writes: int, day: date
) -> None:
    """Store a trend. writes, day: those of the account when it was counted. Queries: three."""
    await tx.execute(
        """
        UPDATE account_state
        SET trend_writes = :writes, trend_date = :day, trend_at = :moment
        WHERE account_id = :account_id
        """,
        {"account_id": account_id, "writes": writes, "day": day, "moment": now()},
    )
    await tx.execute("DELETE FROM trend WHERE account_id = :account_id", {"account_id": account_id})
    await tx.insert_rows(
        "trend",
        [
            {
                "account_id": account_id,
                "trend_date": point.trend_date,
                "active_subscriptions": point.active_subscriptions,
                "active_subscribers": point.active_subscribers,
            }
            for point in points
        ],
    )


async def list_trend(db: Connection, account_id: int) -> list[TrendPoint]:
    """The stored trend, a point for each month, oldest first. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT trend_date, active_subscriptions, active_subscribers
        FROM trend
        WHERE account_id = :account_id
        ORDER BY trend_date
        """,
        {"account_id": account_id},
    )
    return [TrendPoint(**row) for row in rows]


# To group all rows takes longer. Of several copies for one address, all but one are taken away
_EACH_STATUS = " UNION ALL ".join(
    f"""
            SELECT '{status}' AS status, count(*) AS count
            FROM subscription
            WHERE account_id = :account_id AND status = '{status}'
    """  # noqa: S608 - names of statuses
    for status in sorted(LIVE)
)
_COUNT_LIVE = f"""
        SELECT status, CAST(sum(count) AS bigint) AS count
        FROM (
            {_EACH_STATUS}
            UNION ALL
            SELECT s.status, 1 - count(*) AS count
            FROM subscription s
            WHERE s.account_id = :account_id AND s.bundle_id IS NOT NULL
            GROUP BY {GROUP_KEY}
        ) AS counted
        GROUP BY status
"""  # noqa: S608 - names of columns


async def count_live(db: Connection, account_id: int) -> dict[str, int]:
    """The number of subscriptions by status of `lifecycle.LIVE`; read aside.

    Queries: one. Index: subscription_by_status, which a list parameter would not use, and
    subscription_by_bundle.
    """
    rows = await db.fetch_all(_COUNT_LIVE, {"account_id": account_id})
    return {row["status"]: row["count"] for row in rows if row["status"] in LIVE}


async def count_active_subscribers(db: Connection, account_id: int) -> int:
    """The number of subscribers with an active subscription. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT count(*) AS count
        FROM subscriber
        WHERE account_id = :account_id AND has_active_subscription = true
        """,
        {"account_id": account_id},
    )
    assert row is not None
    return int(row["count"])


def today_of(live: Mapping[str, int], subscribers: int, day: date) -> TrendPoint:
    """The last point of the trend, counted for the page. live: from `count_live`."""
    return TrendPoint(day, sum(live.values()), subscribers)
