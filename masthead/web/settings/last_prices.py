"""Settings: renewals whose product has no price for them: what they cost, and raising that."""

from collections.abc import Sequence
from datetime import date
from functools import partial

from msgspec import Struct, structs
from starlette.responses import Response

from masthead.model.errors import Invalid, NotFound
from masthead.model.orders.last_prices import PaidPrices, RaisedPrices, Unlisted
from masthead.model.orders.price_lists import PriceList
from masthead.model.orders.price_rises import DatedRises
from masthead.model.translations import gettext as _
from masthead.services.price_rises import delete_rises
from masthead.store.accounts import Account
from masthead.store.orders import product_prices
from masthead.store.orders.last_prices import count_last_prices
from masthead.store.products import AccountProduct, count_live, list_products
from masthead.web.kit.amounts import localized_amount
from masthead.web.kit.context import PageContext
from masthead.web.kit.formatting import day_in, get_locale
from masthead.web.settings.product_form import PRICE_FIELDS, ProductForm


async def find_unlisted(
    context: PageContext,
    account: Account,
    product: AccountProduct,
    shown: PriceList,
    rises: Sequence[DatedRises],
) -> Unlisted:
    """The live subscriptions for which `shown` has no price. rises: those of the product.

    Queries: one; its own once after each write.
    """
    currency = account.currency
    async with context.db.read(aside=True) as db:
        found = await context.count_once(
            db,
            ("last prices", product.id, currency),
            partial(count_last_prices, db, account.id, product.id, currency=currency),
        )
    return Unlisted(found, shown.prices, rises, account.country)


def fill_paid_prices(form: ProductForm, paid: PaidPrices) -> None:
    """Fill in the most frequent price where the form has none."""
    for name, place in PRICE_FIELDS.items():
        if place in paid and not form.has_price(name):
            price, _count = paid[place][0]
            form[name].data = localized_amount(price, form.currency, form.locale)


class UnpricedProduct(Struct, frozen=True):
    """A product without a price, and how many live subscriptions it has."""

    id: str
    name: str
    count: int


async def find_unpriced(context: PageContext) -> Sequence[UnpricedProduct]:
    """The products that have no price today, with live subscriptions.

    Queries: three; the count once after each write.
    """
    account_id, own = context.account_id, context.membership
    async with context.db.read(aside=True) as db:
        prices = await product_prices.list_all_prices(db, account_id, day=own.daily_date)
        listed = await list_products(db, account_id)
        live = await context.count_once(db, "live by product", partial(count_live, db, account_id))
    return [
        UnpricedProduct(each.id, each.name, live[each.id])
        for each in listed
        if each.id in live and not prices.get(own.currency, {}).get(each.id)
    ]


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
    id, text = context.path["id"], context.path["day"]
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise NotFound("rise", text) from None
    await delete_rises(context.db, context.account_id, id, day, by=context.actor)
    message = _("The price rise from {day} is deleted.").format(
        day=day_in(day, get_locale(context.locale))
    )
    return context.redirect(context.url("settings", "products", id, "edit"), message=message)
