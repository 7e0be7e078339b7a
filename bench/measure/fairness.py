"""Requests of a small account while a large one imports, creates an issue and marks copies.

The control is the large account itself: what its own requests have to wait for.
"""

import asyncio
import json
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from bench import data
from bench.clients.client import Client
from bench.clients.requests import order
from bench.databases import BY, Built, Databases
from bench.measure.beside import Job, figures_of, running
from bench.measure.bulk import MORE, MOST, import_words
from bench.options import Options
from bench.rounds import Figures, quantile
from bench.servers.processes import ALL, masthead, move
from bench.servers.ready import wait_for_documents
from bench.within import prepared
from masthead.model.types.enums import Scope, SourceType
from masthead.services import accounts, keys, sources
from masthead.store.engine.database import connect

OTHER, OWN = "another account", "the same account"
READ, WRITE = "list", "change"
LIST = "/v1/subscriptions/"
IMPORTED = 5_000  # rows, at most
PAUSE = 0.002  # between requests, so that the clients do not compete with the server
Latencies = defaultdict[tuple[str, str, str], list[float]]  # by job, account and request


class Asker(Struct, frozen=True):
    """An account that sends requests: its key, and the path of a subscription that it changes."""

    name: str
    key: str
    path: str


def measure(options: Options, databases: Databases, backend: str) -> Figures:
    """A row for each job, account and request; latencies of all rounds together, in ms."""
    built = databases.get(backend, data.BULK, options.bulk)
    if backend == "postgres":
        move(databases.cluster.pid, ALL)
    quiet: Latencies = defaultdict(list)
    busy: Latencies = defaultdict(list)
    lasted: defaultdict[str, list[float]] = defaultdict(list)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "more.csv"
        data.write_file(file, data.rows(MORE, min(options.bulk, options.import_rows, IMPORTED)))
        for _ in range(options.rounds):
            with databases.copy(backend, built) as copy:
                _round(options, copy, file, (quiet, busy), lasted)
    return {
        "subscriptions": options.bulk,
        "rows": [
            {
                "job": job,
                "account": account,
                "is_control": account == OWN,
                "request": request,
                "quiet": figures_of(quiet[job, account, request], "requests"),
                "busy": figures_of(values, "requests"),
                "seconds": quantile(lasted[job], 0.5),
            }
            for (job, account, request), values in busy.items()
        ],
    }


def _round(
    options: Options,
    copy: Built,
    file: Path,
    latencies: tuple[Latencies, Latencies],
    lasted: defaultdict[str, list[float]],
) -> None:
    """Run each job once, on one copy."""
    small, source = asyncio.run(_open_account(copy.url))
    with masthead(copy.url, cores=ALL) as server:
        client = Client(server.address, small)
        client.ask("POST", "/v1/issues/", {"number": 1})
        client.ask("POST", LIST, json.loads(order(source)))
        accounts = tuple(
            Asker(name, key, f"{LIST}{Client(server.address, key).get(LIST)['items'][0]['id']}/")
            for name, key in ((OTHER, small), (OWN, copy.key))
        )
        for name, prepare in _jobs(options, copy, server.address, file).items():
            job = prepare()
            wait_for_documents(copy.url)
            quiet, busy = latencies
            _ask(server.address, accounts, name, quiet, lambda: time.sleep(options.seconds))
            began = time.perf_counter()
            _ask(server.address, accounts, name, busy, job)
            lasted[name].append(time.perf_counter() - began)


def _jobs(options: Options, copy: Built, address: str, file: Path) -> dict[str, Callable[[], Job]]:
    """The jobs of the large account, each ready to begin."""
    ids = list(range(copy.first_copy, copy.first_copy + min(MOST, options.bulk)))

    def post(path: str, body: object) -> Callable[[], Job]:
        return lambda: lambda: Client(address, copy.key).ask("POST", path, body)

    issue = {"number": 2, "release_date_actual": "2026-02-01"}
    return {
        "import": lambda: prepared(copy.url, import_words(copy.sources["Web shop"], file)),
        f"mark {len(ids):,} copies sent": post("/v1/copies/mark-sent/", {"ids": ids}),
        f"create an issue with {options.bulk:,} copies": post("/v1/issues/", issue),
    }


def _ask(address: str, accounts: tuple[Asker, ...], job: str, into: Latencies, work: Job) -> None:
    """Send requests of all accounts while some work runs: reads and writes, side by side."""
    with running(work) as still:
        threads = [
            threading.Thread(target=_repeat, args=(address, account, request, still, into, job))
            for account in accounts
            for request in (READ, WRITE)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def _repeat(
    address: str, account: Asker, request: str, still: Callable[[], bool], into: Latencies, job: str
) -> None:
    client, number = Client(address, account.key), 0
    while still() or not number:
        number += 1
        if request == READ:
            took = client.timed("GET", f"{LIST}?limit=1")
        else:
            took = client.timed("PATCH", account.path, {"notes": f"Note {number}"})
        into[job, account.name, request].append(took)
        time.sleep(PAUSE)
    client.close()


async def _open_account(url: str) -> tuple[str, str]:
    """Create the small account; returns a key and the id of a source."""
    db = await connect(url)
    try:
        small = await accounts.create_account(
            db, name="Small", subdomain="small", currency="EUR", owner="small@bench.test", by=BY
        )
        _, key = await keys.create_key(
            db, small.id, user="small@bench.test", scope=Scope.READ_WRITE, by=BY
        )
        source = await sources.create_source(
            db, small.id, name="Desk", type=SourceType.IMPORT, by=BY
        )
        return key, source.id
    finally:
        await db.close()
