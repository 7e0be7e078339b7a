"""Settings: renewals whose product has no price for them: what they cost, and raising that."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import partial

from msgspec import Struct, structs
from starlette.responses import Response

from masthead.model.errors import Invalid
from masthead.model.orders.last_prices import PaidPrices, RaisedPrices, Unlisted
from masthead.model.orders.price_lists import PriceList, PriceLists, list_on
from masthead.model.orders.price_rises import DatedRises
from masthead.model.translations import counted, gettext as _
from masthead.services.price_rises import delete_rises
from masthead.store.accounts import Account
from masthead.store.engine.interface import Connection
from masthead.store.orders.last_prices import count_last_prices
from masthead.store.products import AccountProduct, count_live
from masthead.web.kit.amounts import localized_amount
from masthead.web.kit.context import PageContext
from masthead.web.settings.product_form import PRICE_FIELDS, ProductForm
from masthead.web.settings.product_prices import delete_from_day


async def find_unlisted(
    context: PageContext,
    account: Account,
    product: AccountProduct,
    shown: PriceList,
    rises: Sequence[DatedRises],
) -> Unlisted:
    """The active subscriptions for which `shown` has no price. rises: those of the product.

    Queries: one; its own two once after each write.
    """
    currency = account.currency
    async with context.db.read(aside=True) as db:
        live = await _count_live(context, db)
        found = await context.count_once(
            db,
            ("last prices", product.id, currency),
            partial(count_last_prices, db, account.id, product.id, currency=currency),
        )
    others = live.get(product.id, 0) - sum(each.count for each in found)
    return Unlisted(found, shown.prices, rises, account.country, others)


def kept_in_words(count: int) -> str:
    """What a rise does not change: renewals in other currencies; empty without them."""
    return (
        counted(
            "{n} renewal in another currency keeps its price.",
            "{n} renewals in other currencies keep their prices.",
            count,
        )
        if count
        else ""
    )


def fill_paid_prices(form: ProductForm, paid: PaidPrices) -> None:
    """Fill in the most frequent price where the form has none."""
    for name, place in PRICE_FIELDS.items():
        if place in paid and not form.has_price(name):
            price, _count = paid[place][0]
            form[name].data = localized_amount(price, form.currency, form.locale)


class UnpricedProduct(Struct, frozen=True):
    """A product without a price, and how many active subscriptions it has."""

    id: str
    name: str
    count: int


async def find_unpriced(
    context: PageContext, products: Iterable[AccountProduct], lists: Mapping[str, PriceLists]
) -> Sequence[UnpricedProduct]:
    """Those of some products that have no price today, with active subscriptions.

    lists: the prices of all. Queries: one; its own once after each write.
    """
    today = context.membership.daily_date
    async with context.db.read(aside=True) as db:
        live = await _count_live(context, db)
    return [
        UnpricedProduct(each.id, each.name, live[each.id])
        for each in products
        if each.id in live and not list_on(lists.get(each.id, []), today).prices
    ]


async def _count_live(context: PageContext, db: Connection) -> Mapping[str, int]:
    count = partial(count_live, db, context.account_id)
    return await context.count_once(db, "live by product", count)


def day_of_rises(form: ProductForm, today: date) -> date:
    """The first day of what a form raises; that of today while the day is wrong."""
    try:
        return form.first_day or today
    except Invalid:  # it is shown at its field
        return today


def preview_rises(unlisted: Unlisted, today: date, form: ProductForm) -> RaisedPrices:
    """What the rises of a form change, for which its table has no price."""
    try:
        added = DatedRises(day_of_rises(form, today), form.rises)
    except Invalid:  # it is shown at its field
        return {}
    priced = {place: 0 for name, place in PRICE_FIELDS.items() if form.has_price(name)}
    return structs.replace(unlisted, prices=priced).raised_by(added)


async def delete_coming_rises(context: PageContext) -> Response:
    """Delete the rises from a day on. Raises: NotFound, Invalid."""
    message = _("The price rise from {day} is deleted.")
    return await delete_from_day(context, "rise", delete_rises, message)
