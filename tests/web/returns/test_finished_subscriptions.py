"""The pages of subscriptions of which nothing is left to send do not say that copies wait."""

import pytest

from masthead.services.holds.by_hand import hold
from tests.conftest import BY, Cast
from tests.support.factories import make_issue, make_subscription
from tests.support.returns import Sending
from tests.web.conftest import Person


@pytest.mark.parametrize("next_issues", [0, 1])
async def test_a_cancelled_subscription_has_no_copies_that_wait_for_an_address(
    acme: Cast, owner: Person, next_issues: int
) -> None:
    sending = await Sending.freeze(acme, 1)
    (key,) = await sending.keys()
    (made,) = sending.subscriptions
    await acme.post("/v1/delivery-reports/", {"reports": [{"key": key, "kind": "undeliverable"}]})
    pages = [
        owner.address("subscriptions", made["id"]),
        owner.address("subscribers", made["subscriber"]["id"]),
    ]
    for page in pages:
        assert "The copies wait" in (await owner.http.get(page)).text
    await acme.post(f"/v1/dispatches/{sending.run.id}/mark-sent/", {"date": "2026-05-03"})
    for number in range(2, 2 + next_issues):
        await make_issue(acme, number)
    await acme.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "cancel"})
    for page in pages:
        assert "The copies wait" not in (await owner.http.get(page)).text


async def test_a_cancelled_subscription_is_not_shown_as_held(acme: Cast, owner: Person) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    await hold(acme.db, acme.account_id, made["id"], reason="Dispute", by=BY)
    pages = [
        owner.address("subscriptions", made["id"]),
        owner.address("subscribers", made["subscriber"]["id"]),
    ]
    for page in pages:
        assert "mailings leave them out" in (await owner.http.get(page)).text
    await acme.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "cancel"})
    for page in pages:
        assert "mailings leave them out" not in (await owner.http.get(page)).text
