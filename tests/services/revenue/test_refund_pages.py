"""The list of refunds in pages."""

from masthead.model.pagination import PageRequest, decode_cursor
from masthead.model.revenue.takings import read_months
from masthead.store.revenue.orders import OrderFilter, TakenOrder, list_refunds
from tests.conftest import Cast
from tests.support.revenue import TODAY, make_orders


async def test_the_second_page_of_refunds_continues_the_first(acme: Cast) -> None:
    await make_orders(acme)
    asked = OrderFilter(months=read_months("2026-01", "2026-12", today=TODAY))
    whole = await list_refunds(acme.db, acme.account_id, asked, PageRequest(9, None, b""))
    assert sorted((item.order_id, item.amount) for item in whole.items) == [
        ("CLUB", 1000),
        ("REFUND", 500),
        ("REFUND", 3000),
    ]
    found: list[TakenOrder] = []
    after = None
    while True:
        page = await list_refunds(acme.db, acme.account_id, asked, PageRequest(2, after, b""))
        found += page.items
        if page.cursor is None:
            break
        after = decode_cursor(b"", page.cursor)
    assert found == whole.items  # in any order of records made in the same millisecond
