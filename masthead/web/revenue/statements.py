"""Revenue statements: their list, the form for another one, the page of one, and a comparison."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from starlette.responses import Response
from wtforms import BooleanField, StringField
from wtforms.validators import InputRequired
from wtforms.widgets import DateInput

from masthead.model.errors import Invalid, NotFound
from masthead.model.file_names import file_name, file_name_noop
from masthead.model.inputs import ListQuery
from masthead.model.translations import gettext as _
from masthead.services.revenue import statements as service
from masthead.services.revenue.statement_orders import StatementComparison, compare_statements
from masthead.store.engine.interface import Database
from masthead.store.revenue import statements as store
from masthead.store.revenue.statements import Statement, StatementFile, StatementStatus
from masthead.web.kit.attachments import UTF8_CSV
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters, read_day
from masthead.web.kit.form_handling import handle_form, save_form
from masthead.web.kit.forms import BaseForm, trimmed


class StatementForm(BaseForm):
    """The day of a statement. only_paid: the figures are shown, not stored."""

    day = StringField("Day", [InputRequired("Choose a day.")], [trimmed], widget=DateInput())
    only_paid = BooleanField("Only paid orders")


def last_month_end(today: date) -> date:
    """The last day of the month before."""
    return today.replace(day=1) - timedelta(days=1)


def usual_days(today: date) -> list[date]:
    """The ends of the month before, of this month and of this year."""
    after = (today.replace(day=28) + timedelta(days=4)).replace(day=1)
    days = {last_month_end(today), after - timedelta(days=1), today.replace(month=12, day=31)}
    return sorted(days)


async def list_statements(context: PageContext) -> Response:
    """The statements, newest first, and the form for another one.

    A day in the query string selects the newest statement of that day, if there is one.
    """
    if not context.is_post and (day := context.query.get("day", "").strip()):
        found = await _find_of_day(context, day)
        if found is not None:
            return context.redirect(context.url("money", "deferred", found.id))
    _query, request = decode_filters(context, ListQuery)
    async with context.db.read() as db:
        page = await store.list_statements(db, context.account_id, request)
    today = context.membership.daily_date
    ends = usual_days(today)
    chosen = context.query.get("day") or max(day for day in ends if day <= today).isoformat()

    async def save(form: StatementForm, db: Database) -> Response:
        day = read_day(form.day.data)
        if form.only_paid.data or day > context.membership.daily_date:
            query = {"day": day, "paid": "1" if form.only_paid.data else ""}
            return context.redirect(context.url("money", "deferred", "forecast", **query))
        return await make_statement(
            context, form, day, lambda id: context.url("money", "deferred", id)
        )

    return await handle_form(
        context,
        StatementForm,
        "revenue/statements.html",
        save,
        in_transaction=False,
        initial={"day": chosen},
        page=page,
        is_first=request.after is None,
        asked=bool(context.query.get("day")),
        usual_days=ends,
        today=today,
        **common_variables(context),
    )


async def _find_of_day(context: PageContext, text: str) -> Statement | None:
    try:
        day = read_day(text)
    except Invalid:
        return None  # the form shows it
    async with context.db.read() as db:
        return await store.find_statement_of(db, context.account_id, day)


async def make_statement(
    context: PageContext, form: BaseForm, day: date, address: Callable[[str], str]
) -> Response:
    """Request a statement, work it out at once if there are few orders, and redirect.

    address: of the page to show, for the id of the statement. Raises: Invalid.
    """
    id = ""

    async def save(form: BaseForm, db: Database) -> Response:
        nonlocal id
        id = await service.request_statement(
            db, context.account_id, day, today=context.membership.daily_date, by=context.actor
        )
        return context.redirect(address(id))

    response = await save_form(context, form, save)
    if id and await service.is_small(context.db, context.account_id):
        await service.make_statement(context.db, context.account_id, id)
    return response


async def show_statement(context: PageContext) -> Response:
    """The page of a statement, or only its state while htmx waits for it. Raises: NotFound."""
    async with context.db.read() as db:
        statement = await store.get_statement(db, context.account_id, context.path["id"])
    response = context.render(
        "revenue/statement.html", statement=statement, **common_variables(context)
    )
    if statement.status is not StatementStatus.WAITING:
        refresh_if_waiting(context, response)
    return response


def common_variables(context: PageContext) -> dict[str, Any]:
    """The variables of all pages about statements."""
    own = context.membership.currency
    return {
        "again": BaseForm(),
        "own_first": lambda figures: figures.starting_with(own),
    }


def refresh_if_waiting(context: PageContext, response: Response) -> None:
    """Let htmx, which waits for a part of the page, load the whole page."""
    if context.request.headers.get("HX-Target") == "waiting":
        response.headers["HX-Refresh"] = "true"


async def get_ready(context: PageContext) -> Statement:
    """The statement of the page, which must be ready. Raises: NotFound."""
    id = context.path["id"]
    async with context.db.read() as db:
        statement = await store.get_statement(db, context.account_id, id)
    if statement.status is not StatementStatus.READY:
        raise NotFound("statement", id)
    return statement


async def download_figures(context: PageContext) -> Response:
    """The CSV file of the figures, as it was stored. Raises: NotFound."""
    name = file_name_noop("deferred-revenue-{day}.csv")
    return await _download(context, StatementFile.FIGURES, name)


async def download_orders(context: PageContext) -> Response:
    """The CSV file of the orders, as it was stored. Raises: NotFound."""
    name = file_name_noop("deferred-revenue-orders-{day}.csv")
    return await _download(context, StatementFile.ORDERS, name)


async def _download(context: PageContext, file: StatementFile, name: str) -> Response:
    statement = await get_ready(context)
    content = service.read_file(context.db, context.account_id, statement.id, file)
    shown = file_name(name, day=statement.statement_date)
    await context.record_download(shown)
    return context.download(content, shown, UTF8_CSV)


SHOWN = 100  # orders that differ


async def make_again(context: PageContext) -> Response:
    """Make another statement of the same day, and compare. Raises: NotFound, Invalid."""
    statement = await get_ready(context)

    def address(id: str) -> str:
        return context.url("money", "deferred", statement.id, "compare", **{"with": id})

    return await make_statement(
        context, BaseForm(context.form_data), statement.statement_date, address
    )


async def compare(context: PageContext) -> Response:
    """The orders that differ between two statements of a day. Raises: NotFound, Invalid."""
    statement = await get_ready(context)
    found: StatementComparison | None = None
    async with context.db.read(is_long=True) as db:
        other = await store.get_statement(db, context.account_id, context.query.get("with", ""))
        if other.statement_date != statement.statement_date:
            raise Invalid(_("The two statements are of different days."), field="with")
        if other.status is StatementStatus.READY:
            found = await compare_statements(db, context.account_id, statement, other, limit=SHOWN)
    response = context.render(
        "revenue/comparison.html",
        statement=statement,
        other=other,
        found=found,
        **common_variables(context),
    )
    if other.status is not StatementStatus.WAITING:
        refresh_if_waiting(context, response)
    return response
