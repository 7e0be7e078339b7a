"""The prices of products, by medium, group of countries and currency."""

from collections import defaultdict

from masthead.model.dispatch.runs import CountryGroup
from masthead.model.orders.offers import Prices
from masthead.model.types.enums import Medium
from masthead.store.engine.interface import Connection, Transaction


async def list_prices(db: Connection, account_id: int, *, currency: str) -> dict[str, Prices]:
    """The prices of all products in a currency, by product. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT product_id, medium, country_group, price
        FROM product_price
        WHERE account_id = :account_id AND currency = :currency
        """,
        {"account_id": account_id, "currency": currency},
    )
    prices = defaultdict[str, dict[tuple[Medium, CountryGroup], int]](dict)
    for row in rows:
        key = Medium(row["medium"]), CountryGroup(row["country_group"])
        prices[row["product_id"]][key] = row["price"]
    return dict(prices)


async def replace_prices(
    tx: Transaction, account_id: int, product_id: str, prices: Prices, *, currency: str
) -> None:
    """Set the prices of a product in a currency; the others are deleted. Queries: two."""
    await tx.execute(
        """
        DELETE FROM product_price
        WHERE account_id = :account_id AND product_id = :product AND currency = :currency
        """,
        {"account_id": account_id, "product": product_id, "currency": currency},
    )
    await tx.insert_rows(
        "product_price",
        [
            {
                "account_id": account_id,
                "product_id": product_id,
                "medium": medium,
                "country_group": group,
                "currency": currency,
                "price": price,
            }
            for (medium, group), price in prices.items()
        ],
    )
