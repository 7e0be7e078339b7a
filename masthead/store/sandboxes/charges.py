"""The recurring subscriptions that are charged, by their next charge date.

That date is `model.subscriptions.lifecycle.next_charge_date`.
"""

from datetime import date, timedelta

from msgspec import Struct

from masthead.model.sandboxes import DECLINED, LATE, LATE_DAYS
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all

# With the last day before the charge: the end of a membership, or the day before that of an issue
_CHARGED = """
    SELECT
        s.id AS subscription_id,
        p.id AS period_id,
        p.order_id,
        p.price,
        p.currency,
        p.period_end,
        n.recurring_charge_date AS charge_date,
        s.source_id,
        u.email_key
    FROM subscription s
    JOIN subscriber u ON u.account_id = :account_id AND u.id = s.subscriber_id
    JOIN period p
        ON p.account_id = :account_id
        AND p.subscription_id = s.id
        AND p.id = (
            SELECT max(l.id)
            FROM period l
            WHERE l.account_id = :account_id AND l.subscription_id = s.id
        )
    LEFT JOIN issue n
        ON n.account_id = :account_id
        AND s.type <> 'membership'
        AND n.number = p.last_issue + 1
    WHERE s.account_id = :account_id
      AND s.is_recurring
      AND s.status IN ('Active', 'Past due')
"""


class DueCharge(Struct, frozen=True):
    """A charge that is due: the last period of the subscription, whose order it repeats."""

    subscription_id: str
    period_id: int
    order_id: str
    price: int
    currency: str


async def list_due(
    db: Connection, account_id: int, source_id: str, day: date, limit: int
) -> list[DueCharge]:
    """The charges of a source that are paid on a day or before, by subscription. Queries: one.

    Those of subscribers whose email address begins with `declined` are never paid, and those of
    `late` a week later.
    """
    return await fetch_all(
        db,
        f"""
        SELECT c.subscription_id, c.period_id, c.order_id, c.price, c.currency
        FROM ({_CHARGED}) AS c
        WHERE c.source_id = :source_id
          AND c.email_key NOT LIKE '{DECLINED}%'
          AND CASE
              WHEN c.email_key LIKE '{LATE}%' THEN
                  c.period_end < :late_day OR c.charge_date <= :late_day
              ELSE c.period_end < :day OR c.charge_date <= :day
          END
        ORDER BY c.subscription_id
        LIMIT :limit
        """,  # noqa: S608 - constants
        {
            "account_id": account_id,
            "source_id": source_id,
            "day": day,
            "late_day": day - timedelta(days=LATE_DAYS),
            "limit": limit,
        },
        into=DueCharge,
    )


async def find_next(db: Connection, account_id: int, day: date) -> date | None:
    """The first next charge date after a day, of any source. Queries: one."""
    row = await db.fetch_one(
        f"""
        SELECT
            min(CASE WHEN c.period_end >= :day THEN c.period_end END) AS period_end,
            min(CASE WHEN c.charge_date > :day THEN c.charge_date END) AS charge_date
        FROM ({_CHARGED}) AS c
        """,  # noqa: S608 - constants
        {"account_id": account_id, "day": day},
    )
    assert row is not None
    found = [row["period_end"] and row["period_end"] + timedelta(days=1), row["charge_date"]]
    return min(filter(None, found), default=None)
