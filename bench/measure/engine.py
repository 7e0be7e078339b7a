"""masthead's SQLite compared with Python's: same statements, data and values, alternating."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, cast
from urllib.parse import quote_plus

import apsw
import msgspec

from bench import data
from bench.clients.requests import order
from bench.databases import Built, Databases
from bench.engines import Done, Job, Statement, receive, send
from bench.options import ROOT, Options
from bench.peers.own_indexes import prepare_copy
from bench.rounds import Figures, alternate, ratio, spreads
from bench.within import Ask, ask

ENGINES = ("bundled", "system")
WRITES = 20  # transactions of each kind in a round


def measure(options: Options, databases: Databases, backend: str) -> Figures:
    """One row per request; nothing on PostgreSQL."""
    if backend != "sqlite":
        return {"rows": []}
    copies = databases.get(backend, data.COPIES, data.COPIES.rows_for(options.copies))
    people = databases.get(backend, data.PEOPLE, min(options.subscribers))
    reads = [(copies, name, [request]) for name, request in _reads(copies)]
    reads += [(people, name, [request]) for name, request in _searches()]
    rows = [_row(options, databases, built, name, asked, times=100) for built, name, asked in reads]
    rows += [
        _row(options, databases, copies, name, asked, times=1)
        for name, asked in _writes(options, copies)
    ]
    return {"rows": rows}


def _reads(built: Built) -> Iterator[tuple[str, Ask]]:
    id = _first_id(built)
    yield "page of 50 subscriptions", ("GET", "/v1/subscriptions/?limit=50", None)
    yield "page of 200 subscriptions", ("GET", "/v1/subscriptions/?limit=200", None)
    yield "subscriptions of a country", ("GET", "/v1/subscriptions/?country=DE", None)
    yield "get subscription", ("GET", f"/v1/subscriptions/{id}/", None)
    yield "status", ("GET", f"/v1/subscriptions/{id}/status/", None)
    yield "page of 50 copies", ("GET", "/v1/copies/?limit=50", None)


def _searches() -> Iterator[tuple[str, Ask]]:
    for name, words in {"rare": data.RARE_NAME, "common": data.COMMON_CITY}.items():
        path = f"/v1/subscribers/?search={quote_plus(words.lower())}"
        yield f"search for a {name} word", ("GET", path, None)


def _writes(options: Options, built: Built) -> Iterator[tuple[str, list[Ask]]]:
    """Each request once per round and engine, because no write can be run twice."""
    count = min(WRITES, options.copies // 100)
    body = order(built.sources["Web shop"])
    yield (
        f"{count} creations",
        [
            ("POST", "/v1/subscriptions/", json.loads(body.replace("{n}", str(n))))
            for n in range(count)
        ],
    )
    copies = range(built.first_copy, built.first_copy + count)
    yield (
        f"{count} copies marked",
        [("POST", f"/v1/copies/{id}/mark-sent/", {"date": "2026-01-15"}) for id in copies],
    )


def _first_id(built: Built) -> str:
    connection = apsw.Connection(built.url.removeprefix("sqlite:///"))
    try:
        return str(connection.execute("SELECT max(id) FROM subscription").get)
    finally:
        connection.close()


def _row(
    options: Options, databases: Databases, built: Built, name: str, asked: list[Ask], *, times: int
) -> Figures:
    """Both engines, each in its own process and with its own copy in every round."""
    statements = _overheard(databases, built, asked)
    job = Job(statements, times if options.name != "smoke" else 1)

    def contender(engine: str) -> Callable[[], dict[str, float]]:
        def round() -> dict[str, float]:
            with ExitStack() as stack:
                copy = stack.enter_context(databases.copy("sqlite", built))
                prepare_copy(copy.url)
                run = stack.enter_context(_process(engine, copy))
                if times > 1:
                    run(Job(statements, 1))  # to warm up the caches of pages and statements
                done = run(job)
                return {"clock": done.clock, "cpu": done.cpu}

        return round

    found = alternate(options.rounds, {engine: contender(engine) for engine in ENGINES})
    row: Figures = {"name": name, **{engine: spreads(found[engine]) for engine in ENGINES}}
    for figure in ("clock", "cpu"):
        own, other = ([each[figure] for each in found[engine]] for engine in ENGINES)
        row[f"{figure}_ratio"] = ratio(own, other)
    return row


def _overheard(databases: Databases, built: Built, asked: list[Ask]) -> list[Statement]:
    """The statements that masthead runs for some requests, in order."""
    heard: list[Statement] = []
    is_on = False

    def note(_cursor: apsw.Cursor, sql: str, values: object) -> bool:
        if is_on:
            heard.append((sql, dict(values) if isinstance(values, dict) else values))
        return True

    def listen(connection: apsw.Connection) -> None:
        connection.exec_trace = note

    with databases.copy("sqlite", built) as copy:
        apsw.connection_hooks.append(listen)
        try:

            def requests() -> Iterator[Ask]:
                nonlocal is_on
                is_on = True
                yield from asked
                is_on = False

            ask(copy.url, built.key, requests())
        finally:
            apsw.connection_hooks.remove(listen)
    return [(sql, values) for sql, values in heard if not sql.startswith("PRAGMA")]


@contextmanager
def _process(engine: str, copy: Built) -> Iterator[Callable[[Job], Done]]:
    words = [sys.executable, "-m", "bench.engines", engine, copy.url.removeprefix("sqlite:///")]
    with subprocess.Popen(
        words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:

        def run(job: Job) -> Done:
            send(cast(IO[bytes], process.stdin), job)
            return msgspec.msgpack.decode(receive(cast(IO[bytes], process.stdout)), type=Done)

        yield run
        cast(IO[bytes], process.stdin).close()
