"""Which subscriptions of a bundle a page changes."""

from masthead.model.types.enums import SubscriptionStatus
from masthead.services.subscriptions.bundles import Together, get_bundle
from tests.conftest import Cast
from tests.support.factories import make_issues
from tests.support.subscribers import set_columns
from tests.web.subscriptions.facts import cancel
from tests.web.subscriptions.test_renew import make_bundle


async def test_one_copy_those_for_one_address_or_the_whole_order_change(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    first, second, elsewhere, over = await make_bundle(acme, 4)
    await set_columns(acme, "subscription", elsewhere, city="Ulm")
    await cancel(acme, over)
    bundle = await get_bundle(acme.db, acme.account_id, second)
    open_ones = {SubscriptionStatus.ACTIVE}
    assert bundle.choose(Together.ONE, open_ones) == [second]
    assert bundle.choose(Together.GROUP, open_ones) == [first, second]
    assert bundle.choose("any other text", open_ones) == [first, second]
    assert bundle.choose(Together.ALL, open_ones) == [first, second, elsewhere]
    assert bundle.choose(Together.ALL, {*open_ones, SubscriptionStatus.CANCELLED}) == [
        *(first, second, elsewhere, over)
    ]
