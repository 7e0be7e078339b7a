"""Work out the day of a statement again, and compare the two."""

from starlette.responses import Response

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.services.revenue.statement_orders import StatementComparison, compare_statements
from masthead.store.revenue import statements as store
from masthead.store.revenue.statements import StatementStatus
from masthead.web.kit.context import PageContext
from masthead.web.kit.forms import BaseForm
from masthead.web.revenue.statements import (
    common_variables,
    get_ready,
    make_statement,
    refresh_if_waiting,
)

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
