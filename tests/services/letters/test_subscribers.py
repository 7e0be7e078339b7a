"""Subscribers who want no letters, and email addresses that bounced."""

import pytest

from masthead.model.errors import CHANGED_MEANWHILE, Invalid, NotFound, PageNotFound
from masthead.model.letters.unsubscribe import unsubscribe_token
from masthead.model.subscribers.corrections import MERGED_MEANWHILE
from masthead.services.identity.server_secrets import get_secret
from masthead.services.letters import subscribers as service
from masthead.store.letters.subscribers import get_subscriber
from tests.conftest import BY, Cast
from tests.services.test_accounts import trail
from tests.support.factories import make_issue, make_subscription
from tests.support.subscribers import correct, make_subscriber, merge


async def subscriber_of(cast: Cast) -> str:
    await make_issue(cast)
    made = await make_subscription(cast, email="ada@example.test")
    return str(made["subscriber"]["id"])


async def test_a_bounce_is_marked_changed_and_cleared_once(acme: Cast) -> None:
    id = await subscriber_of(acme)
    for reason in ("", " 550\nunknown "):
        await service.mark_bounced(acme.db, acme.account_id, id, reason=reason, by=BY)
    subscriber = await get_subscriber(acme.db, acme.account_id, id)
    assert (subscriber.bounce_reason, subscriber.bounced_at is None) == ("550 unknown", False)
    for _ in range(2):
        await service.clear_bounce(acme.db, acme.account_id, id, by=BY)
    subscriber = await get_subscriber(acme.db, acme.account_id, id)
    assert (subscriber.bounce_reason, subscriber.bounced_at) == (None, None)
    actions = [action for _, action, _, _ in await trail(acme, "subscriber", id)]
    assert actions == ["subscriber.mark_bounced"] * 2 + ["subscriber.clear_bounce"]


async def test_unsubscribing_twice_is_recorded_once(acme: Cast) -> None:
    id = await subscriber_of(acme)
    for wanted in (True, True, False, False):
        await service.set_unsubscribed(acme.db, acme.account_id, id, is_unsubscribed=wanted, by=BY)
    actions = [action for _, action, _, _ in await trail(acme, "subscriber", id)]
    assert actions == ["subscriber.unsubscribe", "subscriber.resubscribe"]


async def test_a_long_reason_is_refused(acme: Cast) -> None:
    id = await subscriber_of(acme)
    with pytest.raises(Invalid, match="at most 255"):
        await service.mark_bounced(acme.db, acme.account_id, id, reason="x" * 256, by=BY)


async def test_a_subscriber_of_another_account_is_not_found(acme: Cast, rival: Cast) -> None:
    id = await subscriber_of(rival)
    with pytest.raises(NotFound):
        await service.mark_bounced(acme.db, acme.account_id, id, reason="", by=BY)
    with pytest.raises(NotFound):
        await service.clear_bounce(acme.db, acme.account_id, id, by=BY)
    with pytest.raises(NotFound):
        await service.set_unsubscribed(acme.db, acme.account_id, id, is_unsubscribed=True, by=BY)


async def test_an_address_that_was_corrected_meanwhile_is_not_marked(acme: Cast) -> None:
    id = await subscriber_of(acme)
    await correct(acme, id, email="new@example.test")
    with pytest.raises(Invalid, match=r"changed to new@example\.test") as refusal:
        await service.mark_bounced(
            acme.db, acme.account_id, id, email="ada@example.test", reason="", by=BY
        )
    assert refusal.value.code == CHANGED_MEANWHILE
    assert (await get_subscriber(acme.db, acme.account_id, id)).bounced_at is None


async def test_a_subscriber_who_was_merged_meanwhile_is_not_marked(acme: Cast) -> None:
    id = await subscriber_of(acme)
    kept = await make_subscriber(acme, "kept@example.test")
    await merge(acme, kept, id)
    with pytest.raises(Invalid, match="was merged into another one") as refusal:
        await service.mark_bounced(acme.db, acme.account_id, id, reason="", by=BY)
    assert (refusal.value.code, refusal.value.value) == (MERGED_MEANWHILE, kept)


async def test_unsubscribing_a_merged_subscriber_unsubscribes_the_one_that_stays(
    acme: Cast,
) -> None:
    id = await subscriber_of(acme)
    kept = await make_subscriber(acme, "kept@example.test")
    await merge(acme, kept, id)
    await service.set_unsubscribed(acme.db, acme.account_id, id, is_unsubscribed=True, by=BY)
    assert (await get_subscriber(acme.db, acme.account_id, kept)).unsubscribed_at is not None


async def test_a_link_with_another_signature_or_for_an_unknown_subscriber_is_not_found(
    acme: Cast,
) -> None:
    id = await subscriber_of(acme)
    secret = await get_secret(acme.db)
    account, subscriber = await service.find_by_token(acme.db, unsubscribe_token(secret, id))
    assert (account.id, subscriber.id) == (acme.account_id, id)
    for token in (
        unsubscribe_token(b"another secret", id),
        unsubscribe_token(secret, "no id"),
        unsubscribe_token(secret, id[:-1] + ("0" if id[-1] != "0" else "1")),
        "",
    ):
        with pytest.raises((NotFound, PageNotFound)):
            await service.find_by_token(acme.db, token)
