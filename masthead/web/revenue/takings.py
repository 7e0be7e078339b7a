"""Takings, refunds and discounts by month, source, product and currency."""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import date
from functools import partial

from babel.dates import format_skeleton
from msgspec import Struct
from starlette.responses import Response

from masthead.model.errors import Invalid
from masthead.model.file_names import file_name
from masthead.model.revenue.takings import GROUPINGS, MonthRange, TakingsLine, add_up, read_months
from masthead.model.translations import gettext as _
from masthead.model.types.money import money_text
from masthead.model.types.text import casefold
from masthead.store.revenue.takings import Names, list_names, list_takings
from masthead.store.subscriptions.periods import count_currencies
from masthead.web.kit.context import PageContext
from masthead.web.kit.formatting import get_locale
from masthead.web.kit.table_file import asked_ending, table_file

COLUMNS = "month source product currency orders takings discounts payments refunds".split()


class TakingsTable(Struct, frozen=True):
    """The lines of one currency with their total."""

    currency: str
    lines: Sequence[TakingsLine]
    total: TakingsLine


def read_range(context: PageContext) -> MonthRange:
    """The months in the query string. Raises: Invalid."""
    query = context.query
    return read_months(
        query.get("from", "").strip(),
        query.get("to", "").strip(),
        today=context.membership.daily_date,
    )


def month_name(context: PageContext, month: str) -> str:
    """A month such as `2026-11` in words."""
    day = date.fromisoformat(f"{month}-01")
    return format_skeleton("yMMMM", day, locale=get_locale(context.locale))


def read_grouping(context: PageContext) -> str:
    """By what the lines are added up; by month, unless the query string says otherwise."""
    by = context.query.get("by", "")
    return by if by in GROUPINGS and by != "total" else "month"


async def show_takings(context: PageContext) -> Response:
    """The takings of some months, as tables by currency."""
    currency, by = context.query.get("currency", "").strip()[:3], read_grouping(context)
    problem: Invalid | None = None
    tables: list[TakingsTable] = []
    try:
        months = read_range(context)
    except Invalid as reason:
        problem, months = reason, read_months("", "", today=context.membership.daily_date)
    async with context.db.read(aside=True) as db:
        names = await list_names(db, context.account_id)
        currencies = await context.count_once(
            db, "currencies", partial(count_currencies, db, context.account_id)
        )
        if problem is None:
            found = await context.count_once(
                db,
                ("takings", months, currency),
                partial(list_takings, db, context.account_id, months, currency=currency),
            )
            tables = _make_tables(found, by, names, own=context.membership.currency)
    return context.render(
        "revenue/takings.html",
        tables=tables,
        months=months,
        by=by,
        currency=currency,
        currencies=list(currencies),
        names=names,
        problem=problem,
        month_name=lambda month: month_name(context, month),
    )


def _make_tables(
    found: Sequence[TakingsLine], by: str, names: Names, *, own: str
) -> list[TakingsTable]:
    """A table for each currency, that of the account first."""
    lines = sorted(add_up(found, by), key=lambda line: _place(line, names))
    totals = sorted(add_up(found, "total"), key=lambda line: (line.currency != own, line.currency))
    return [
        TakingsTable(total.currency, [x for x in lines if x.currency == total.currency], total)
        for total in totals
    ]


def _place(line: TakingsLine, names: Names) -> tuple[str, str, str]:
    """Lines are sorted by month, then by name."""
    group = line.group
    source, product = names.sources.get(group.source_id), names.products.get(group.product_id)
    return group.month, casefold(source or ""), casefold(product or "")


async def download_takings(context: PageContext) -> Response:
    """The takings of the same months as a file, in groups as small as possible.

    Raises: Invalid.
    """
    months = read_range(context)
    currency = context.query.get("currency", "").strip()[:3]
    name = file_name(
        "takings-{first}-{last}.{ending}",
        first=months.first,
        last=months.last,
        ending=asked_ending(context),
    )

    async def parts() -> AsyncIterator[Sequence[Mapping[str, object]]]:
        async with context.db.read(aside=True) as db:
            names = await list_names(db, context.account_id)
            found = await list_takings(db, context.account_id, months, currency=currency)
        lines = sorted(add_up(found, "all"), key=lambda line: (line.currency, *_place(line, names)))
        yield [_row(line, names) for line in lines]

    return await table_file(context, name, COLUMNS, parts(), title=_("Takings"))


def _row(line: TakingsLine, names: Names) -> dict[str, object]:
    code, group = line.currency, line.group
    return {
        "month": group.month,
        "source": names.sources.get(group.source_id),
        "product": names.products.get(group.product_id),
        "currency": code,
        "orders": line.orders,
        "takings": money_text(line.price, code),
        "discounts": money_text(line.discounts, code),
        "payments": money_text(line.received, code),
        "refunds": money_text(line.refunded, code),
    }
