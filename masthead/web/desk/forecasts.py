"""The forecast: how many copies of each coming issue to print."""

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

LETTERS = 15


async def show_forecast(context: PageContext) -> Response:
    """The print run of each coming issue, of one of them by country and medium. Raises: Invalid."""
    asked = read_number(context, "number")
    async with context.db.read(aside=True) as db:
        coming = await forecasts.list_coming_issues(
            db, context.account_id, context.membership.daily_date
        )
        runs = await forecasts.list_print_runs(db, context.account_id, coming)
    chosen = next((run for run in runs if run.number == asked), runs[0] if runs else None)
    chart = draw_runs(runs, context.membership.locale)
    return context.render(
        "desk/forecast.html", runs=runs, chosen=chosen, chart=chart, name_of=name_of
    )


def name_of(run: PrintRun) -> str:
    """The number with the name, unless the name is no more than the number."""
    usual = f"Issue {run.number}"
    return f"{run.number} · {run.issue.name}" if run.issue and run.issue.name != usual else usual


def _cut(name: str) -> str:
    """As much of a name as fits below a bar."""
    return name if len(name) <= LETTERS else f"{name[: LETTERS - 1]}…"


def draw_runs(runs: Sequence[PrintRun], locale: str) -> Markup | None:
    """The chart of print runs, None if there is nothing to draw."""
    totals = [run.total for run in runs]
    if not any(total.copies or total.renewals for total in totals):
        return None
    bars = [
        Bar(
            _cut(name_of(run)),
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
    said = "; ".join(f"{name_of(run)}: {bar.text}" for run, bar in zip(runs, bars, strict=True))
    return bar_chart(bars, name="runs", title="Copies of each coming issue", description=said)
