"""Subscriptions that reached a stage of their renewal, and whether they were renewed.

`model.reports.lapsed` defines the stages. Indexes: subscription_by_last, period_by_end,
subscription_by_subscriber, period_by_subscription.
"""

from collections.abc import Collection
from datetime import date

from masthead.model.reports.lapsed import (
    Candidate,
    RenewalStage,
    last_days_at,
    last_issue_at,
)
from masthead.model.types.enums import Medium, SubscriptionType
from masthead.store.engine.interface import Connection, Row

# `s` has no newer subscription of the same reader; `p` is its last period. A newer one may begin
# before this one ends, because a new order begins with the current issue. Subscriptions that were
# ordered together begin and end together, so none of them renews another. One of the other type
# counts while it is live
NOT_RENEWED = """NOT EXISTS (
          SELECT 1
          FROM subscription newer
          WHERE newer.account_id = s.account_id
            AND newer.subscriber_id = s.subscriber_id
            AND newer.status NOT IN ('Cancelled')
            AND (
                (newer.start_issue > s.start_issue AND newer.last_issue > s.last_issue)
                OR (
                    newer.type <> s.type
                    AND newer.id > s.id
                    AND newer.status NOT IN ('Complete')
                )
                OR (
                    s.last_issue IS NULL
                    AND EXISTS (
                        SELECT 1
                        FROM period q
                        WHERE q.account_id = newer.account_id
                          AND q.subscription_id = newer.id
                          AND newer.id <> s.id
                          AND q.period_start > p.period_start
                          AND q.period_end > p.period_end
                    )
                )
            )
      )"""
# A renewal begins after the period before it, so the last period has the highest id
_IS_LAST_PERIOD = """p.id = (
          SELECT q.id
          FROM period q
          WHERE q.account_id = p.account_id AND q.subscription_id = p.subscription_id
          ORDER BY q.id DESC
          LIMIT 1
      )"""
# What is cancelled, free, or renews by itself needs no letter
_NEEDS_RENEWAL = """s.status NOT IN ('Cancelled')
      AND s.is_comp = false
      AND NOT (s.status IN ('Active') AND s.is_recurring = true)"""

_SELECT = """
    SELECT
        p.id AS period_id,
        s.id AS subscription_id,
        s.subscriber_id,
        s.type,
        u.email,
        u.is_placeholder,
        u.unsubscribed_at,
        u.bounced_at,
        u.first_name AS subscriber_first_name,
        u.last_name AS subscriber_last_name,
        u.company AS subscriber_company,
        s.first_name,
        s.last_name,
        s.company,
        s.address1,
        s.address2,
        s.city,
        s.state,
        s.postcode,
        s.country,
        s.medium,
        s.product_id,
        s.source_id,
        s.is_gift,
        s.gifter_id,
        s.gifter_name,
        s.gifter_email,
        s.last_issue,
        p.period_end,
        p.length,
        p.interval_months,
        p.price,
        p.currency
"""
# CROSS JOIN keeps SQLite in the order of the index
_FIND = f"""
    {_SELECT}
    FROM subscription s
    CROSS JOIN period p
    CROSS JOIN subscriber u
    WHERE s.account_id = :account_id
      AND s.last_issue = :last_issue
      AND {_NEEDS_RENEWAL}
      AND p.account_id = s.account_id
      AND p.subscription_id = s.id
      AND {_IS_LAST_PERIOD}
      AND u.account_id = s.account_id
      AND u.id = s.subscriber_id
      AND {NOT_RENEWED}
    UNION ALL
    {_SELECT}
    FROM period p
    CROSS JOIN subscription s
    CROSS JOIN subscriber u
    WHERE p.account_id = :account_id
      AND p.period_end BETWEEN :first AND :last
      AND s.account_id = p.account_id
      AND s.id = p.subscription_id
      AND {_NEEDS_RENEWAL}
      AND {_IS_LAST_PERIOD}
      AND u.account_id = s.account_id
      AND u.id = s.subscriber_id
      AND {NOT_RENEWED}
"""
_FIND_OPEN = f"""
    SELECT p.id
    FROM period p
    CROSS JOIN subscription s
    WHERE p.account_id = :account_id
      AND p.id IN (:ids... AS bigint)
      AND s.account_id = p.account_id
      AND s.id = p.subscription_id
      AND {_NEEDS_RENEWAL}
      AND {_IS_LAST_PERIOD}
      AND {NOT_RENEWED}
"""  # noqa: S608 - the constants above


async def find_candidates(
    db: Connection, account_id: int, stage: RenewalStage, *, issue_number: int, today: date
) -> list[Candidate]:
    """The subscriptions and memberships that reached a stage and were not renewed, oldest first.

    Left out: what is cancelled or free, and what renews automatically and is not past due.
    issue_number: of the current issue. Queries: one, read aside.
    """
    days = last_days_at(stage, today)
    rows = await db.fetch_all(
        _FIND,
        {
            "account_id": account_id,
            "last_issue": last_issue_at(stage, issue_number),
            "first": days.first,
            "last": days.last,
        },
    )
    return sorted(map(_candidate_from_row, rows), key=lambda each: each.period_id)


async def find_open(db: Connection, account_id: int, period_ids: Collection[int]) -> set[int]:
    """Which of these periods still need to be renewed, as for `find_candidates`. Queries: one."""
    rows = await db.fetch_all(_FIND_OPEN, {"account_id": account_id, "ids": list(period_ids)})
    return {row["id"] for row in rows}


def _candidate_from_row(row: Row) -> Candidate:
    columns = {name: row[name] for name in row if name not in ("unsubscribed_at", "bounced_at")}
    return Candidate(
        **columns
        | {
            "type": SubscriptionType(row["type"]),
            "medium": Medium(row["medium"]),
            "is_unsubscribed": row["unsubscribed_at"] is not None,
            "has_bounced": row["bounced_at"] is not None,
        }
    )
