"""Takings: what came in, or what was ordered, by month, country, source and product."""

from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial

from babel.dates import format_skeleton
from msgspec import Struct
from starlette.responses import Response

from masthead.model.errors import Invalid
from masthead.model.revenue.takings import (
    GROUPINGS,
    Counted,
    CountryLine,
    MonthRange,
    TakingsLine,
    add_up,
    by_country,
    read_months,
)
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.countries import country_in_words
from masthead.model.types.text import casefold
from masthead.store.engine.interface import Connection
from masthead.store.revenue.takings import Names, list_names, list_ordered, list_takings
from masthead.store.revenue.takings_by_country import (
    list_ordered_by_country,
    list_takings_by_country,
)
from masthead.store.subscriptions.periods import count_currencies
from masthead.web.kit.context import PageContext
from masthead.web.kit.formatting import get_locale

BY_COUNTRY = ("country", "country-month")
IN_WORDS = {
    "month": gettext_noop("by month"),
    "country": gettext_noop("by country"),
    "country-month": gettext_noop("by month and country"),
    "source": gettext_noop("by source"),
    "product": gettext_noop("by product"),
    "all": gettext_noop("by month, source and product"),
}
_LISTS = {
    (Counted.CAME_IN, False): list_takings,
    (Counted.CAME_IN, True): list_takings_by_country,
    (Counted.ORDERED, False): list_ordered,
    (Counted.ORDERED, True): list_ordered_by_country,
}


class TakingsView(Struct, frozen=True):
    """What the page shows. by: a key of GROUPINGS. currency: empty for all."""

    months: MonthRange
    counted: Counted = Counted.CAME_IN
    by: str = "month"
    currency: str = ""

    @property
    def query(self) -> dict[str, str]:
        """The view in a query string."""
        return {
            "from": self.months.first,
            "to": self.months.last,
            "counted": self.counted,
            "by": self.by,
            "currency": self.currency,
        }


class TakingsTable(Struct, frozen=True):
    """The lines of one currency with their total.

    countries: with the sums of each month, if the page shows both. months: the sums of all.
    """

    currency: str
    lines: Sequence[TakingsLine]
    total: TakingsLine
    countries: Sequence[CountryLine] = ()
    months: Mapping[str, int] = {}


def read_range(context: PageContext) -> MonthRange:
    """The months in the query string. Raises: Invalid."""
    query = context.query
    return read_months(
        query.get("from", "").strip(),
        query.get("to", "").strip(),
        today=context.membership.daily_date,
    )


def read_view(context: PageContext, months: MonthRange) -> TakingsView:
    """What to show of some months; by default what came in, by month."""
    query = context.query
    by, counted = query.get("by", ""), query.get("counted", "")
    return TakingsView(
        months,
        Counted(counted) if counted in list(Counted) else Counted.CAME_IN,
        by if by in GROUPINGS and by != "total" else "month",
        query.get("currency", "").strip()[:3],
    )


def month_name(context: PageContext, month: str) -> str:
    """A month such as `2026-11` in words."""
    return _format_month(context, month, "yMMMM")


def short_month(context: PageContext, month: str) -> str:
    """A month such as `2026-11` in few letters, for the head of a column."""
    return _format_month(context, month, "yMMM")


def _format_month(context: PageContext, month: str, skeleton: str) -> str:
    day = date.fromisoformat(f"{month}-01")
    return format_skeleton(skeleton, day, locale=get_locale(context.locale))


def country_name(country: str) -> str:
    """A country in words; that of payments without an invoice says so."""
    return country_in_words(country) if country else _("for no invoice yet")


async def show_takings(context: PageContext) -> Response:
    """The takings of some months, as tables by currency."""
    problem: Invalid | None = None
    tables: list[TakingsTable] = []
    today = context.membership.daily_date
    try:
        months = read_range(context)
    except Invalid as reason:
        problem, months = reason, read_months("", "", today=today)
    view, ranges = read_view(context, months), list_ranges(today)
    async with context.db.read(aside=True) as db:
        names = await list_names(db, context.account_id)
        currencies = await context.count_once(
            db, "currencies", partial(count_currencies, db, context.account_id)
        )
        if problem is None:
            tables = make_tables(context, await find_lines(context, db, view), view, names)
    return context.render(
        "revenue/takings.html",
        tables=tables,
        view=view,
        grouping=_(IN_WORDS[view.by]),
        months=months,
        ranges=ranges,
        chosen_range=choose_range(ranges, months, context.query.get("range", "")),
        currencies=list(currencies),
        names=names,
        problem=problem,
        country_name=country_name,
        month_name=lambda month: month_name(context, month),
        short_month=lambda month: short_month(context, month),
    )


def list_ranges(today: date) -> dict[str, tuple[str, MonthRange]]:
    """Months to choose with one click, with their names, by an id for the query string."""
    return {
        "last-12-months": (_("Last 12 months"), read_months("", "", today=today)),
        "this-year": (_("This year"), MonthRange.of_year(today.year)),
        "last-year": (_("Last year"), MonthRange.of_year(today.year - 1)),
    }


def choose_range(
    ranges: Mapping[str, tuple[str, MonthRange]], months: MonthRange, clicked: str
) -> str:
    """The id of the range that has the months; empty if none has them.

    In December, two of them have the same months: the clicked one counts, or else the first.
    """
    same = [id for id, (_name, range) in ranges.items() if range == months]
    return clicked if clicked in same else next(iter(same), "")


async def find_lines(
    context: PageContext, db: Connection, view: TakingsView
) -> Sequence[TakingsLine]:
    """The lines of a view in groups as small as possible."""
    has_countries = view.by in BY_COUNTRY
    return await context.count_once(
        db,
        ("takings", view.counted, has_countries, view.months, view.currency),
        partial(
            _LISTS[view.counted, has_countries],
            db,
            context.account_id,
            view.months,
            currency=view.currency,
        ),
    )


def make_tables(
    context: PageContext, found: Sequence[TakingsLine], view: TakingsView, names: Names
) -> list[TakingsTable]:
    """A table for each currency, that of the account first."""
    own = context.membership.currency
    lines = sorted(add_up(found, view.by), key=lambda line: _place(line, names))
    totals = sorted(add_up(found, "total"), key=lambda line: (line.currency != own, line.currency))
    tables = []
    for total in totals:
        shown = [each for each in lines if each.currency == total.currency]
        if view.by == "country-month":
            sums = add_up(shown, "month")
            months = {each.group.month: each.net for each in sums}
            table = TakingsTable(total.currency, shown, total, by_country(shown), months)
        else:
            table = TakingsTable(total.currency, shown, total)
        tables.append(table)
    return tables


def _place(line: TakingsLine, names: Names) -> tuple[str, bool, int, str, str]:
    """Lines are sorted by month, then by name, but countries by amount, the largest first."""
    group = line.group
    source, product = names.sources.get(group.source_id), names.products.get(group.product_id)
    is_country = not (group.month or group.source_id or group.product_id)
    return (
        group.month,
        is_country and not group.country,
        -line.net if is_country else 0,
        casefold(source or ""),
        casefold(product or ""),
    )
