"""What is deleted of webhooks with old events, and with an erased subscriber."""

from datetime import timedelta

from aiohttp import web

from masthead.model.clock import now
from masthead.model.events.types import PublicEventType
from masthead.services.privacy.erase import erase_subscriber
from masthead.services.webhooks.endpoints import send_test
from masthead.store.engine.interface import Transaction
from masthead.store.events.log import delete_old_events
from masthead.store.webhooks.removal import delete_old_messages
from tests.conftest import BY, Cast
from tests.support.factories import PLACEHOLDER_DOMAIN, make_issues, make_subscription
from tests.support.webhooks import make_webhook, receiving, send_due


async def deliveries(cast: Cast, id: str) -> list[tuple[bool, str | None]]:
    """Whether each message has its event, and the answer to it."""
    found = (await cast.get(f"/v1/webhooks/{id}/deliveries/")).json()["items"]
    return [(each["event"] is not None, each["answer"]) for each in found]


async def refuse(_request: web.Request) -> web.StreamResponse:
    """An answer that is not accepted, and quotes the request."""
    return web.Response(status=500, text="Quuxley is not known here")


async def test_messages_of_deleted_events_are_deleted_unless_they_wait(acme: Cast) -> None:
    async with receiving() as receiver:
        made = await make_webhook(acme, receiver.url)
        await make_issues(acme, 1, 2)
        await send_due(acme.db)
        receiver.answer = refuse
        await make_issues(acme, 3, 4)
        await send_test(acme.db, acme.account_id, made.id, by=BY)
        await send_due(acme.db)

    async def delete(tx: Transaction) -> None:
        await delete_old_events(tx, acme.account_id, now() + timedelta(days=1))
        await delete_old_messages(tx, acme.account_id)

    await acme.db.write(delete)
    answer = "Quuxley is not known here"
    assert await deliveries(acme, made.id) == [(False, answer)] * 3  # two events and the test


async def test_an_erasure_deletes_the_answers(acme: Cast) -> None:
    async with receiving() as receiver:
        made = await make_webhook(acme, receiver.url, types=[PublicEventType.SUBSCRIBER_CREATED])
        receiver.answer = refuse
        await make_issues(acme, 1, 4)
        subscription = await make_subscription(acme)
        await send_due(acme.db)
    assert await deliveries(acme, made.id) == [(True, "Quuxley is not known here")]
    await erase_subscriber(
        acme.db,
        acme.account_id,
        subscription["subscriber"]["id"],
        is_cancelling=True,
        placeholder_domain=PLACEHOLDER_DOMAIN,
        by=BY,
    )
    assert await deliveries(acme, made.id) == [(True, None)]
