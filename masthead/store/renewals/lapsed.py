"""Subscriptions that reached a stage of their renewal, and whether they were renewed.

`model.renewals.lapsed` defines the stages. Indexes: subscription_by_last, period_by_end,
subscription_by_subscriber, period_by_subscription.
"""

from collections.abc import Collection

from masthead.model.renewals.lapsed import Ends
from masthead.store.addresses.in_force import OWN_COLUMNS
from masthead.store.engine.interface import Connection
from masthead.store.subscriptions.bundles import (
    COPIES_OF_GROUP,
    FIRST_OF_GROUP,
    ORDERS_OF_GROUP,
    SUM_OF_GROUP,
)

# Whether `newer`, of the same subscriber, renews `s`, a number of issues. It may begin before this
# one ends, because a new order begins with the current issue. IS TRUE keeps SQLite, where it has no
# statistics yet, from reading all that begins or ends later
IS_NEWER = """(
                    (newer.start_issue > s.start_issue AND newer.last_issue > s.last_issue)
                    OR (
                        newer.last_issue IS NULL
                        AND newer.id > s.id
                        AND newer.status NOT IN ('Complete')
                    )
                ) IS TRUE"""
# `s` has no such subscription. Those that were ordered together begin and end together, so none of
# them renews another. But if one of them has an order that goes on beyond this end, the number of
# copies was lowered: nothing is to be renewed. The type, which is never empty, keeps SQLite, where
# it has no statistics yet, from reading all of `subscription_by_last`, which has the other columns
NO_NEWER_THAN_ISSUES = f"""NOT EXISTS (
              SELECT 1
              FROM subscription newer
              WHERE newer.account_id = :account_id
                AND newer.subscriber_id = s.subscriber_id
                AND newer.status NOT IN ('Cancelled')
                AND {IS_NEWER}
          )
          AND (
              s.bundle_id IS NULL
              OR NOT EXISTS (
                  SELECT 1
                  FROM subscription longer
                  CROSS JOIN period q
                  WHERE longer.account_id = :account_id
                    AND longer.bundle_id = s.bundle_id
                    AND longer.type <> ''
                    AND longer.status NOT IN ('Cancelled')
                    AND q.account_id = longer.account_id
                    AND q.subscription_id = longer.id
                    AND (q.first_issue <= s.last_issue AND q.last_issue > s.last_issue) IS TRUE
              )
          )"""  # noqa: S608 - the constant above
# The same for a membership. `p`: its last period
NO_NEWER_THAN_MEMBERSHIP = """NOT EXISTS (
              SELECT 1
              FROM subscription newer
              WHERE newer.account_id = :account_id
                AND newer.subscriber_id = s.subscriber_id
                AND newer.id <> s.id
                AND newer.status NOT IN ('Cancelled')
                AND (
                    (
                        newer.last_issue IS NOT NULL
                        AND newer.id > s.id
                        AND newer.status NOT IN ('Complete')
                    )
                    OR EXISTS (
                        SELECT 1
                        FROM period q
                        WHERE q.account_id = :account_id
                          AND q.subscription_id = newer.id
                          AND (
                              q.period_start > p.period_start AND q.period_end > p.period_end
                          ) IS TRUE
                    )
                )
          )"""
# A renewal begins after the period before it, so the last period has the highest id
LAST_PERIOD = """(
              SELECT q.id
              FROM period q
              WHERE q.account_id = :account_id AND q.subscription_id = s.id
              ORDER BY q.id DESC
              LIMIT 1
          )"""
IS_LAST_PERIOD = f"p.id = {LAST_PERIOD}"
# The periods that ended with some issues, as the renewal rate counts them: several copies for one
# address count once. CROSS JOIN keeps SQLite
# in the order of the index
ENDED_PERIODS = f"""FROM period p
    CROSS JOIN subscription s
    WHERE p.account_id = :account_id
      AND p.last_issue BETWEEN :first AND :last
      AND s.account_id = p.account_id
      AND s.id = p.subscription_id
      AND s.is_comp = false
      AND (s.status NOT IN ('Cancelled') OR NOT {IS_LAST_PERIOD})
      AND {FIRST_OF_GROUP}"""
# The orders `q` that may renew `s`, whose order `p` ended: of the same subscription, or else of a
# newer one. `q.id > 0` keeps SQLite from reading all periods of the account. Citus plans it beside
# outer joins only if each SELECT has the parameter
LATER_ORDERS = """FROM period q
                WHERE q.account_id = :account_id
                  AND q.subscription_id = s.id
                  AND q.id > p.id"""
NEWER_ORDERS = f"""FROM subscription newer
                CROSS JOIN period q
                WHERE newer.account_id = :account_id
                  AND newer.subscriber_id = s.subscriber_id
                  AND newer.status NOT IN ('Cancelled')
                  AND {IS_NEWER}
                  AND q.account_id = :account_id
                  AND q.subscription_id = newer.id
                  AND q.id > 0"""
