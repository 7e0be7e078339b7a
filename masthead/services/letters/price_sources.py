"""Where the prices in the letters of a stage are from."""

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct

from masthead.model.renewals.lapsed import RenewalStage
from masthead.services.letters.recipients import plan_letters
from masthead.services.subscriptions.renewal_prices import find_renewal_prices
from masthead.store.accounts import Account
from masthead.store.engine.interface import Connection
from masthead.store.products import list_products


class PriceSources(Struct, frozen=True):
    """How many letters say the price of the product, and how many that of the last order.

    raised: how many of these have a price that was raised since that order. unpriced: their
    products, by id with the name, the one with the most letters first.
    """

    of_product: int
    of_last_order: int
    raised: int
    unpriced: Mapping[str, str]


async def count_price_sources(
    db: Connection, account: Account, stage: RenewalStage
) -> PriceSources:
    """Count them in the letters that go out: 40 µs each, read aside. Queries: four to eight."""
    prices = await find_renewal_prices(db, account)
    plan = await plan_letters(db, account, stage)
    of_product, raised, unpriced = 0, 0, Counter[str]()
    for each in plan.letters:
        if not each.goes_out:
            continue
        price = prices.priced(each.candidate)
        of_product += price.is_of_product
        raised += price.is_raised
        unpriced[each.candidate.product_id] += not price.is_of_product
    names = {each.id: each.name for each in await list_products(db, account.id)}
    return PriceSources(
        of_product,
        unpriced.total(),
        raised,
        {id: names[id] for id, count in unpriced.most_common() if count},
    )
