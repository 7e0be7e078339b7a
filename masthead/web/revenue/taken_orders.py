"""The orders and refunds behind the takings of some months."""

from starlette.responses import Response

from masthead.model.pagination import Page, PageRequest, binding_of
from masthead.model.revenue.takings import Counted
from masthead.model.types.countries import country_in_words
from masthead.store.revenue import orders as store
from masthead.store.revenue.orders import OrderFilter, TakenOrder
from masthead.store.revenue.takings import list_names
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import PAGE
from masthead.web.revenue.takings import month_name, read_range

NAMES = ("from", "to", "source", "product", "country", "currency", "discounts", "counted")


async def list_orders(context: PageContext) -> Response:
    """The orders of some months, newest record first. Raises: Invalid."""
    orders, request = read_filter(context)
    async with context.db.read(aside=True) as db:
        page = await store.list_orders(db, context.account_id, orders, request)
    return await _render(context, "revenue/orders.html", "orders", orders, page)


async def list_refunds(context: PageContext) -> Response:
    """The refunds of some months, newest record first. Raises: Invalid."""
    orders, request = read_filter(context)
    async with context.db.read(aside=True) as db:
        page = await store.list_refunds(db, context.account_id, orders, request)
    return await _render(context, "revenue/refunds.html", "refunds", orders, page)


def read_filter(context: PageContext) -> tuple[OrderFilter, PageRequest]:
    """The filter in the query string, and the page of the list. Raises: Invalid."""
    values = _values(context)
    orders = OrderFilter(
        months=read_range(context),
        source_id=values["source"],
        product_id=values["product"],
        country=values["country"],
        currency=values["currency"],
        only_discounts=bool(values["discounts"]),
        with_billed=values["counted"] == Counted.ORDERED,
    )
    binding = binding_of(context.account_id, context.request.url.path, values)
    cursor = context.query.get("cursor") or None
    return orders, PageRequest.from_cursor(cursor, limit=PAGE, binding=binding)


def _values(context: PageContext) -> dict[str, str]:
    return {name: context.query.get(name, "").strip() for name in NAMES}


async def _render(
    context: PageContext, template: str, path: str, orders: OrderFilter, page: Page[TakenOrder]
) -> Response:
    names = await list_names(context.db, context.account_id)
    return context.render(
        template,
        page=page,
        orders=orders,
        names=names,
        values=_values(context),
        here=lambda **query: context.url("money", path, **query),
        is_first=not context.query.get("cursor"),
        country_in_words=country_in_words,
        month_name=lambda month: month_name(context, month),
    )
