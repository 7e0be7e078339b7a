"""What each sent issue earned, by the statement of the latest day."""

from collections.abc import AsyncIterator, Mapping, Sequence

from starlette.responses import Response

from masthead.model.errors import NotFound
from masthead.model.file_names import file_name
from masthead.model.revenue.statement_figures import CurrencyFigures, IssueSums
from masthead.model.translations import gettext as _
from masthead.model.types.issue_names import shown_name
from masthead.model.types.money import money_text
from masthead.store.revenue import statements as store
from masthead.store.revenue.statements import Statement, StatementStatus
from masthead.web.kit.context import PageContext
from masthead.web.kit.table_file import asked_ending, table_file
from masthead.web.revenue.statements import common_variables

COLUMNS = "day currency issue issue_name copies_sent earned per_copy".split()


async def show_issues(context: PageContext) -> Response:
    """The issues by currency, newest first. Raises: NotFound."""
    statement = await _find_statement(context)
    return context.render(
        "revenue/issues.html",
        statement=statement,
        **common_variables(context),
        per_copy=_per_copy,
        today=context.membership.daily_date,
    )


async def _find_statement(context: PageContext) -> Statement | None:
    """The statement that the query string names, or that of the latest day. Raises: NotFound."""
    id = context.query.get("statement", "")
    async with context.db.read() as db:
        if not id:
            return await store.find_latest_ready(db, context.account_id)
        statement = await store.get_statement(db, context.account_id, id)
    if statement.status is not StatementStatus.READY:
        raise NotFound("statement", id)
    return statement


def _per_copy(issue: IssueSums, currency: str) -> str:
    """What a sent copy earned, on average, rounded to the nearest minor unit."""
    return money_text((2 * issue.earned + issue.copies) // (2 * issue.copies), currency)


async def download_issues(context: PageContext) -> Response:
    """The issues as a file. Raises: NotFound."""
    statement = await _find_statement(context)
    if statement is None or statement.figures is None:
        raise NotFound("statement", "")
    name = file_name(
        "earned-by-issue-{day}.{ending}",
        day=statement.statement_date,
        ending=asked_ending(context),
    )
    rows = _rows(statement, statement.figures.currencies)
    return await table_file(context, name, COLUMNS, rows, title=_("Earned by issue"))


async def _rows(
    statement: Statement, currencies: Sequence[CurrencyFigures]
) -> AsyncIterator[Sequence[Mapping[str, object]]]:
    for figures in currencies:
        yield [
            {
                "day": statement.statement_date,
                "currency": figures.currency,
                "issue": issue.number,
                "issue_name": shown_name(issue.name, issue.number),
                "copies_sent": issue.copies,
                "earned": money_text(issue.earned, figures.currency),
                "per_copy": _per_copy(issue, figures.currency),
            }
            for issue in figures.sent_issues
        ]
