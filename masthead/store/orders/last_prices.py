"""What the last orders of live subscriptions cost, as a renewal without a listed price does."""

from masthead.model.orders.last_prices import LastPrice
from masthead.model.subscriptions.lifecycle import LIVE
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all
from masthead.store.renewals.lapsed import IS_LAST_PERIOD


async def count_last_prices(
    db: Connection, account_id: int, product_id: str, *, currency: str
) -> list[LastPrice]:
    """The live subscriptions of a product by medium, country, and day and price of the last order.

    Without free ones. Queries: one, aside; it reads all live subscriptions of the product.
    """
    return await fetch_all(
        db,
        f"""
        SELECT s.medium, s.country, p.order_date, p.price, count(*) AS count
        FROM subscription s
        CROSS JOIN period p
        WHERE s.account_id = :account_id
          AND s.product_id = :product_id
          AND s.status IN (:live...)
          AND s.is_comp = false
          AND p.account_id = s.account_id
          AND p.subscription_id = s.id
          AND {IS_LAST_PERIOD}
          AND p.currency = :currency
        GROUP BY s.medium, s.country, p.order_date, p.price
        """,  # noqa: S608 - a constant
        {
            "account_id": account_id,
            "product_id": product_id,
            "live": sorted(LIVE),
            "currency": currency,
        },
        into=LastPrice,
    )
