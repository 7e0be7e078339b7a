"""Dispatch runs: previewed, frozen, marked and undone, and reads of the API beside that."""

import asyncio
import json
import time
from contextlib import ExitStack
from functools import partial
from typing import Any

from bench import data
from bench.clients.client import Client
from bench.databases import Built, Databases
from bench.measure.beside import FRESH, Job, Seen, pages_of, read_for
from bench.measure.peers import PEERS, PeersMissing, require_peers
from bench.options import Options
from bench.peers.own_indexes import prepare_copy
from bench.progress import say
from bench.rounds import Figures, quantile, spread
from bench.servers.processes import ALL, beside, masthead, move
from masthead.model.dispatch.runs import DispatchSelection
from masthead.services.dispatch.preview import preview_dispatch
from masthead.store.engine.database import connect

RUNS = "/v1/dispatches/"
PEER = "fastapi"


def measure(options: Options, databases: Databases, backend: str) -> Figures:
    """Seconds of each write, latencies of reads beside it, and a peer's quiet list, in ms."""
    built = databases.get(backend, data.BULK, options.dispatch)
    if backend == "postgres":
        move(databases.cluster.pid, ALL)
    seen = Seen()
    for number in range(options.rounds):
        with databases.copy(backend, built) as copy:
            _round(options, copy, number, seen)
    previews = asyncio.run(_preview(built, options.rounds))
    return {
        "copies": options.dispatch,
        "rows": seen.rows(),
        "preview": spread(previews),
        "peer": _peer(options, databases, backend, built),
    }


def _round(options: Options, copy: Built, number: int, seen: Seen) -> None:
    """Freeze, mark and undo a run of all copies of an issue, each while a list is read."""
    with masthead(copy.url, cores=ALL) as server:
        client = Client(server.address, copy.key)
        fresh = pages_of(client, copy.sources[FRESH])
        writer = Client(server.address, copy.key)
        run: dict[str, Any] = {}

        def freeze() -> None:
            run.update(json.loads(writer.ask("POST", RUNS, {"issue": copy.issues[1]})))

        def change(step: str, body: object = None) -> None:
            writer.ask("POST", f"{RUNS}{run['id']}/{step}/", body)

        jobs: dict[str, Job] = {
            "freeze": freeze,
            "mark": partial(change, "mark-sent", {"date": "2026-01-15"}),
            "undo": partial(change, "undo"),
        }
        for name, job in jobs.items():
            told = f"{name} {options.dispatch:,} copies"
            seen.quiet[told] += read_for(client, fresh, options.seconds)
            seen.read_beside(told, job, client, fresh)


async def _preview(built: Built, rounds: int) -> list[float]:
    """The seconds of previews with their checks of all addresses."""
    db = await connect(built.url)
    try:
        taken = []
        for _ in range(rounds):
            began = time.perf_counter()
            await preview_dispatch(db, built.account_id, built.issues[1], DispatchSelection())
            taken.append(time.perf_counter() - began)
        return taken
    finally:
        await db.close()


def _peer(options: Options, databases: Databases, backend: str, built: Built) -> float | None:
    """The p99 of a peer's list in ms, without other requests; None without its packages."""
    try:
        require_peers()
    except PeersMissing as reason:
        say(str(reason))
        return None
    with ExitStack() as stack:
        copy = stack.enter_context(databases.copy(backend, built))
        prepare_copy(copy.url)
        application, interface = PEERS[PEER]
        server = stack.enter_context(beside(application, copy.url, interface=interface, cores=ALL))
        client = Client(server.address, copy.key)
        paths = pages_of(client, copy.sources[FRESH])
        taken = [
            each for _ in range(options.rounds) for each in read_for(client, paths, options.seconds)
        ]
        return quantile(taken, 0.99) * 1e3
