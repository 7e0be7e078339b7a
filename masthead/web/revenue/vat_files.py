"""What was sold, and what came in, by country and rate of VAT, as files for the bookkeeper."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import date

from starlette.responses import Response

from masthead.model.billing.orders import TaxedMedium
from masthead.model.billing.rate_changes import ChangedVat, find_changed, has_changes
from masthead.model.billing.resources import percent_text
from masthead.model.billing.sales import VatLine
from masthead.model.billing.vat import OneStopShop
from masthead.model.file_names import file_name, file_name_noop
from masthead.model.translations import gettext as _
from masthead.model.types.countries import country_in_words
from masthead.model.types.money import money_text
from masthead.services.billing.journal import add_up_sales, add_up_taken
from masthead.services.billing.pricing import find_taxation_on
from masthead.store.billing.supplied_orders import list_supplied
from masthead.store.engine.interface import Connection
from masthead.web.kit.context import PageContext
from masthead.web.kit.table_file import asked_ending, table_file
from masthead.web.revenue.bookkeeping import category_in_words, in_order, read_days, shop_of

VAT = "country country_name vat_category vat_rate oss net vat total currency".split()
CHANGED = (
    "order_id order_date supplied_to product medium country vat_rate_paid vat_rate_supplied total "
    "vat_paid vat_supplied difference currency oss status subscription_id"
).split()
AddUp = Callable[[Connection, int, date, date], Awaitable[list[VatLine]]]


async def download_vat(context: PageContext) -> Response:
    """What was sold on some days by country and rate, as a file. Raises: Invalid."""
    return await _vat_file(
        context, file_name_noop("vat-{first}-{last}.{ending}"), _("VAT by country"), add_up_sales
    )


async def download_taken(context: PageContext) -> Response:
    """What came in on some days by country and rate, as a file. Raises: Invalid."""
    return await _vat_file(
        context,
        file_name_noop("takings-vat-{first}-{last}.{ending}"),
        _("Takings by VAT"),
        add_up_taken,
    )


async def _vat_file(context: PageContext, name: str, title: str, add_up: AddUp) -> Response:
    """A file with the sums of some days by country and rate. Raises: Invalid."""
    days = read_days(context)

    async def parts() -> AsyncIterator[Sequence[Mapping[str, object]]]:
        async with context.db.read(aside=True) as db:
            lines = await add_up(db, context.account_id, days.first, days.last)
            shop = shop_of(await find_taxation_on(db, context.account_id, days.last))
        yield [
            {
                "country": line.country,
                "country_name": line.country and country_in_words(line.country),
                "vat_category": category_in_words(line.tax)
                if line.country
                else _("for no invoice yet"),
                "vat_rate": percent_text(line.tax.rate) if line.tax else "",
                "oss": shop.has(line.tax, line.country),
                "net": money_text(line.net, line.currency),
                "vat": money_text(line.vat, line.currency),
                "total": money_text(line.net + line.vat, line.currency),
                "currency": line.currency,
            }
            for line in sorted(lines, key=in_order)
        ]

    file = file_name(name, first=days.first, last=days.last, ending=asked_ending(context))
    return await table_file(context, file, VAT, parts(), title=title)


async def download_changed(context: PageContext) -> Response:
    """Orders paid at once whose rate changed before their supply ended on some days, as a file.

    Raises: Invalid.
    """
    days = read_days(context)

    async def parts() -> AsyncIterator[Sequence[Mapping[str, object]]]:
        async with context.db.read(aside=True) as db:
            taxation = await find_taxation_on(db, context.account_id, days.last)
            listed = await list_supplied(db, context.account_id, days.first, days.last)
        if taxation is not None and has_changes(taxation, days.last):
            shop = shop_of(taxation)
            yield [_changed_row(each, shop) for each in find_changed(listed, taxation)]

    file = file_name(
        "vat-changes-{first}-{last}.{ending}",
        first=days.first,
        last=days.last,
        ending=asked_ending(context),
    )
    return await table_file(context, file, CHANGED, parts(), title=_("Changed VAT"))


def _changed_row(changed: ChangedVat, shop: OneStopShop) -> dict[str, object]:
    order, currency = changed.order, changed.order.currency
    return {
        "order_id": order.order_id,
        "order_date": order.order_day,
        "supplied_to": order.supplied_to,
        "product": order.product_name,
        "medium": _(order.medium),
        "country": order.country,
        "vat_rate_paid": _rates(changed.paid),
        "vat_rate_supplied": _rates(changed.supplied),
        "total": money_text(order.left, currency),
        "vat_paid": money_text(changed.vat_paid, currency),
        "vat_supplied": money_text(changed.vat_supplied, currency),
        "difference": money_text(changed.vat_supplied - changed.vat_paid, currency),
        "currency": currency,
        "oss": any(shop.has(each.tax, order.country) for each in changed.supplied),
        "status": _(order.status),
        "subscription_id": order.subscription_id,
    }


def _rates(parts: Sequence[TaxedMedium]) -> str:
    """The rates of the printed and of the digital part; of one that has none, why."""
    return "; ".join(
        percent_text(each.tax.rate) if each.tax and each.tax.rate else category_in_words(each.tax)
        for each in parts
    )
