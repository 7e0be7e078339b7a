"""The forecast: how many copies of the current issue and of each upcoming one to print."""

from collections.abc import AsyncIterator, Sequence
from functools import partial
from http import HTTPStatus

from babel import Locale
from markupsafe import Markup
from starlette.responses import Response
from wtforms import StringField

from masthead.model.file_names import file_name, file_name_noop
from masthead.model.reports.forecasts import PrintRun, Spare, Total, UsualRenewals
from masthead.model.resources import Issue
from masthead.model.translations import gettext as _
from masthead.model.types.countries import known_country
from masthead.model.types.issue_names import own_name
from masthead.services.accounts import AccountSettings, update_account
from masthead.store import accounts
from masthead.store.engine.interface import Database
from masthead.store.issues import records as issues
from masthead.store.reports import forecasts
from masthead.web.kit.charts import Bar, bar_chart, in_two_widths
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import read_number
from masthead.web.kit.form_handling import save_or_show
from masthead.web.kit.formatting import country_in, get_locale, number_in
from masthead.web.kit.forms import BaseForm
from masthead.web.kit.spare_copies import read_spare_copies, read_spare_percent, spare_words
from masthead.web.kit.table_file import asked_ending, table_file
from masthead.web.reports.usual_renewals import find_usual

CSV_TOTALS = (
    "issue_number issue_name release_date copies printed digital if_all_renew grace_copies spare"
    " to_print to_print_if_all_renew usual_renewals to_print_usual_renewals"
).split()
CSV_PARTS = (
    "issue_number issue_name release_date country country_name medium copies printed digital"
    " if_all_renew grace_copies"
).split()


class SpareForm(BaseForm):
    """How many spare copies are printed."""

    spare_percent = StringField("Spare copies, in percent")
    spare_copies = StringField("Spare copies, as a number")


async def show_forecast(context: PageContext) -> Response:
    """Show the print runs of upcoming issues, one of them in detail. Raises: Invalid."""
    return await _show(context, None, HTTPStatus.OK)


async def set_spare(context: PageContext) -> Response:
    """Set the spare copies of the account; a field that is not sent stays as it is."""
    form = SpareForm(context.form_data)

    async def save(form: SpareForm, db: Database) -> Response:
        percent = read_spare_percent(form.spare_percent.data or "")
        chosen = AccountSettings(spare_percent=percent)
        if form.spare_copies.data is not None:
            chosen["spare_copies"] = read_spare_copies(form.spare_copies.data)
        await update_account(db, context.account_id, by=context.actor, **chosen)
        return context.redirect(context.url("forecast"), message=_("The spare copies are saved."))

    return await save_or_show(
        context, form, save, lambda status: _show(context, form, status), is_long=True
    )


async def _show(context: PageContext, form: SpareForm | None, status: HTTPStatus) -> Response:
    """The page. form: with errors, None without."""
    number = read_number(context, "number")
    runs, current, spare, usual = await _read_runs(context)
    upcoming = next((run for run in runs if not run.is_current), None)
    chosen = next((run for run in runs if run.number == number), upcoming)
    return context.render(
        "reports/forecast.html",
        status=status,
        form=form
        or SpareForm(
            None, {"spare_percent": str(spare.percent), "spare_copies": str(spare.copies)}
        ),
        runs=runs,
        chosen=chosen,
        chart=_draw_runs(runs, current, context.locale),
        name_run=_name_run,
        spare=spare,
        spare_words=spare_words(spare),
        usual=usual,
        has_grace=any(run.total.grace_copies for run in runs),
    )


async def _read_runs(
    context: PageContext,
) -> tuple[list[PrintRun], Issue | None, Spare, UsualRenewals | None]:
    """The print runs, the current issue, the spare copies, and the usual renewals.

    The current issue is the first print run, if it is not a coming one.
    """
    account_id, today = context.account_id, context.membership.daily_date
    async with context.db.read(aside=True) as db:
        coming = await forecasts.list_coming_issues(db, account_id, today)
        current = await issues.find_current(db, account_id, today)
        runs = await context.count_once(
            db,
            "print runs",
            partial(forecasts.list_print_runs, db, account_id, coming, current=current),
        )
        spare = await accounts.get_spare(db, account_id)
        return runs, current, spare, await find_usual(context, db)


