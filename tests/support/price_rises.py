"""Rises of what renewals of imported subscriptions cost, whose product has no price."""

from datetime import date

from masthead.model.dispatch.runs import CountryGroup
from masthead.model.orders.offers import Offer
from masthead.model.orders.price_rises import PriceRise, Rises
from masthead.model.types.enums import Medium
from masthead.services.products import update_product
from masthead.store.products import get_imported_product, get_product
from tests.conftest import BY, Cast

EVERYWHERE = [(medium, group) for medium in Medium for group in CountryGroup]


async def raise_renewals(
    cast: Cast,
    rise: PriceRise | Rises,
    first_day: date | None = None,
    *,
    prices: Offer | None = None,
) -> str:
    """Raise what renewals cost, everywhere unless places are given; returns the product."""
    rises = dict.fromkeys(EVERYWHERE, rise) if isinstance(rise, PriceRise) else rise
    async with cast.db.read() as db:
        id = await get_imported_product(db, cast.account_id)
        product = await get_product(db, cast.account_id, id)
    await update_product(
        cast.db,
        cast.account_id,
        id,
        name=product.name,
        benefits=[],
        offer=prices or Offer(),
        prices_from=first_day,
        rises=rises,
        by=BY,
    )
    return id
