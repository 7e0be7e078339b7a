"""Active subscriptions and subscribers at the end of past months, and today."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta

from masthead.model.audit_events import EventType
from masthead.model.clock import now
from masthead.model.lifecycle import LIVE
from masthead.model.reports.trends import TrendPoint
from masthead.store.engine.interface import Connection, Transaction

_OF_PERIODS = " FROM period p WHERE p.account_id = s.account_id AND p.subscription_id = s.id)"
_LIVE = ", ".join(f"'{status}'" for status in sorted(LIVE))  # in words, for the index
_LAST_SENT = (
    "(SELECT max(c.date_sent) FROM copy c"
    " WHERE c.account_id = s.account_id AND c.subscription_id = s.id)"
)
_LAST_RELEASED = (
    "(SELECT i.release_date_actual FROM issue i"
    " WHERE i.account_id = s.account_id AND i.number = s.last_issue)"
)
# ended: the first day on which it was not active any more; until: the last one on which it was;
# over_at: the moment of its cancellation
_SPANS = (
    "SELECT s.subscriber_id, s.is_live, s.over_at,"  # noqa: S608 - the constant texts here
    f" (SELECT min(p.order_date){_OF_PERIODS} AS began,"
    " CASE WHEN s.is_member THEN (SELECT p.period_end FROM period p"
    " WHERE p.account_id = s.account_id AND p.subscription_id = s.id"
    " ORDER BY p.id DESC LIMIT 1) END AS until,"
    " CASE WHEN s.is_live OR s.is_member OR s.over_at IS NOT NULL THEN NULL"
    f" ELSE coalesce({_LAST_SENT},"
    f" CASE WHEN s.status = 'Complete' THEN {_LAST_RELEASED} END,"
    f" (SELECT max(p.order_date){_OF_PERIODS}) END AS ended"
    " FROM (SELECT o.*, o.status IN (:live...) AS is_live,"
    " o.status = 'Complete' AND o.type = 'membership' AS is_member,"
    " CASE WHEN o.status = 'Cancelled' THEN (SELECT min(a.happened_at) FROM audit a"
    " WHERE a.account_id = o.account_id AND a.subject_type = 'subscription'"
    " AND a.subject_id = o.id AND a.action = :cancel) END AS over_at"
    " FROM subscription o WHERE o.account_id = :account_id) AS s"
)


def _active(day: int) -> str:
    return (
        f"began <= :day{day} AND (is_live OR over_at >= :end{day} OR ended > :day{day}"
        f" OR until >= :day{day})"
    )


def _statement(days: int) -> str:
    """Counts each subscription once for each day, by subscriber, and then the subscribers."""
    counts = ", ".join(f"count(*) FILTER (WHERE {_active(day)}) AS n{day}" for day in range(days))
    sums = ", ".join(
        f"coalesce(sum(n{day}), 0) AS subscriptions{day},"
        f" count(*) FILTER (WHERE n{day} > 0) AS subscribers{day}"
        for day in range(days)
    )
    return (
        # or SQLite would look everything up again for every day
        f"WITH spans AS MATERIALIZED ({_SPANS})"  # noqa: S608 - our own texts
        f" SELECT {sums} FROM (SELECT {counts} FROM spans GROUP BY subscriber_id) AS readers"
    )


async def count_active(db: Connection, account_id: int, days: Sequence[date]) -> list[TrendPoint]:
    """What was active at the end of each day; read aside. Queries: one, for a second or two."""
    parameters: dict[str, object] = {
        "account_id": account_id,
        "live": sorted(LIVE),
        "cancel": EventType.SUBSCRIPTION_CANCEL,
    }
    for place, day in enumerate(days):
        parameters[f"day{place}"] = day
        parameters[f"end{place}"] = datetime.combine(day + timedelta(days=1), time(), UTC)
    row = await db.fetch_one(_statement(len(days)), parameters)
    assert row is not None
    return [
        TrendPoint(day, int(row[f"subscriptions{place}"]), row[f"subscribers{place}"])
        for place, day in enumerate(days)
    ]


async def list_due(db: Connection, *, since: datetime, settled: datetime) -> list[int]:
    """The accounts whose trend is to be worked out.

    since: those worked out before are due. settled: those worked out before that are, if anything
    was written after.
    """
    rows = await db.fetch_all(
        "SELECT account_id FROM account_state WHERE trend_at IS NULL OR trend_at < :since"
        " OR (trend_at < :settled AND trend_writes <> writes) ORDER BY account_id",
        {"since": since, "settled": settled},
    )
    return [row["account_id"] for row in rows]


async def replace_trend(
    tx: Transaction, account_id: int, points: Sequence[TrendPoint], *, writes: int
) -> None:
    """Keep what was worked out. writes: of the account, when it was read. Queries: three."""
    await tx.execute(
        "UPDATE account_state SET trend_writes = :writes, trend_at = :moment"
        " WHERE account_id = :account_id",
        {"account_id": account_id, "writes": writes, "moment": now()},
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
    """The months that were worked out, oldest first. Queries: one."""
    rows = await db.fetch_all(
        "SELECT trend_date, active_subscriptions, active_subscribers FROM trend"
        " WHERE account_id = :account_id ORDER BY trend_date",
        {"account_id": account_id},
    )
    return [TrendPoint(**row) for row in rows]


async def count_live(db: Connection, account_id: int) -> dict[str, int]:
    """How many subscriptions are in each state that is not over; read aside.

    Queries: one. Index: subscription_by_status.
    """
    rows = await db.fetch_all(
        "SELECT status, count(*) AS count FROM subscription"  # noqa: S608 - the constant text above
        f" WHERE account_id = :account_id AND status IN ({_LIVE}) GROUP BY status",
        {"account_id": account_id},
    )
    return {row["status"]: row["count"] for row in rows}


async def count_active_subscribers(db: Connection, account_id: int) -> int:
    """How many subscribers have an active subscription. Queries: one."""
    row = await db.fetch_one(
        "SELECT count(*) AS count FROM subscriber"
        " WHERE account_id = :account_id AND has_active_subscription = true",
        {"account_id": account_id},
    )
    assert row is not None
    return int(row["count"])


def today_of(live: Mapping[str, int], subscribers: int, day: date) -> TrendPoint:
    """The last point of the trend, counted as the page is asked for. live: see `count_live`."""
    return TrendPoint(day, sum(live.values()), subscribers)
