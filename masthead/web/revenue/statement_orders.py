"""The orders behind a figure of a statement."""

from starlette.responses import Response

from masthead.model.pagination import PageRequest, binding_of
from masthead.services.revenue import statement_orders as service
from masthead.services.revenue.statement_orders import Figure, FigureQuery, Group, sum_of
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import PAGE, read_number
from masthead.web.revenue.statements import get_ready

NAMES = ("currency", "figure", "group", "issue")


async def list_orders(context: PageContext) -> Response:
    """The orders of a figure, oldest record first. Raises: NotFound, Invalid."""
    statement = await get_ready(context)
    query, values = read_figure(context)
    binding = binding_of(context.account_id, context.request.url.path, values)
    cursor = context.query.get("cursor") or None
    request = PageRequest.from_cursor(cursor, limit=PAGE, binding=binding)
    total = sum_of(statement, query)
    async with context.db.read(aside=True) as db:
        page = await service.list_orders(db, context.account_id, statement, query, request)
    return context.render(
        "revenue/statement_orders.html",
        statement=statement,
        query=query,
        values=values,
        total=total,
        page=page,
        is_first=cursor is None,
    )


def read_figure(context: PageContext) -> tuple[FigureQuery, dict[str, str]]:
    """The figure in the query string, and the texts of its parts. Raises: Invalid."""
    values = {name: context.query.get(name, "").strip() for name in NAMES}
    query = FigureQuery(
        currency=values["currency"],
        figure=Figure(values["figure"]) if values["figure"] in set(Figure) else Figure.PRICE,
        group=Group(values["group"]) if values["group"] in set(Group) else Group.ALL,
        issue=read_number(context, "issue"),
    )
    return query, values