async def download_forecast(context: PageContext) -> Response:
    """A file with a row for each issue, or with `by=part` for each country and medium too."""
    runs, _current, spare, usual = await _read_runs(context)
    locale = get_locale(context.locale)
    by_part = context.query.get("by") == "part"
    columns = CSV_PARTS if by_part else CSV_TOTALS
    rows = _part_rows(runs, locale) if by_part else _total_rows(runs, spare, usual)

    async def read() -> AsyncIterator[list[dict[str, object]]]:
        yield rows

    by_issue = file_name_noop("forecast-{day}.{ending}")
    by_country = file_name_noop("forecast-{day}-by-country.{ending}")
    name = file_name(
        by_country if by_part else by_issue,
        day=context.membership.daily_date,
        ending=asked_ending(context),
    )
    return await table_file(context, name, columns, read(), title=_("Forecast"))


def _total_rows(
    runs: Sequence[PrintRun], spare: Spare, usual: UsualRenewals | None
) -> list[dict[str, object]]:
    rows = []
    for run in runs:
        total = run.total
        rows.append(
            {**_issue_cells(run), **_count_cells(total)}
            | {
                "spare": spare.of(total.printed + total.printed_grace),
                "to_print": total.to_print(spare),
                "to_print_if_all_renew": total.to_print_if_all_renew(spare),
                "usual_renewals": usual.of(total.renewals) if usual else "",
                "to_print_usual_renewals": total.to_print_usual(spare, usual) if usual else "",
            }
        )
    return rows


def _part_rows(runs: Sequence[PrintRun], locale: Locale) -> list[dict[str, object]]:
    rows = []
    for run in runs:
        for part in sorted(run.parts, key=lambda part: (part.country, part.medium)):
            total = Total()
            total.add(part)
            where = {
                "country": known_country(part.country),
                "country_name": country_in(part.country, locale),
                "medium": _(part.medium.value),
            }
            rows.append({**_issue_cells(run), **where, **_count_cells(total)})
    return rows


def _issue_cells(run: PrintRun) -> dict[str, object]:
    released = run.issue.release_date_actual if run.issue else None
    return {
        "issue_number": run.number,
        "issue_name": run.issue.name if run.issue else "",
        "release_date": released or "",
    }


def _count_cells(total: Total) -> dict[str, object]:
    return {
        "copies": total.copies,
        "printed": total.printed,
        "digital": total.digital,
        "if_all_renew": total.renewals,
        "grace_copies": total.grace_copies,
    }


def _name_run(run: PrintRun) -> str:
    """The number of an issue, and its name if it has one of its own."""
    own = _own_name(run)
    return f"{run.number} · {own}" if own else _("Issue {number}").format(number=run.number)


def _own_name(run: PrintRun) -> str:
    """The name of the issue of a print run; empty if it has none of its own."""
    return own_name(run.issue.name, run.number) if run.issue else ""


def _draw_runs(runs: Sequence[PrintRun], current: Issue | None, locale: str) -> Markup | None:
    """The chart of print runs; None if all of them are empty. current: its bar is marked."""
    if not any(run.total.copies or run.total.renewals for run in runs):
        return None
    bars = [
        Bar(
            str(run.number),
            _own_name(run),
            run.total.copies,
            run.total.renewals,
            is_now=current is not None and run.number == current.number,
        )
        for run in runs
    ]
    description = "; ".join(_describe(bar, locale) for bar in bars)
    return in_two_widths(
        lambda name, width: bar_chart(
            bars,
            name=name,
            title=_("Copies of the current issue and of each upcoming issue"),
            description=description,
            locale=get_locale(locale),
            width=width,
        ),
        "runs",
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
