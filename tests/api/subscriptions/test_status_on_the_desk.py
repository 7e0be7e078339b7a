"""Subscriptions by status, as the desk lists and searches them."""

import msgspec
import pytest

from masthead.model.pagination import PageRequest
from masthead.model.queries import SubscriptionQuery
from masthead.store.subscriptions import records as store
from tests.conftest import Cast
from tests.support.factories import import_row, make_issue, make_subscription


async def found(cast: Cast, terms: list[str], **filters: object) -> list[str]:
    """The order ids of the subscriptions that the desk lists."""
    query = msgspec.convert(filters, SubscriptionQuery)
    page = PageRequest(50, None, b"")
    if terms:
        async with cast.db.read(aside=True) as connection:
            text = await store.search_subscriptions(connection, cast.account_id, terms, query, page)
    else:
        text = await store.list_subscriptions(cast.db, cast.account_id, query, page)
    return [item["notes"] for item in msgspec.json.decode(text)["items"]]


@pytest.mark.parametrize("terms", [[], ["ada"]], ids=["listed", "searched"])
async def test_the_desk_combines_the_status_with_every_other_filter(
    acme: Cast, terms: list[str]
) -> None:
    await make_issue(acme)
    row = {"start_issue": "1", "length": "2"}
    gift = {"is_gift": "true", "gifter_name": "Bob", "gifter_email": "bob@example.test"}
    await make_subscription(acme, notes="active", country="DE")
    await import_row(acme, **row, notes="cancelled", status="Cancelled", country="DE")
    await import_row(acme, **row, **gift, notes="gift", status="Cancelled", country="FR")
    assert await found(acme, terms, status="Active") == ["active"]
    assert await found(acme, terms, status="Cancelled") == ["gift", "cancelled"]
    assert await found(acme, terms, status="Past due") == []
    assert await found(acme, terms, status="Cancelled", country="DE") == ["cancelled"]
    assert await found(acme, terms, status="Cancelled", source=acme.shop) == []
    assert await found(acme, terms, status="Cancelled", is_gift=True) == ["gift"]
    assert await found(acme, terms, status="Active", is_gift=True) == []
