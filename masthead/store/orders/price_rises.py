"""Rises of what renewals cost whose product has no price for them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date

from masthead.model.dispatch.runs import CountryGroup
from masthead.model.orders.price_rises import DatedRises, PriceRise
from masthead.model.types.enums import Medium
from masthead.store.engine.interface import Connection, Transaction


async def list_rises(
    db: Connection, account_id: int
) -> Mapping[str, Mapping[str, Sequence[DatedRises]]]:
    """The rises by currency and product, oldest first. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT product_id, currency, first_day, medium, country_group, amount, rate
        FROM price_rise
        WHERE account_id = :account_id
        ORDER BY first_day
        """,
        {"account_id": account_id},
    )
    found: dict[tuple[str, str, date], dict[tuple[Medium, CountryGroup], PriceRise]]
    found = defaultdict(dict)
    for row in rows:
        place = Medium(row["medium"]), CountryGroup(row["country_group"])
        rise = PriceRise(row["amount"], row["rate"])
        found[row["currency"], row["product_id"], row["first_day"]][place] = rise
    known: dict[str, dict[str, list[DatedRises]]] = defaultdict(lambda: defaultdict(list))
    for (currency, product_id, first_day), rises in found.items():
        known[currency][product_id].append(DatedRises(first_day, rises))
    return known


async def list_product_rises(
    db: Connection, account_id: int, product_id: str, *, currency: str
) -> Sequence[DatedRises]:
    """The rises of a product in a currency, oldest first. Queries: one."""
    known = await list_rises(db, account_id)
    return known.get(currency, {}).get(product_id, [])


async def replace_rises(
    tx: Transaction, account_id: int, product_id: str, dated: DatedRises, *, currency: str
) -> None:
    """Set all rises of a product of one day. Queries: two."""
    key = {
        "account_id": account_id,
        "product_id": product_id,
        "currency": currency,
        "first_day": dated.first_day,
    }
    await tx.execute(
        """
        DELETE FROM price_rise
        WHERE account_id = :account_id
          AND product_id = :product_id
          AND currency = :currency
          AND first_day = :first_day
        """,
        key,
    )
    await tx.insert_rows(
        "price_rise",
        [
            {
                **key,
                "medium": medium,
                "country_group": group,
                "amount": rise.amount,
                "rate": rise.rate,
            }
            for (medium, group), rise in dated.rises.items()
        ],
    )
