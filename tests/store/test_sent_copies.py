"""What is read of copies before they are marked as sent."""

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

    async def work(tx: Transaction) -> list[str]:
        return await mark_sent(tx, acme.account_id, copies, UNSET, by=BY)

    assert sorted(await acme.db.write(work)) == sorted([two["id"], one["id"]])
