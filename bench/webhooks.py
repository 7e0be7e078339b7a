"""`python -m bench.webhooks`: how fast events are sent, and how requests fare while many wait."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import cycle
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import App, Parameter

from bench import data
from bench.clients.client import Client
from bench.databases import BY, Built, Databases
from bench.measure.beside import read_for
from bench.options import DATABASES, Options, default_cache
from bench.progress import say
from bench.rounds import quantile
from bench.servers.processes import ALL, free_port, move, running
from masthead.background.lease import HeldLease
from masthead.background.webhooks.client import OutboundClient
from masthead.background.webhooks.sender import WebhookSender
from masthead.model.clock import now
from masthead.model.emails import Site
from masthead.model.webhooks.inputs import WebhookCreate
from masthead.services.webhooks.endpoints import create_webhook
from masthead.store.engine.database import connect
from masthead.store.engine.interface import Database, Transaction

SITE = Site("https://masthead.test", "masthead.test")
SUBSCRIPTIONS = 20_000
BODY = msgspec.json.encode({"id": "0" * 31, "notes": "a" * 1500}).decode()
FAST, DEAD = "fast", "dead"
# Answers each request at once, or never; a process of its own, so that it costs the sender nothing
RECEIVER = """
import asyncio, sys

class Receiver(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.received = transport, b""

    def data_received(self, part):
        self.received += part
        while (end := self.received.find(b"\\r\\n\\r\\n")) >= 0:
            head = self.received[:end].lower()
            size = int(head.split(b"content-length:")[1].split(b"\\r\\n")[0])
            if len(self.received) < end + 4 + size:
                return
            self.received = self.received[end + 4 + size:]
            if sys.argv[2] == "fast":
                self.transport.write(b"HTTP/1.1 204 No Content\\r\\n\\r\\n")

async def main():
    server = await asyncio.get_running_loop().create_server(Receiver, "127.0.0.1", int(sys.argv[1]))
    print("ready", flush=True)
    await server.serve_forever()

asyncio.run(main())
"""

Names = Annotated[tuple[str, ...], Parameter(negative="", consume_multiple=True)]
app = App(name="python -m bench.webhooks", help_format="plaintext")


@contextmanager
def receiving(kind: str) -> Iterator[str]:
    """The address of a receiver."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-c", RECEIVER, str(port), kind], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    with process:
        process.stdout.readline()
        try:
            yield f"http://127.0.0.1:{port}/"
        finally:
            process.kill()


async def settle(db: Database, account_id: int, url: str, events: int) -> None:
    """A webhook, and events that wait for it."""
    await create_webhook(
        db, account_id, WebhookCreate(url=url), resolved=["127.0.0.1"], allow_private=True, by=BY
    )

    async def work(tx: Transaction) -> None:
        values = {"account_id": account_id, "count": events}
        state = await tx.fetch_one(
            "SELECT last_event FROM account_state WHERE account_id = :account_id", values
        )
        assert state is not None
        first, moment = state["last_event"] + 1, now()
        common: dict[str, Any] = {
            "account_id": account_id,
            "type": "subscription.updated",
            "record_id": "0" * 31,
            "happened_at": moment,
            "actor_kind": "command",
            "actor_id": "bench",
            "data": BODY,
        }
        await tx.insert_rows(
            "event", [{**common, "number": first + place} for place in range(events)]
        )
        await tx.execute(
            """
            UPDATE account_state SET last_event = last_event + :count
            WHERE account_id = :account_id
            """,
            values,
        )

    await db.write(work)


async def measure_rate(built: Built, events: int) -> tuple[float, float]:
    """Messages sent a second, by the clock and by the processor time of the sender."""
    db = await connect(built.url, is_command=True)
    with receiving(FAST) as url:
        await settle(db, built.account_id, url, events)
        async with OutboundClient(allow_private=True) as client:
            sender = WebhookSender(db, HeldLease(db, "webhooks"), client, SITE)
            began, cpu = time.perf_counter(), time.process_time()
            await sender.run(idle_seconds=0.0)
            lasted, cpu = time.perf_counter() - began, time.process_time() - cpu
    row = await db.fetch_one(
        "SELECT count(*) AS count FROM webhook_delivery WHERE status = 'delivered'", {}
    )
    await db.close()
    assert row is not None
    assert row["count"] == events, row["count"]
    return events / lasted, events / cpu


def measure_requests(built: Built, kind: str, events: int, seconds: float) -> tuple[float, float]:
    """p99 of lists of 50 subscriptions, in ms: without webhooks, and while events are sent."""
    words = [sys.executable, "-m", "masthead", "serve", "--port", "{port}", "--workers", "2"]
    environment = {
        "MASTHEAD_DATABASE_URL": built.url,
        "MASTHEAD_LOG_LEVEL": "error",
        "MASTHEAD_WEBHOOK_ALLOW_PRIVATE": "true",
    }

    async def begin(url: str) -> None:
        db = await connect(built.url, is_command=True)
        await settle(db, built.account_id, url, events)
        await db.close()

    with receiving(kind) as url, running(words, environment=environment, cores=ALL) as server:
        client = Client(server.address, built.key)
        paths = cycle(["/v1/subscriptions/?limit=50"])
        read_for(client, paths, 1.0)  # fills the caches
        quiet = read_for(client, paths, seconds)
        asyncio.run(begin(url))
        busy = read_for(client, paths, seconds)
    return 1000 * quantile(quiet, 0.99), 1000 * quantile(busy, 0.99)


@app.default
def main(
    *,
    events: int = 10_000,
    rounds: int = 3,
    seconds: float = 6.0,
    subscriptions: int = SUBSCRIPTIONS,
    databases: Names = DATABASES,
    cache: Path | None = None,
) -> int:
    """Measure webhooks, and print a line for each figure of each round.

    Parameters
    ----------
    events
        that wait for one webhook
    rounds
        of each measurement
    seconds
        of requests, without webhooks and with them
    subscriptions
        of the account
    databases
        sqlite postgres
    cache
        folder of the databases
    """
    options = Options(name="webhooks", bulk=subscriptions, cache=cache or default_cache())
    with ExitStack() as stack:
        prepared = Databases(options, stack)
        for backend in databases:
            built = prepared.get(backend, data.BULK, subscriptions)
            if backend == "postgres":
                move(prepared.cluster.pid, ALL)
            for _ in range(rounds):
                with prepared.copy(backend, built) as copy:
                    rate, by_cpu = asyncio.run(measure_rate(copy, events))
                say(f"{backend}: {rate:,.0f} messages/s; {by_cpu:,.0f} for a second of processor")
                for kind in (DEAD, FAST):
                    with prepared.copy(backend, built) as copy:
                        quiet, busy = measure_requests(copy, kind, events, seconds)
                    say(
                        f"{backend}: p99 of a list {quiet:.2f} ms, and {busy:.2f} ms beside "
                        f"{events:,} events for a {kind} receiver: {busy / quiet:.2f}×"
                    )
    return 0


if __name__ == "__main__":
    sys.exit(app())
