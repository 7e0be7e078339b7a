"""Orders that exist already, to compare with those of an import."""

from collections.abc import Collection

from masthead.model.imports.known_orders import KnownOrder
from masthead.store.engine.interface import Connection


async def find_known_orders(
    db: Connection, account_id: int, order_ids: Collection[str], *, batch_id: str | None = None
) -> dict[str, KnownOrder]:
    """The orders with these ids, by id. Queries: one. Index: period_order.

    batch_id: the import whose orders get the lines of its file.
    """
    rows = await db.fetch_all(
        # CROSS JOIN: SQLite keeps this order, and so reads only the periods of these orders
        """
        SELECT
            p.order_id,
            p.subscription_id,
            s.subscriber_id,
            o.id AS source_id,
            o.name AS source_name,
            p.price,
            p.currency,
            s.first_name,
            s.last_name,
            s.company,
            s.address1,
            s.postcode,
            s.country,
            CASE WHEN u.is_placeholder THEN NULL ELSE u.email END AS email,
            CASE WHEN r.batch_id = :batch_id THEN r.line END AS line,
            r.said
        FROM period p
        CROSS JOIN subscription s
        CROSS JOIN subscriber u
        CROSS JOIN source o
        LEFT JOIN import_row r
            ON r.account_id = p.account_id
            AND r.subscription_id = p.subscription_id
            AND r.period_id = p.id
            AND (r.outcome IN ('imported', 'kept')) IS TRUE
        WHERE p.account_id = :account_id
          AND p.order_id IN (:order_ids...)
          AND s.account_id = p.account_id
          AND s.id = p.subscription_id
          AND u.account_id = s.account_id
          AND u.id = s.subscriber_id
          AND o.account_id = p.account_id
          AND o.id = coalesce(p.source_id, s.source_id)
        """,
        {"account_id": account_id, "order_ids": list(order_ids), "batch_id": batch_id or ""},
    )
    return {row["order_id"]: KnownOrder(**row) for row in rows}
