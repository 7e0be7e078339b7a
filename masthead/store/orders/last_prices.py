"""What the last orders of active subscriptions cost, as a renewal without a listed price does."""

from masthead.model.orders.last_prices import LastPrice
from masthead.model.subscriptions.lifecycle import LIVE
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all
from masthead.store.renewals.lapsed import IS_LAST_PERIOD
from masthead.store.subscriptions.bundles import FIRST_OF_GROUP


async def count_last_prices(
    db: Connection, account_id: int, product_id: str, *, currency: str
) -> list[LastPrice]:
    """A product's active subscriptions by medium, country, and day and price of the last order.

    Without complimentary ones. Several copies for one address count as one, as on Home. Queries:
    one, aside; it reads all active subscriptions of the product.
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
          AND {FIRST_OF_GROUP}
          AND p.account_id = s.account_id
          AND p.subscription_id = s.id
          AND {IS_LAST_PERIOD}
          AND p.currency = :currency
        GROUP BY s.medium, s.country, p.order_date, p.price
        """,  # noqa: S608 - constants
        {
            "account_id": account_id,
            "product_id": product_id,
            "live": sorted(LIVE),
            "currency": currency,
        },
        into=LastPrice,
    )
