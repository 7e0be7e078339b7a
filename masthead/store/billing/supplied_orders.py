"""Orders that were paid at once, by the day on which their supply ended: for new VAT rates."""

from datetime import date

from masthead.model.billing.rate_changes import PrepaidOrder
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all
from masthead.store.revenue.days import DAY_OF_MOMENT


async def list_supplied(
    db: Connection, account_id: int, first: date, last: date
) -> list[PrepaidOrder]:
    """The orders that were paid at once and whose supply ended on some days, by that day.

    Those that were refunded completely are left out. Indexes: period_by_last, period_by_end.
    Queries: one.
    """
    recorded = DAY_OF_MOMENT[db.dialect].format("p.created_at")
    return await fetch_all(
        db,
        f"""
        SELECT
            p.order_id,
            coalesce(p.order_date, {recorded}) AS order_day,
            e.supplied_to,
            s.id AS subscription_id,
            s.status,
            d.id AS product_id,
            d.name AS product_name,
            s.medium,
            s.country,
            p.currency,
            p.price - p.refunded AS "left"
        FROM (
            SELECT q.id, i.release_date_actual AS supplied_to
            FROM issue i
            JOIN period q ON q.account_id = i.account_id AND q.last_issue = i.number
            WHERE i.account_id = :account_id
              AND i.release_date_actual BETWEEN :first AND :last
              AND q.period_end IS NULL
            UNION ALL
            SELECT q.id, q.period_end AS supplied_to
            FROM period q
            WHERE q.account_id = :account_id AND q.period_end BETWEEN :first AND :last
        ) AS e
        JOIN period p ON p.account_id = :account_id AND p.id = e.id
        JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id
        JOIN product d
            ON d.account_id = s.account_id
            AND d.id = coalesce(p.product_id, s.product_id)
        WHERE p.is_billed IS NOT TRUE AND p.price > p.refunded
        ORDER BY e.supplied_to, p.id
        """,  # noqa: S608 - our own expression
        {"account_id": account_id, "first": first, "last": last},
        into=PrepaidOrder,
    )
