"""The forecast: how many copies of each upcoming issue to print."""

from collections.abc import Sequence

from markupsafe import Markup
from msgspec import Struct
from starlette.responses import Response

from masthead.model.reports.forecasts import PrintRun
from masthead.model.resources import Issue
from masthead.model.translations import gettext as _
from masthead.model.types.enums import CopyStatus
from masthead.store import issues
from masthead.store.reports import forecasts, fulfilment
from masthead.web.kit.charts import Bar, bar_chart
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import read_number
from masthead.web.kit.formatting import get_locale, number_in


class CurrentRun(Struct, frozen=True):
    """The current issue, to compare with: its copies that are not Cancelled."""

    issue: Issue
    copies: int


async def show_forecast(context: PageContext) -> Response:
    """Show the print runs of upcoming issues, one of them in detail. Raises: Invalid."""
    number = read_number(context, "number")
    today = context.membership.daily_date
    async with context.db.read(aside=True) as db:
        coming = await forecasts.list_coming_issues(db, context.account_id, today)
        runs = await forecasts.list_print_runs(db, context.account_id, coming)
        issue = await issues.find_current(db, context.account_id, today)
        current = None
        if issue is not None and issue.number not in {run.number for run in runs}:
            counts = await fulfilment.count_by_status(db, context.account_id, issue.number)
            copies = counts[CopyStatus.NOT_SENT] + counts[CopyStatus.SENT]
            current = CurrentRun(issue, copies)
    chosen = next((run for run in runs if run.number == number), runs[0] if runs else None)
    return context.render(
        "desk/forecast.html",
        runs=runs,
        current=current,
        chosen=chosen,
        chart=_draw_runs(runs, current, issue, context.locale),
        name_run=_name_run,
    )


def _own_name(number: int, issue: Issue | None) -> str:
    """The name of an issue; empty if it only repeats the number."""
    return issue.name if issue and issue.name != f"Issue {number}" else ""


def _name_run(run: PrintRun) -> str:
    """The number of an issue, and its name if it has one of its own."""
    own = _own_name(run.number, run.issue)
    return f"{run.number} · {own}" if own else _("Issue {number}").format(number=run.number)


def _draw_runs(
    runs: Sequence[PrintRun], current: CurrentRun | None, today: Issue | None, locale: str
) -> Markup | None:
    """The chart of print runs after the current issue; None if all of them are empty.

    today: the issue that is current; its bar is marked.
    """
    if not any(run.total.copies or run.total.renewals for run in runs):
        return None
    bars = [
        Bar(
            str(run.number),
            _own_name(run.number, run.issue),
            run.total.copies,
            run.total.renewals,
            is_now=today is not None and run.number == today.number,
        )
        for run in runs
    ]
    if current is not None:
        own = _own_name(current.issue.number, current.issue)
        bars.insert(0, Bar(str(current.issue.number), own, current.copies, 0, is_now=True))
    description = "; ".join(_describe(bar, locale) for bar in bars)
    return bar_chart(
        bars,
        name="runs",
        title=_("Copies of the current issue and of each upcoming issue"),
        description=description,
        locale=get_locale(locale),
    )


def _describe(bar: Bar, locale: str) -> str:
    """What a bar shows, for screen readers."""
    text = _("Issue {number}: {copies}, and {more} if all renew")
    if not bar.more:
        text = _("Issue {number}: {copies}")
    return text.format(
        number=bar.label,
        copies=number_in(bar.value, get_locale(locale)),
        more=number_in(bar.more, get_locale(locale)),
    )
