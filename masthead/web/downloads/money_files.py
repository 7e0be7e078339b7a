"""The files of the lists of orders, refunds and revenue statements."""

from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import structs

from masthead.model.errors import NotFound
from masthead.model.file_names import file_name_noop
from masthead.model.inputs import ListQuery
from masthead.model.pagination import Page, PageRequest
from masthead.model.revenue.statement_files import SHOWN_COLUMNS, shown_rows
from masthead.model.translations import gettext_noop
from masthead.model.types.money import money_text
from masthead.model.types.source_names import shown_source
from masthead.services.revenue import statement_orders
from masthead.services.revenue.statement_orders import StatementOrder
from masthead.store.engine.interface import Connection
from masthead.store.revenue import orders, statements
from masthead.store.revenue.orders import OrderFilter, TakenOrder
from masthead.store.revenue.statements import Statement
from masthead.web.downloads.list_file import ListFile, Parts, read_pages, read_query
from masthead.web.kit.context import PageContext
from masthead.web.revenue.statement_orders import read_figure
from masthead.web.revenue.taken_orders import read_filter

_ORDERS = (
    "order_id order_date first_name last_name company source product currency price "
    "discount_amount refunded subscription_id"
).split()
_REFUNDS = (
    "order_id refund_date amount currency reason first_name last_name company source product price "
    "order_date subscription_id"
).split()
_STATEMENTS = "day status created_at ready_at sha256".split()
_STATEMENT_ORDERS = (
    "order_id order_date amount currency price refunds first_issue last_issue period_start "
    "period_end cancelled_date subscription_id"
).split()

_STORED_ROWS = 500  # of a page: to find it, a stored part is read from its beginning

_List = Callable[[Connection, int, OrderFilter, PageRequest], Awaitable[Page[TakenOrder]]]


def _read_orders(context: PageContext) -> Parts:
    return _read_taken(context, orders.list_orders)


def _read_refunds(context: PageContext) -> Parts:
    return _read_taken(context, orders.list_refunds)


def _read_taken(context: PageContext, find: _List) -> Parts:
    asked, _request = read_filter(context)

    async def list_page(db: Connection, request: PageRequest) -> Page[TakenOrder]:
        return await find(db, context.account_id, asked, request)

    return read_pages(context, list_page, _order_row)


def _order_row(item: TakenOrder) -> dict[str, Any]:
    amount = None if item.amount is None else money_text(item.amount, item.currency)
    return {
        **structs.asdict(item),
        "source": shown_source(item.source_name or "") or None,
        "product": item.product_name,
        "price": money_text(item.price, item.currency),
        "discount_amount": money_text(item.discount_amount, item.currency),
        "refunded": money_text(item.refunded, item.currency),
        "amount": amount,
    }


def _read_statements(context: PageContext) -> Parts:
    read_query(context, ListQuery)

    async def list_page(db: Connection, request: PageRequest) -> Page[Statement]:
        return await statements.list_statements(db, context.account_id, request)

    def row(item: Statement) -> dict[str, Any]:
        common = structs.asdict(item)
        return {**common, "day": item.statement_date, "status": item.status.words}

    return read_pages(context, list_page, row)


async def _read_figures(context: PageContext) -> Parts:
    id = context.query.get("statement", "")
    async with context.db.read() as db:
        statement = await statements.get_statement(db, context.account_id, id)
    if statement.figures is None:
        raise NotFound("statement", id)
    for each in statement.figures.currencies:
        apart = {} if statement.figures.is_net else {"vat": None}
        yield [{**row, **apart} for row in shown_rows(statement.figures.day, each)]


async def _read_statement_orders(context: PageContext) -> Parts:
    id = context.query.get("statement", "")
    async with context.db.read() as db:
        statement = await statements.get_statement(db, context.account_id, id)
    query, _values = read_figure(context)

    async def list_page(db: Connection, request: PageRequest) -> Page[StatementOrder]:
        return await statement_orders.list_orders(db, context.account_id, statement, query, request)

    async for part in read_pages(context, list_page, _statement_row, limit=_STORED_ROWS):
        yield part


def _statement_row(item: StatementOrder) -> dict[str, Any]:
    order = item.order
    return {
        **structs.asdict(order),
        "amount": money_text(item.amount, order.currency),
        "price": money_text(order.price, order.currency),
        "refunds": money_text(order.refunds, order.currency),
    }


MONEY_FILES = {
    "orders": ListFile(
        gettext_noop("Orders"), file_name_noop("orders-{day}.{ending}"), _ORDERS, _read_orders
    ),
    "refunds": ListFile(
        gettext_noop("Refunds"), file_name_noop("refunds-{day}.{ending}"), _REFUNDS, _read_refunds
    ),
    "revenue-statements": ListFile(
        gettext_noop("Revenue statements"),
        file_name_noop("revenue-statements-{day}.{ending}"),
        _STATEMENTS,
        _read_statements,
    ),
    "statement-figures": ListFile(
        gettext_noop("Deferred revenue"),
        file_name_noop("statement-figures-{day}.{ending}"),
        SHOWN_COLUMNS,
        _read_figures,
    ),
    "statement-orders": ListFile(
        gettext_noop("Orders"),
        file_name_noop("statement-orders-{day}.{ending}"),
        _STATEMENT_ORDERS,
        _read_statement_orders,
    ),
}
