"""A receiver of webhooks, and what sends to it."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx
import msgspec
import pytest
from aiohttp import web
from standardwebhooks.webhooks import Webhook as Oracle

from masthead.background.lease import HeldLease
from masthead.background.webhooks import sender
from masthead.background.webhooks.client import OutboundClient
from masthead.model.actors import Actor
from masthead.model.clock import now
from masthead.model.emails import Site
from masthead.model.webhooks.inputs import WebhookCreate
from masthead.model.webhooks.resources import WebhookSecret
from masthead.services.webhooks.endpoints import create_webhook
from masthead.store.engine.interface import Database, Transaction
from tests.conftest import Cast
from tests.support.ports import open_until_end

BY = Actor(kind="command", id="test")
SITE = Site("https://masthead.test", "masthead.test")
_OPEN: set[str] = set()  # the addresses of the receivers
Answering = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Receiver:
    """A server that stores the requests it gets. answer: how it answers; 204 by default."""

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self.answer: Answering | None = None
        self._arrived = asyncio.Event()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Store a request and answer it."""
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.requests.append((headers, await request.read()))
        self._arrived.set()
        return web.Response(status=204) if self.answer is None else await self.answer(request)

    async def wait_for(self, count: int) -> None:
        """Wait until so many requests have arrived."""
        while len(self.requests) < count:
            self._arrived.clear()
            await self._arrived.wait()

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The bodies of the requests."""
        return [msgspec.json.decode(body) for _, body in self.requests]

    @property
    def ids(self) -> list[str]:
        """The `webhook-id` of the requests."""
        return [headers["webhook-id"] for headers, _ in self.requests]

    def verify(self, secret: str) -> None:
        """Check the signatures of all requests with the library of the standard."""
        assert self.requests
        for headers, body in self.requests:
            Oracle(secret).verify(body, headers)


@asynccontextmanager
async def listening(answer: Answering) -> AsyncIterator[str]:
    """The address of a server on a free port of this machine."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    assert runner.server is not None
    server = await asyncio.get_running_loop().create_server(runner.server, "127.0.0.1", 0)
    try:
        async with open_until_end(server) as port:
            yield f"http://127.0.0.1:{port}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def receiving(host: str = "127.0.0.1") -> AsyncIterator[Receiver]:
    """A receiver on a free port of this machine. host: its name in the address.

    Its address is new: the port may be that of an earlier receiver, whose webhook still exists.
    """
    receiver = Receiver()
    async with listening(receiver.handle) as address:
        receiver.url = f"{address.replace('127.0.0.1', host)}/{secrets.token_hex(8)}"
        _OPEN.add(receiver.url)
        try:
            yield receiver
        finally:
            _OPEN.remove(receiver.url)


async def make_webhook(cast: Cast, url: str, *, types: list[Any] | None = None) -> WebhookSecret:
    """A webhook of the account."""
    return await create_webhook(
        cast.db,
        cast.account_id,
        WebhookCreate(url=url, types=types),
        resolved=["127.0.0.1"],
        allow_private=True,
        by=BY,
    )


async def send_due(db: Database, *, seconds: float = 2.0, **options: Any) -> None:
    """Send to the open receivers until nothing is due. The webhooks of other tests are disabled."""

    async def disable_others(tx: Transaction) -> None:
        await tx.execute(
            "UPDATE webhook SET status = 'disabled' WHERE url NOT IN (:urls...)",
            {"urls": sorted(_OPEN)},
        )

    await db.write(disable_others)
    async with OutboundClient(allow_private=True, seconds=seconds, **options) as client:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(sender, "POLL_SECONDS", 0.01)
            await sender.WebhookSender(db, HeldLease(db, "webhooks"), client, SITE).run(
                idle_seconds=0.0
            )


async def expire_leases(cast: Cast) -> None:
    """End the leases of killed processes, as 30 seconds do."""
    await cast.db.write(lambda tx: tx.execute("DELETE FROM lease", {}))


async def retry_now(cast: Cast) -> None:
    """Let what was not accepted be sent again without its delay."""
    await cast.db.write(
        lambda tx: tx.execute(
            """
            UPDATE webhook_delivery SET next_attempt_at = :now
            WHERE account_id = :account_id AND next_attempt_at > :now
            """,
            {"account_id": cast.account_id, "now": now()},
        )
    )


async def until_sent(cast: Cast, path: str, last: int) -> None:
    """Wait until no event waits; what was not accepted is sent again without its delay."""
    while True:
        with suppress(httpx.TransportError):  # its worker was killed
            webhook = (await cast.get(path)).json()
            waiting = (await cast.get(f"{path}deliveries/", status="waiting")).json()
            if webhook["last_event"] == last and not waiting["items"]:
                return
        await retry_now(cast)
        await asyncio.sleep(0.1)
