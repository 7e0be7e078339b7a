"""Each figure of a statement leads to its orders, whose amounts add up to it."""

import pytest

from masthead.model.errors import Invalid
from masthead.model.pagination import PageRequest, decode_cursor
from masthead.services.revenue import statements as service
from masthead.services.revenue.statement_orders import (
    Figure,
    FigureQuery,
    Group,
    StatementOrder,
    list_orders,
)
from masthead.store.engine.interface import Database
from masthead.store.revenue import statements as store
from masthead.store.revenue.statements import Statement, StatementFile
from tests.conftest import Cast, Client, make_account
from tests.support.revenue import make_orders, make_statement

FIRST_PAGE = PageRequest(50, None, b"")


@pytest.fixture(scope="module")
async def acme(client: Client, db: Database) -> Cast:
    """An account that these tests share: they only read."""
    return await make_account(client, db, "Acme")


@pytest.fixture(scope="module")
async def statement(acme: Cast) -> Statement:
    """A statement whose file of orders has several parts."""
    await make_orders(acme)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(service, "PART_BYTES", 200)
        patched.setattr(service, "BATCH", 2)
        made = await make_statement(acme)
    parts = await store.list_parts(acme.db, acme.account_id, made.id, StatementFile.ORDERS)
    assert len(parts) > 2
    return made


async def walk_orders(cast: Cast, statement: Statement, query: FigureQuery) -> list[StatementOrder]:
    """The orders behind a figure, in pages of two."""
    found: list[StatementOrder] = []
    after = None
    while True:
        request = PageRequest(2, after, b"")
        page = await list_orders(cast.db, cast.account_id, statement, query, request)
        found += page.items
        if page.cursor is None:
            return found
        after = decode_cursor(b"", page.cursor)


def figure_of(statement: Statement, query: FigureQuery) -> int:
    """The figure, as its page shows it."""
    assert statement.figures is not None
    figures = statement.figures.find(query.currency)
    assert figures is not None
    if query.group is Group.LATER:
        return figures.later
    name = "kept" if query.figure is Figure.KEPT else query.figure.value
    amounts = {
        Group.ALL: figures.total,
        Group.SUBSCRIPTIONS: figures.subscriptions,
        Group.MEMBERSHIPS: figures.memberships,
    }
    of_issue = {each.number: each for each in figures.issues}
    source = amounts[query.group] if query.issue is None else of_issue[query.issue]
    amount: int = getattr(source, name)
    return amount


@pytest.mark.parametrize(
    "query",
    [
        FigureQuery(currency="EUR", figure=Figure.PRICE),
        FigureQuery(currency="EUR", figure=Figure.REFUNDS),
        FigureQuery(currency="EUR", figure=Figure.KEPT, group=Group.SUBSCRIPTIONS),
        FigureQuery(currency="EUR", figure=Figure.EARNED, group=Group.MEMBERSHIPS),
        FigureQuery(currency="EUR", figure=Figure.DEFERRED),
        FigureQuery(currency="EUR", figure=Figure.DEFERRED, group=Group.LATER),
        FigureQuery(currency="EUR", figure=Figure.DEFERRED, issue=3),
        FigureQuery(currency="EUR", figure=Figure.EARNED, issue=2),
        FigureQuery(currency="USD", figure=Figure.DEFERRED, issue=2),
    ],
    ids=str,
)
async def test_each_figure_is_the_sum_of_its_orders(
    acme: Cast, statement: Statement, query: FigureQuery
) -> None:
    found = await walk_orders(acme, statement, query)
    assert len({each.order.order_id for each in found}) == len(found)
    assert sum(each.amount for each in found) == figure_of(statement, query) > 0


async def test_a_currency_that_no_order_has_is_refused(acme: Cast, statement: Statement) -> None:
    query = FigureQuery(currency="GBP", figure=Figure.EARNED)
    with pytest.raises(Invalid, match="no orders in GBP"):
        await list_orders(acme.db, acme.account_id, statement, query, FIRST_PAGE)
