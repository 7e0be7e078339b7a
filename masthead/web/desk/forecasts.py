"""The forecast: how many copies of each upcoming issue to print."""

from collections.abc import Sequence

from babel.numbers import format_decimal
from markupsafe import Markup
from starlette.responses import Response

from masthead.model.reports.forecasts import PrintRun
from masthead.store.reports import forecasts
from masthead.web.kit.charts import Bar, bar_chart
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import read_number
from masthead.web.kit.formatting import get_locale

MAX_LABEL = 13  # characters that fit below a bar


async def show_forecast(context: PageContext) -> Response:
    """Show the print runs of upcoming issues, one of them in detail. Raises: Invalid."""
    number = read_number(context, "number")
    async with context.db.read(aside=True) as db:
        coming = await forecasts.list_coming_issues(
            db, context.account_id, context.membership.daily_date
        )
        runs = await forecasts.list_print_runs(db, context.account_id, coming)
    chosen = next((run for run in runs if run.number == number), runs[0] if runs else None)
    chart = _draw_runs(runs, context.membership.locale)
    return context.render(
        "desk/forecast.html", runs=runs, chosen=chosen, chart=chart, name_run=_name_run
    )


def _name_run(run: PrintRun) -> str:
    """The number of an issue, and its name if it has one of its own."""
    default = f"Issue {run.number}"
    return (
        f"{run.number} · {run.issue.name}" if run.issue and run.issue.name != default else default
    )


def _shorten(name: str) -> str:
    """The part of a name that fits below a bar."""
    return name if len(name) <= MAX_LABEL else f"{name[: MAX_LABEL - 1]}…"


def _draw_runs(runs: Sequence[PrintRun], locale: str) -> Markup | None:
    """The chart of print runs; None if all of them are empty."""
    totals = [run.total for run in runs]
    if not any(total.copies or total.renewals for total in totals):
        return None
    bars = [
        Bar(
            _shorten(_name_run(run)),
            total.copies,
            total.renewals,
            format_decimal(total.copies, locale=get_locale(locale))
            + (
                f" + {format_decimal(total.renewals, locale=get_locale(locale))}"
                if total.renewals
                else ""
            ),
        )
        for run, total in zip(runs, totals, strict=True)
    ]
    description = "; ".join(
        f"{_name_run(run)}: {bar.text}" for run, bar in zip(runs, bars, strict=True)
    )
    title = "Copies of each upcoming issue"
    return bar_chart(bars, name="runs", title=title, description=description)
