"""Readers who want no letters, and email addresses that bounced."""

import pytest

from masthead.model.errors import Invalid, NotFound
from masthead.services.letters import readers as service
from masthead.store.letters.readers import get_reader
from tests.conftest import BY, Cast
from tests.services.test_accounts import trail
from tests.support.factories import make_issue, make_subscription


async def reader_of(cast: Cast) -> str:
    await make_issue(cast)
    made = await make_subscription(cast, email="ada@example.test")
    return str(made["subscriber"]["id"])


async def test_a_bounce_is_marked_changed_and_cleared_once(acme: Cast) -> None:
    id = await reader_of(acme)
    for reason in ("", " 550  unknown "):
        await service.mark_bounced(acme.db, acme.account_id, id, reason=reason, by=BY)
    reader = await get_reader(acme.db, acme.account_id, id)
    assert (reader.bounce_reason, reader.bounced_at is None) == ("550 unknown", False)
    for _ in range(2):
        await service.clear_bounce(acme.db, acme.account_id, id, by=BY)
    reader = await get_reader(acme.db, acme.account_id, id)
    assert (reader.bounce_reason, reader.bounced_at) == (None, None)
    actions = [action for _, action, _, _ in await trail(acme, "subscriber", id)]
    assert actions == ["subscriber.mark_bounced"] * 2 + ["subscriber.clear_bounce"]


async def test_unsubscribing_twice_is_recorded_once(acme: Cast) -> None:
    id = await reader_of(acme)
    for wanted in (True, True, False, False):
        await service.set_unsubscribed(acme.db, acme.account_id, id, is_unsubscribed=wanted, by=BY)
    actions = [action for _, action, _, _ in await trail(acme, "subscriber", id)]
    assert actions == ["subscriber.unsubscribe", "subscriber.resubscribe"]


async def test_a_long_reason_is_refused(acme: Cast) -> None:
    id = await reader_of(acme)
    with pytest.raises(Invalid, match="at most 255"):
        await service.mark_bounced(acme.db, acme.account_id, id, reason="x" * 256, by=BY)


async def test_a_reader_of_another_account_is_not_found(acme: Cast, rival: Cast) -> None:
    id = await reader_of(rival)
    with pytest.raises(NotFound):
        await service.mark_bounced(acme.db, acme.account_id, id, reason="", by=BY)
    with pytest.raises(NotFound):
        await service.clear_bounce(acme.db, acme.account_id, id, by=BY)
    with pytest.raises(NotFound):
        await service.set_unsubscribed(acme.db, acme.account_id, id, is_unsubscribed=True, by=BY)
