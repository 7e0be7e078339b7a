"""Two users change one subscription: the second sees the change and overwrites nothing."""

import pytest

from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.inputs import SubscriptionUpdate
from masthead.services.subscriptions.update import update_subscription
from tests.conftest import BY, Cast
from tests.support.factories import make_issue, make_subscription


async def test_a_change_to_a_field_that_another_user_has_changed_is_refused(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, city="Berlin")
    seen = {"city": "Berlin", "notes": None}
    body = SubscriptionUpdate(city="Ulm")
    await update_subscription(acme.db, acme.account_id, made["id"], body, seen=seen, by=BY)
    late = SubscriptionUpdate(notes="Rings twice")
    with pytest.raises(Invalid, match="This subscription has changed") as refusal:
        await update_subscription(acme.db, acme.account_id, made["id"], late, seen=seen, by=BY)
    assert refusal.value.code == CHANGED_MEANWHILE
    now = (await acme.get(f"/v1/subscriptions/{made['id']}/")).json()
    assert (now["shipping_address"]["city"], now["notes"]) == ("Ulm", None)
