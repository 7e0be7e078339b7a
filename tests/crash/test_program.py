"""A program with the generated client, behind a bad network, while the server is killed often."""

import asyncio
import contextlib
import importlib
import uuid
from collections.abc import Awaitable, Callable, Iterator
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from aiohttp import web

from masthead.settings import Settings
from tests.conftest import Cast, make_account, serving
from tests.support.bad_network import BadNetwork
from tests.support.events import list_events
from tests.support.factories import make_issue
from tests.support.generated_client import PACKAGE, ask, generated_client
from tests.support.ports import reserved_port
from tests.support.serving import launch
from tests.support.waiting import PATIENCE, until
from tests.support.walk import walk
from tests.support.webhooks import expire_leases, listening, make_webhook, until_sent

pytestmark = pytest.mark.crash

OPERATIONS = ("create_subscription", "renew_subscription", "list_events")
ORDERS_AT_ONCE = 4
KILLS_IN_TEN_MINUTES = 60
BACKOFF_SECONDS = 0.05  # before a request is repeated; twice as long each time, up to a second
TEMPORARY = {409, 429, 500, 502, 503}
ALLOW = {"MASTHEAD_WEBHOOK_ALLOW_PRIVATE": "true"}
DAY = date(2026, 3, 1)
CREATED = "subscription.created"


@pytest.fixture(scope="module", autouse=True)
def _client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with generated_client(tmp_path_factory.mktemp("generated"), OPERATIONS):
        yield


class Program:
    """Places orders and follows the events, as the documentation of the API says.

    outcomes: of each order, by its id: a status, the code of an error, and the subscription.
    """

    def __init__(self, url: str, cast: Cast, *, has_keys: bool) -> None:
        library = importlib.import_module(PACKAGE)
        self._models = importlib.import_module(f"{PACKAGE}.models")
        self._client = library.AuthenticatedClient(
            base_url=url, token=cast.key, httpx_args={"trust_env": False}
        )
        self._source, self._has_keys, self._orders = cast.shop, has_keys, 0
        self._is_following = True
        self.outcomes = dict[str, tuple[int, str, str]]()
        self.events, self.repeated, self.is_ending = list[Any](), 0, False

    async def run(self) -> None:
        """Place orders until the end, and read the events up to the last one."""
        async with self._client, asyncio.TaskGroup() as reading:
            reading.create_task(self._follow_events())
            async with asyncio.TaskGroup() as writing:
                for _ in range(ORDERS_AT_ONCE):
                    writing.create_task(self._place_orders())
            self._is_following = False

    async def _place_orders(self) -> None:
        """Create subscriptions, and renew each third one."""
        while not self.is_ending:
            self._orders += 1
            number = self._orders
            common = {"source": self._source, "order_date": DAY, "price": "42"}
            body = self._models.SubscriptionCreate(
                **common,
                order_id=f"S-{number}",
                start_issue=1,
                length=4,
                first_name="Ada",
                email=f"ada{number}@acme.test",
                country=self._models.CountryCode.DE,
            )
            made = await self._order("create_subscription", body=body)
            if number % 3 == 0:
                body = self._models.RenewalCreate(**common, order_id=f"R-{number}")
                await self._order("renew_subscription", made, body=body)

    async def _order(self, operation: str, *ids: str, body: Any) -> str:
        """Place an order, and note what came of it; returns the id of its subscription."""
        key = {"idempotency_key": str(uuid.uuid4())} if self._has_keys else {}
        answer = await self._ask(operation, *ids, body=body, **key)
        result = answer.parsed
        code = getattr(result, "code", "")
        self.outcomes[body.order_id] = (int(answer.status_code), code, result.id)
        return str(result.id)

    async def _follow_events(self) -> None:
        """Read the events page by page, until no order is placed any more and all are read."""
        cursor: dict[str, str] = {}
        while True:
            is_last = not self._is_following
            page = (await self._ask("list_events", limit=50, **cursor)).parsed
            self.events += page.items
            cursor = {"cursor": page.cursor}
            if not page.has_more:
                if is_last:
                    return
                await asyncio.sleep(BACKOFF_SECONDS)

    async def _ask(self, operation: str, *ids: str, **options: Any) -> Any:
        """Send a request, again and again, until it has an answer that lasts."""
        pause = BACKOFF_SECONDS
        while True:
            with contextlib.suppress(httpx.TransportError):
                answer = await ask(operation).asyncio_detailed(*ids, client=self._client, **options)
                if answer.status_code not in TEMPORARY:
                    return answer
            self.repeated += 1
            await asyncio.sleep(pause)
            pause = min(2 * pause, 1)


