"""A worker that stops waits for its email and its processes at the same time."""

import asyncio
from contextlib import suppress

import pytest
from aiohttp import web
from structlog.testing import capture_logs

from masthead.api.monitoring import traces
from masthead.background import emails
from masthead.background.webhooks import job as webhooks
from masthead.serving import worker as server
from tests.support.own_service import OwnService
from tests.support.waiting import PATIENCE, until
from tests.support.webhooks import make_webhook, receiving


async def test_an_email_and_webhooks_are_waited_for_at_the_same_time(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "STOP_SECONDS", PATIENCE)
    mail_arrived, answer = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        mail_arrived.set()
        await answer.wait()

    async def hold_request(request: web.Request) -> web.StreamResponse:
        await answer.wait()
        return web.Response(status=204)

    own.mailbox.on_data = hold
    async with receiving() as receiver:
        receiver.answer = hold_request
        webhook = await make_webhook(own.cast, receiver.url)
        await own.welcome()
        task = asyncio.create_task(own.background(allow_private_webhooks=True).run())
        await mail_arrived.wait()
        await receiver.wait_for(1)
        with capture_logs() as logs:
            task.cancel()
            await until(lambda: any("waiting for the email" in each["event"] for each in logs))
            answer.set()
            with suppress(asyncio.CancelledError):
                await task
    assert [row["status"] for row in await own.outbox()] == ["sent"]
    listed = (await own.cast.get(f"/v1/webhooks/{webhook.id}/deliveries/")).json()
    assert "delivered" in [each["status"] for each in listed["items"]]


def test_a_stop_ends_before_workers_are_killed() -> None:
    longest = max(emails.STOP_SECONDS, webhooks.STOP_SECONDS) + traces.STOP_SECONDS
    assert longest < server.STOP_SECONDS
