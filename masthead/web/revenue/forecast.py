"""Deferred revenue as it is expected on a day, and that of paid orders only. It is not stored."""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import date
from functools import partial

from msgspec import Struct
from starlette.responses import Response

from masthead.model.file_names import file_name
from masthead.model.revenue.statement_files import SHOWN_COLUMNS, shown_rows
from masthead.model.translations import format_day, gettext as _
from masthead.services.revenue.forecast import ExpectedFigures, expect_figures
from masthead.services.revenue.statements import is_small
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import read_day
from masthead.web.kit.table_file import asked_ending, table_file


class AskedForecast(Struct, frozen=True):
    """The day of the page. only_paid: without orders that are not paid."""

    day: date
    only_paid: bool


def _read_asked(context: PageContext) -> AskedForecast:
    """What the query string asks for; by default, the end of the year. Raises: Invalid."""
    query, today = context.query, context.membership.daily_date
    text = query.get("day", "").strip()
    day = read_day(text) if text else today.replace(month=12, day=31)
    return AskedForecast(day, bool(query.get("paid")))


async def _find(context: PageContext, asked: AskedForecast) -> ExpectedFigures:
    async with context.db.read(is_long=True) as db:
        return await context.count_once(
            db,
            ("expected figures", asked),
            partial(
                expect_figures,
                db,
                context.account_id,
                asked.day,
                today=context.membership.daily_date,
                only_paid=asked.only_paid,
            ),
        )


async def show_forecast(context: PageContext) -> Response:
    """The page of a day; with many orders, it opens without the figures, and asks for them then.

    Raises: Invalid.
    """
    asked = _read_asked(context)
    is_now = context.query.get("figures") or await is_small(context.db, context.account_id)
    expected = await _find(context, asked) if is_now else None
    today = context.membership.daily_date
    return context.render(
        "revenue/forecast.html",
        asked=asked,
        expected=expected,
        currencies=expected.figures.starting_with(context.membership.currency) if expected else (),
        query={"day": asked.day, "paid": "1" if asked.only_paid else ""},
        today=today,
        is_forecast=asked.day > today,
    )


async def download_forecast(context: PageContext) -> Response:
    """The figures as a file, in which each row says that they are not final. Raises: Invalid."""
    asked, today = _read_asked(context), context.membership.daily_date
    ending = asked_ending(context)
    if asked.day > today:
        name = file_name("deferred-revenue-forecast-{day}.{ending}", day=asked.day, ending=ending)
        note = _("Expected, calculated on {day}: not final").format(day=format_day(today))
    else:
        name = file_name("deferred-revenue-paid-{day}.{ending}", day=asked.day, ending=ending)
        note = _("Calculated on {day}, not stored").format(day=format_day(today))
    if asked.only_paid:
        note = f"{note}; {_('only paid orders')}"
    expected = await _find(context, asked)
    is_net = expected.figures.is_net
    columns = [*(each for each in SHOWN_COLUMNS if is_net or each != "vat"), "note"]

    async def parts() -> AsyncIterator[Sequence[Mapping[str, object]]]:
        for each in expected.figures.starting_with(context.membership.currency):
            total, *others = shown_rows(asked.day, each)
            total["copies_not_sent"] = each.owed_copies
            yield [{**row, "note": note} for row in (total, *others)]

    return await table_file(context, name, columns, parts(), title=_("Deferred revenue"))
