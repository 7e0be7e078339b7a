"""Read all orders with what the format of the import says about them."""

from collections import defaultdict
from collections.abc import Collection
from datetime import date
from operator import itemgetter

from masthead.store.addresses.in_force import OWN_COLUMNS, OWN_FORMS_OF_ADDRESS
from masthead.store.engine.interface import Connection, Row
from masthead.store.subscriptions.periods import IS_LAST_ORDER

_ORDERS = f"""
    SELECT
        p.id,
        p.subscription_id,
        p.order_id,
        s.type,
        CASE WHEN u.is_placeholder THEN '' ELSE u.email END AS email,
        {OWN_FORMS_OF_ADDRESS},
        {OWN_COLUMNS},
        s.phone,
        p.first_issue AS start_issue,
        p.length,
        p.interval_months,
        p.period_start,
        p.period_end,
        s.is_recurring,
        s.status,
        s.is_comp,
        s.is_gift,
        s.gifter_name,
        CASE WHEN g.is_placeholder THEN '' ELSE s.gifter_email END AS gifter_email,
        s.medium,
        p.price,
        p.currency,
        p.discount_amount,
        p.refunded,
        p.promo_code,
        p.order_date,
        p.transaction_id,
        s.notes,
        (
            SELECT f.order_id
            FROM period f
            WHERE f.account_id = :account_id AND f.subscription_id = p.subscription_id
            ORDER BY f.id
            LIMIT 1
        ) AS first_order_id,
        {IS_LAST_ORDER} AS is_last,
        (
            SELECT max(c.cancelled_date)
            FROM cancellation c
            WHERE c.account_id = :account_id
              AND c.subscription_id = p.subscription_id
              AND c.reopened_date IS NULL
        ) AS cancelled_date
    FROM period p
    JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id
    JOIN subscriber u ON u.account_id = s.account_id AND u.id = s.subscriber_id
    LEFT JOIN subscriber g ON g.account_id = s.account_id AND g.id = s.gifter_id
    WHERE p.account_id = :account_id AND p.id > :after
    ORDER BY p.id
    LIMIT :limit
"""  # noqa: S608 - names of columns


async def list_orders(db: Connection, account_id: int, *, after: int, limit: int) -> list[Row]:
    """The next orders, in the order in which they were made. Index: the primary key."""
    return await db.fetch_all(_ORDERS, {"account_id": account_id, "after": after, "limit": limit})


async def list_sent(
    db: Connection, account_id: int, subscription_ids: Collection[str]
) -> dict[int, list[tuple[int, date | None]]]:
    """The numbers and dates of sent copies, by period. Index: copy_by_subscription."""
    rows = await db.fetch_all(
        # IS TRUE keeps SQLite from reading all copies that are sent
        """
        SELECT period_id, issue_number, date_sent
        FROM copy
        WHERE account_id = :account_id
          AND subscription_id IN (:ids...)
          AND (status = 'Sent') IS TRUE
        """,
        {"account_id": account_id, "ids": list(subscription_ids)},
    )
    found = defaultdict[int, list[tuple[int, date | None]]](list)
    for row in sorted(rows, key=itemgetter("issue_number")):
        found[row["period_id"]].append((row["issue_number"], row["date_sent"]))
    return found
