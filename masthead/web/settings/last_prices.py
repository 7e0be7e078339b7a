"""Settings: what subscriptions pay whose product has no price for them, to begin a list with."""

from functools import partial

from masthead.model.orders.last_prices import PaidPrices, unlisted_prices
from masthead.model.orders.price_lists import PriceList
from masthead.store.accounts import Account
from masthead.store.orders.last_prices import count_last_prices
from masthead.store.products import AccountProduct
from masthead.web.kit.amounts import localized_amount
from masthead.web.kit.context import PageContext
from masthead.web.settings.product_form import PRICE_FIELDS, ProductForm


async def find_paid_prices(
    context: PageContext, account: Account, product: AccountProduct, shown: PriceList
) -> PaidPrices:
    """What live subscriptions pay for which `shown` has no price, the most frequent first.

    Queries: one; its own once after each write.
    """
    currency = account.currency
    async with context.db.read(aside=True) as db:
        found = await context.count_once(
            db,
            ("last prices", product.id, currency),
            partial(count_last_prices, db, account.id, product.id, currency=currency),
        )
    return unlisted_prices(found, shown.prices, home=account.country)


def fill_paid_prices(form: ProductForm, paid: PaidPrices) -> None:
    """Fill in the most frequent price where the form has none."""
    for name, place in PRICE_FIELDS.items():
        if place in paid and not (form[name].data or "").strip():
            price, _count = paid[place][0]
            form[name].data = localized_amount(price, form.currency, form.locale)
