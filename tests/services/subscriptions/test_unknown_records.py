"""Records of other accounts, or that do not exist, are not found; nothing is saved."""

from datetime import date

import pytest

from masthead.model.errors import Invalid, NotFound
from masthead.model.orders.order import OrderDefaults
from masthead.model.subscriptions.cancellations import CancelReason
from masthead.model.subscriptions.renewals import Renewal
from masthead.model.types.enums import CancelMode, Medium
from masthead.services.subscriptions.bundles import get_bundle
from masthead.services.subscriptions.cancel import CancelDetails, end_together
from masthead.services.subscriptions.cancel_preview import digest_previews, preview_cancel
from masthead.services.subscriptions.refunds import Refund, refund_order
from masthead.services.subscriptions.renew import renew_together
from masthead.services.subscriptions.reopen import reopen_subscription
from masthead.services.subscriptions.terms import SubscriptionTerms, change_terms
from tests.conftest import BY, Cast
from tests.support.factories import copies_of, make_issue, make_subscription

ENDING = CancelDetails(reason=CancelReason.MOVED)


@pytest.fixture
async def foreign(acme: Cast, rival: Cast) -> str:
    """The id of a subscription of another account."""
    await make_issue(rival)
    id: str = (await make_subscription(rival))["id"]
    return id


async def test_a_subscription_of_another_account_cannot_be_changed(
    acme: Cast, rival: Cast, foreign: str
) -> None:
    db, account_id = acme.db, acme.account_id
    renewal = Renewal(order_id="X", order_date=date(2026, 3, 1), price=0, currency="EUR", length=4)
    terms = SubscriptionTerms(medium=Medium.PRINT, start_issue=1, length=4)
    refund = Refund(amounts={1: 100}, day=date(2026, 3, 1))
    for attempt in (
        end_together(db, account_id, [foreign], ENDING, seen="", by=BY),
        refund_order(db, account_id, foreign, refund, seen={}, by=BY),
        renew_together(
            db,
            account_id,
            [foreign],
            renewal,
            source_id=acme.shop,
            seen=[],
            defaults=OrderDefaults("EUR", "placeholder.example"),
            by=BY,
        ),
        reopen_subscription(db, account_id, foreign, seen="", by=BY),
        change_terms(db, account_id, foreign, terms, seen=terms, seen_orders=1, by=BY),
        get_bundle(db, account_id, foreign),
    ):
        with pytest.raises(NotFound):
            await attempt
    assert (await rival.get(f"/v1/subscriptions/{foreign}/")).json()["status"] == "Active"


async def test_an_order_of_another_subscription_is_not_refunded(acme: Cast) -> None:
    await make_issue(acme)
    one, two = [await make_subscription(acme) for _ in range(2)]
    refund = Refund(amounts={two["periods"][0]["id"]: 100}, day=date(2026, 3, 1))
    with pytest.raises(NotFound, match="order"):
        await refund_order(acme.db, acme.account_id, one["id"], refund, seen={}, by=BY)
    # a period that the form has seen but that is not there is ignored
    await refund_order(
        acme.db,
        acme.account_id,
        one["id"],
        Refund(amounts={}, day=date(2026, 3, 1)),
        seen={two["periods"][0]["id"]: 0},
        by=BY,
    )
    assert (await acme.get(f"/v1/subscriptions/{two['id']}/")).json()["refunded"] == "0.00"


async def end(cast: Cast, id: str, ending: CancelDetails) -> None:
    """End a subscription with the digest of the current preview."""
    async with cast.db.read() as db:
        preview = await preview_cancel(db, cast.account_id, id, CancelMode.CANCEL, day=date.max)
    seen = digest_previews([preview])
    await end_together(cast.db, cast.account_id, [id], ending, seen=seen, by=BY)


async def test_a_complete_subscription_is_not_ended_by_staff(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, length=1)
    [copy] = await copies_of(acme, made["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]]})
    with pytest.raises(Invalid, match="complete") as refusal:
        await end(acme, made["id"], ENDING)
    assert refusal.value.code == "complete"


async def test_what_is_cancelled_already_stays_as_it_was(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    for reason in (CancelReason.MOVED, CancelReason.DIED):
        await end(acme, made["id"], CancelDetails(reason=reason))
    rows = await acme.db.fetch_all(
        "SELECT reason FROM cancellation WHERE account_id = :id", {"id": acme.account_id}
    )
    assert [row["reason"] for row in rows] == ["moved"]
