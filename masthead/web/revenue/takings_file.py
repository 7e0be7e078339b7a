"""The takings as files: the rows and columns that the page shows, with their totals."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from decimal import Decimal

from starlette.responses import Response

from masthead.model.file_names import file_name, words_of_name
from masthead.model.reports.column_names import translated_columns
from masthead.model.revenue.takings import Counted, TakingsLine
from masthead.model.translations import gettext as _
from masthead.model.types.money import money_text
from masthead.store.revenue.takings import Names, list_names
from masthead.web.kit.context import PageContext
from masthead.web.kit.table_file import asked_ending, table_file
from masthead.web.revenue.takings import (
    IN_WORDS,
    TakingsTable,
    TakingsView,
    country_name,
    find_lines,
    make_tables,
    read_range,
    read_view,
    short_month,
)

_GROUPS = {
    "month": ["month"],
    "country": ["country_name"],
    "source": ["source"],
    "product": ["product"],
    "all": ["month", "source", "product"],
}
_SUMS = {
    Counted.CAME_IN: "orders paid_at_once discounts payments refunds came_in".split(),
    Counted.ORDERED: "orders ordered discounts".split(),
}
COLUMNS = [*_GROUPS["all"], "country_name", "currency", *_SUMS[Counted.CAME_IN], "ordered", "total"]

Row = Mapping[str, object]


async def download_takings(context: PageContext) -> Response:
    """What the page shows, as a file. Raises: Invalid."""
    view = read_view(context, read_range(context))
    shown = {
        "by": words_of_name(_(IN_WORDS[view.by])),
        "first": view.months.first,
        "last": view.months.last,
        "ending": asked_ending(context),
    }
    if view.counted is Counted.ORDERED:
        title = _("Ordered")
        name = file_name("ordered-{by}-{first}-{last}.{ending}", **shown)
    else:
        title = _("Came in")
        name = file_name("takings-{by}-{first}-{last}.{ending}", **shown)
    headings: list[str] | None = None
    if view.by == "country-month":
        fixed = ["country_name", "currency", "total"]
        columns = [*fixed, *view.months.months]
        headings = translated_columns(fixed)
        headings += [short_month(context, each) for each in view.months.months]
    else:
        columns = [*_GROUPS[view.by], "currency", *_SUMS[view.counted]]

    async def parts() -> AsyncIterator[Sequence[Row]]:
        async with context.db.read(aside=True) as db:
            names = await list_names(db, context.account_id)
            tables = make_tables(context, await find_lines(context, db, view), view, names)
        for table in tables:
            yield list(_month_rows(table, view) if headings else _rows(table, view, names))

    return await table_file(context, name, columns, parts(), title=title, headings=headings)


def _month_rows(table: TakingsTable, view: TakingsView) -> Iterator[Row]:
    """The countries with the sums of each month, then all together."""
    rows = [(country_name(each.country), each.by_month, each.total) for each in table.countries]
    for name, by_month, total in [*rows, (_("Total"), table.months, table.total.net)]:
        amounts = {
            month: Decimal(money_text(by_month.get(month, 0), table.currency))
            for month in view.months.months
        }
        yield {
            "country_name": name,
            "currency": table.currency,
            **amounts,
            "total": money_text(total, table.currency),
        }


def _rows(table: TakingsTable, view: TakingsView, names: Names) -> Iterator[Row]:
    """The lines, then their total."""
    for line in table.lines:
        group = line.group
        yield {
            "month": group.month,
            "country_name": country_name(group.country),
            "source": names.sources.get(group.source_id, _("not assigned")),
            "product": names.products.get(group.product_id, _("not assigned")),
            **_sums(line),
        }
    first, *others = _GROUPS[view.by]
    yield {first: _("Total"), **dict.fromkeys(others), **_sums(table.total)}


def _sums(line: TakingsLine) -> Row:
    """The sums of a line as texts. `ordered` is the price of orders, if all orders count."""
    code, price = line.currency, money_text(line.price, line.currency)
    return {
        "currency": code,
        "orders": line.orders,
        "paid_at_once": price,
        "ordered": price,
        "discounts": money_text(line.discounts, code),
        "payments": money_text(line.received, code),
        "refunds": money_text(line.refunded, code),
        "came_in": money_text(line.net, code),
    }