class Delivered:
    """The events that a receiver accepted. ids: theirs. requests: how many brought them."""

    def __init__(self) -> None:
        self.ids, self.requests = set[int](), 0

    async def accept(self, request: web.Request) -> web.Response:
        """Accept an event."""
        self.ids.add(int(request.headers["webhook-id"]))
        self.requests += 1
        return web.Response(status=204)


async def survive(
    url: str,
    log: Path,
    *,
    kills: int,
    wait: Callable[[Program], Awaitable[None]],
    has_keys: bool = True,
) -> tuple[Program, BadNetwork, Delivered]:
    """Let the program work while the server is killed, and check what came of it.

    wait: returns when a server is to be killed.
    """
    delivered = Delivered()
    async with (
        serving(Settings(database_url=url)) as (app, client),
        httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as http,
        listening(delivered.accept) as receiver,
        listening(BadNetwork(receiver, http).answer) as hook,
    ):
        cast = await make_account(client, app.state.db, "Acme")
        webhook = f"/v1/webhooks/{(await make_webhook(cast, hook)).id}/"
        await make_issue(cast)
        with reserved_port() as port:
            network = BadNetwork(f"http://127.0.0.1:{port}", http)
            start = partial(launch, url, log, port=port, workers=2, environment=ALLOW)
            async with listening(network.answer) as front, asyncio.TaskGroup() as group:
                program = Program(front, cast, has_keys=has_keys)
                running = group.create_task(program.run())
                for _ in range(kills):
                    with start() as server:
                        await asyncio.to_thread(server.wait)
                        await wait(program)
                    await expire_leases(cast)
                with start() as server:
                    await asyncio.to_thread(server.wait)
                    await wait(program)
                    program.is_ending = True
                    await running
                    events = await list_events(cast)
                    await until_sent(cast, webhook, events[-1]["id"])

        held = await walk(cast, "/v1/subscriptions/", limit=200)
        orders = [
            (period["order_id"], (201, "", each["id"]))
            for each in held
            for period in each["periods"]
        ]
        refused = {code for _, code, _ in program.outcomes.values() if code}
        assert sorted(orders) == sorted(program.outcomes.items()), refused
        assert [each.number for each in program.events] == [*range(1, len(events) + 1)]
        created = [each.record.id for each in program.events if each.type_ == CREATED]
        assert sorted(created) == sorted(each["id"] for each in held)
        assert delivered.ids == {each["id"] for each in events}
        assert all(network.faults.values())
        assert program.repeated
        return program, network, delivered


async def test_a_program_survives_a_bad_network_and_kills(scratch_url: str, tmp_path: Path) -> None:
    await survive(scratch_url, tmp_path / "log", kills=1, wait=orders_placed)


async def orders_placed(program: Program) -> None:
    """Wait until some more orders are placed."""
    enough = len(program.outcomes) + 25
    await until(lambda: len(program.outcomes) >= enough)


@pytest.mark.slow
@pytest.mark.timeout(3600)
async def test_a_program_survives_a_server_that_is_killed_every_ten_seconds(
    scratch_url: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    async def ten_seconds(_: Program) -> None:
        await asyncio.sleep(10)

    program, network, delivered = await survive(
        scratch_url, tmp_path / "log", kills=KILLS_IN_TEN_MINUTES, wait=ten_seconds
    )
    lost = ", ".join(f"{count} {fault}" for fault, count in network.faults.items())
    record_property("client", f"{program.repeated} of {network.requests} requests failed; {lost}")
    record_property(
        "recovery",
        f"{len(program.outcomes)} orders exactly once; {len(program.events)} events seen once, and "
        f"delivered to a webhook in {delivered.requests} requests",
    )


@pytest.mark.slow
async def test_without_keys_orders_are_refused(scratch_url: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="duplicate_order_id"):
        await survive(scratch_url, tmp_path / "log", kills=1, wait=orders_placed, has_keys=False)
