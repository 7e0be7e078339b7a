"""Forecasting the copies of an issue, and reading its addresses."""

from datetime import date

from masthead.model.types.enums import CopyStatus
from masthead.store.reports import forecasts, fulfilment
from tests.conftest import Cast
from tests.support.factories import make_issue, make_membership, make_subscription


async def test_a_new_issue_gets_as_many_copies_as_forecast(acme: Cast, rival: Cast) -> None:
    for cast in (acme, rival):
        await make_issue(cast)
        await make_subscription(cast, length=3)
        await make_subscription(cast, length=1)
        gone = await make_subscription(cast, length=3)
        await cast.post(f"/v1/subscriptions/{gone['id']}/cancel/", {"mode": "cancel"})
        await make_membership(cast)
        await make_membership(cast, status="Cancelled")

    async def owed(number: int, released: date | None) -> int:
        return await forecasts.count_future_copies(acme.db, acme.account_id, number, released)

    assert await owed(2, None) == 1
    assert await owed(2, date(2098, 12, 31)) == 1
    assert await owed(9, date(2099, 1, 1)) == 1
    assert await owed(2, date(2099, 12, 31)) == 2
    await make_issue(acme, 2, release_date_actual="2099-12-31")
    assert await fulfilment.count_unsent(acme.db, acme.account_id, [2]) == {2: 2}


async def test_addresses_are_read_in_pages(acme: Cast) -> None:
    await make_issue(acme)
    made = [await make_subscription(acme) for _ in range(3)]
    found, after = list[str](), 0
    where = acme.db, acme.account_id, 1, CopyStatus.NOT_SENT
    while rows := await fulfilment.list_addresses(*where, after=after, limit=2):
        found += [row.subscription_id for row in rows]
        after = rows[-1].id
    assert found == [each["id"] for each in made]
