"""What was sold, and what came in, by country and rate of VAT, as files for the bookkeeper."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import date

from starlette.responses import Response

from masthead.model.billing.resources import percent_text
from masthead.model.billing.sales import VatLine
from masthead.model.translations import gettext as _
from masthead.model.types.countries import country_in_words
from masthead.model.types.money import money_text
from masthead.services.billing.journal import add_up_sales, add_up_taken
from masthead.store.engine.interface import Connection
from masthead.web.kit.context import PageContext
from masthead.web.kit.table_file import asked_ending, table_file
from masthead.web.revenue.bookkeeping import (
    category_in_words,
    find_one_stop_shop,
    in_order,
    read_days,
)

VAT = "country country_name vat_category vat_rate oss net vat total currency".split()
AddUp = Callable[[Connection, int, date, date], Awaitable[list[VatLine]]]


async def download_vat(context: PageContext) -> Response:
    """What was sold on some days by country and rate, as a file. Raises: Invalid."""
    return await _vat_file(context, "vat", _("VAT by country"), add_up_sales)


async def download_taken(context: PageContext) -> Response:
    """What came in on some days by country and rate, as a file. Raises: Invalid."""
    return await _vat_file(context, "takings-vat", _("Takings by VAT"), add_up_taken)


async def _vat_file(context: PageContext, name: str, title: str, add_up: AddUp) -> Response:
    """A file with the sums of some days by country and rate. Raises: Invalid."""
    days = read_days(context)

    async def parts() -> AsyncIterator[Sequence[Mapping[str, object]]]:
        async with context.db.read(aside=True) as db:
            lines = await add_up(db, context.account_id, days.first, days.last)
            shop = await find_one_stop_shop(db, context)
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

    file = f"{name}-{days.first}-{days.last}.{asked_ending(context)}"
    return await table_file(context, file, VAT, parts(), title=title)
