"""The prices of products over time, by medium, group of countries and currency."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import date

from masthead.model.dispatch.runs import CountryGroup
from masthead.model.orders.offers import Prices
from masthead.model.orders.price_lists import PriceList, PriceLists, list_on
from masthead.model.types.enums import Medium
from masthead.store.engine.interface import Connection, Transaction

_LISTS = """
    SELECT product_id, currency, CAST(NULL AS date) AS first_day, medium, country_group, price
    FROM product_price
    WHERE account_id = :account_id
    UNION ALL
    SELECT product_id, currency, first_day, medium, country_group, price
    FROM dated_price
    WHERE account_id = :account_id
"""


async def list_all_prices(
    db: Connection, account_id: int, *, day: date
) -> dict[str, dict[str, Prices]]:
    """The prices that hold on a day, by currency and product. Queries: one."""
    known = await _read(db, account_id)
    return {
        currency: {product: list_on(lists, day).prices for product, lists in products.items()}
        for currency, products in known.items()
    }


async def list_price_lists(
    db: Connection, account_id: int, *, currency: str
) -> Mapping[str, PriceLists]:
    """The prices of all products in a currency over time, by product. Queries: one."""
    return (await _read(db, account_id)).get(currency, {})


async def _read(db: Connection, account_id: int) -> dict[str, dict[str, list[PriceList]]]:
    """The prices of an account over time, by currency and product."""
    found: dict[tuple[str, str, date | None], dict[tuple[Medium, CountryGroup], int]]
    found = defaultdict(dict)
    for row in await db.fetch_all(_LISTS, {"account_id": account_id}):
        prices = found[row["currency"], row["product_id"], row["first_day"]]
        if row["price"] is not None:
            prices[Medium(row["medium"]), CountryGroup(row["country_group"])] = row["price"]
    known: dict[str, dict[str, list[PriceList]]] = defaultdict(lambda: defaultdict(list))
    for currency, product_id, first_day in sorted(
        found, key=lambda each: (*each[:2], each[2] or date.min)
    ):
        prices = found[currency, product_id, first_day]
        known[currency][product_id].append(PriceList(first_day, prices))
    return {currency: dict(products) for currency, products in known.items()}


async def replace_prices(
    tx: Transaction, account_id: int, product_id: str, prices: Prices, *, currency: str
) -> None:
    """Set the first prices of a product in a currency. Queries: two."""
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


async def delete_list(
    tx: Transaction, account_id: int, product_id: str, first_day: date, *, currency: str
) -> None:
    """Delete the prices from a day on. Queries: one."""
    await tx.execute(
        """
        DELETE FROM dated_price
        WHERE account_id = :account_id
          AND product_id = :product
          AND currency = :currency
          AND first_day = :first_day
        """,
        {
            "account_id": account_id,
            "product": product_id,
            "currency": currency,
            "first_day": first_day,
        },
    )


async def insert_list(
    tx: Transaction, account_id: int, product_id: str, listed: PriceList, *, currency: str
) -> None:
    """Add all prices of a product from a day on; it is not sold where it has none. Queries: one."""
    await tx.insert_rows(
        "dated_price",
        [
            {
                "account_id": account_id,
                "product_id": product_id,
                "currency": currency,
                "first_day": listed.first_day,
                "medium": medium,
                "country_group": group,
                "price": listed.prices.get((medium, group)),
            }
            for medium in Medium
            for group in CountryGroup
        ],
    )