# An erasure keeps what was sent, and ends the rest, but there is no one left to write to
IS_ERASED = """EXISTS (
              SELECT 1
              FROM erasure e
              WHERE e.account_id = :account_id
                AND e.subscriber_id = s.subscriber_id
          )"""
# Without what renews automatically, unless it should have done so already
NEEDS_RENEWAL = f"""s.status NOT IN ('Cancelled')
          AND (:has_recurring OR NOT (s.status IN ('Active') AND s.is_recurring = true))
          AND NOT {IS_ERASED}"""

# What ended with an issue, or on some days, and was not renewed; of several copies for one address,
# the first. CROSS JOIN keeps SQLite in the
# order of the index
ENDED_WITH_ISSUE = f"""
        FROM subscription s
        WHERE s.account_id = :account_id
          AND s.last_issue = :last_issue
          AND {NEEDS_RENEWAL}
          AND {NO_NEWER_THAN_ISSUES}
          AND {FIRST_OF_GROUP}
"""
ENDED_ON_DAYS = f"""
        FROM period p
        CROSS JOIN subscription s
        WHERE p.account_id = :account_id
          AND p.period_end BETWEEN :first_day AND :last_day
          AND s.account_id = p.account_id
          AND s.id = p.subscription_id
          AND {NEEDS_RENEWAL}
          AND {IS_LAST_PERIOD}
          AND {NO_NEWER_THAN_MEMBERSHIP}
          AND {FIRST_OF_GROUP}
"""
# What each candidate has, for the ids in the table `listed`
SELECT_CANDIDATES = f"""
    SELECT
        p.id AS period_id,
        p.order_id,
        p.order_date,
        s.id AS subscription_id,
        s.status,
        s.subscriber_id,
        s.type,
        u.email,
        u.is_placeholder,
        u.unsubscribed_at IS NOT NULL AS is_unsubscribed,
        u.bounced_at IS NOT NULL AS has_bounced,
        u.first_name AS subscriber_first_name,
        u.last_name AS subscriber_last_name,
        u.company AS subscriber_company,
        u.salutation AS subscriber_salutation,
        u.title AS subscriber_title,
        u.address1 AS subscriber_address1,
        u.address2 AS subscriber_address2,
        u.city AS subscriber_city,
        u.state AS subscriber_state,
        u.postcode AS subscriber_postcode,
        u.country AS subscriber_country,
        u.language AS subscriber_language,
        {OWN_COLUMNS},
        s.medium,
        s.product_id,
        s.source_id,
        o.name AS source_name,
        s.is_comp,
        s.is_gift,
        s.gifter_name,
        s.gifter_email,
        s.last_issue,
        p.period_end,
        p.length,
        p.interval_months,
        {SUM_OF_GROUP} AS price,
        p.currency,
        {COPIES_OF_GROUP} AS copies,
        {ORDERS_OF_GROUP} AS group_orders
"""
JOIN_CANDIDATES = f"""
    CROSS JOIN subscription s
    CROSS JOIN period p
    CROSS JOIN subscriber u
    CROSS JOIN source o
    WHERE s.account_id = :account_id
      AND s.id = listed.id
      AND p.account_id = s.account_id
      AND p.subscription_id = s.id
      AND {IS_LAST_PERIOD}
      AND u.account_id = s.account_id
      AND u.id = s.subscriber_id
      AND o.account_id = s.account_id
      AND o.id = s.source_id
"""
_FIND_OPEN = f"""
    SELECT p.id
    FROM period p
    CROSS JOIN subscription s
    WHERE p.account_id = :account_id
      AND p.id IN (:ids... AS bigint)
      AND s.account_id = p.account_id
      AND s.id = p.subscription_id
      AND s.status NOT IN ('Cancelled')
      AND NOT (s.status IN ('Active') AND s.is_recurring = true)
      AND s.is_comp = false
      AND {IS_LAST_PERIOD}
      AND (
          (s.last_issue IS NOT NULL AND {NO_NEWER_THAN_ISSUES})
          OR (s.last_issue IS NULL AND {NO_NEWER_THAN_MEMBERSHIP})
      )
"""  # noqa: S608 - the constants above


async def find_open(db: Connection, account_id: int, period_ids: Collection[int]) -> set[int]:
    """Those of the periods that still need a renewal. Queries: one."""
    rows = await db.fetch_all(_FIND_OPEN, {"account_id": account_id, "ids": list(period_ids)})
    return {row["id"] for row in rows}


def parameters_of(ends: Ends) -> dict[str, object]:
    """The parameters of `ENDED_WITH_ISSUE` and `ENDED_ON_DAYS`."""
    return {
        "last_issue": ends.last_issue,
        "first_day": ends.days.first,
        "last_day": ends.days.last,
        "has_recurring": ends.has_recurring,
    }
