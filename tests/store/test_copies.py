"""What is read of copies before they are marked as sent."""

import json
from datetime import date

from msgspec import UNSET

from masthead.store.copies import mark_sent
from masthead.store.engine.interface import Transaction
from tests.conftest import BY, Cast
from tests.support.factories import copies_of, make_issue, make_subscription


async def test_a_subscription_with_copies_of_two_issues_is_named_once(acme: Cast) -> None:
    await make_issue(acme, 1)
    await make_issue(acme, 2)
    two = await make_subscription(acme, length=2)
    one = await make_subscription(acme, length=1)
    copies = [copy["id"] for made in (two, one) for copy in await copies_of(acme, made["id"])]
    assert len(copies) == 3

    async def work(tx: Transaction) -> str:
        return await mark_sent(tx, acme.account_id, copies, UNSET, by=BY)

    assert sorted(json.loads(await acme.db.write(work))) == sorted([two["id"], one["id"]])
    assert not await acme.db.write(work)


async def test_copies_that_get_another_date_name_no_subscription(acme: Cast) -> None:
    await make_issue(acme, 1)
    made = await make_subscription(acme, length=1)
    copies = [copy["id"] for copy in await copies_of(acme, made["id"])]

    async def work(tx: Transaction) -> list[str]:
        days = UNSET, date(2026, 1, 15)
        return [await mark_sent(tx, acme.account_id, copies, day, by=BY) for day in days]

    assert await acme.db.write(work) == [f'["{made["id"]}"]', ""]
