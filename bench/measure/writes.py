"""Each endpoint that writes, with one worker; a new subscription in bare SQL and with a key."""

import json
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial

from bench import data
from bench.bare_sql import Replay, overhearing
from bench.clients.load import put_load
from bench.clients.requests import CREATION, Case, creation, writes
from bench.databases import Built, Databases
from bench.options import Options
from bench.rounds import Figures, alternate, ratio, spreads
from bench.servers.processes import SERVERS, Server, masthead, move
from bench.within import ask

BARE_CREATIONS = 400  # a round


def measure(options: Options, databases: Databases, backend: str) -> Figures:
    """A row for each write, on a copy of the database."""
    built = databases.get(backend, data.COPIES, data.COPIES.rows_for(options.copies))
    if backend == "postgres":
        move(databases.cluster.pid, SERVERS)
    with ExitStack() as stack:
        copy = stack.enter_context(databases.copy(backend, built))
        server = stack.enter_context(masthead(copy.url))
        cases = writes(server, built)
        bare = _bare_creations(stack, options, databases, built) if backend == "sqlite" else None
        rows = [
            _row(options, built, server, case, bare if not n else None)
            for n, case in enumerate(cases)
        ]
        return {"copies": options.copies, "rows": rows, "worker_bytes": server.worker_bytes}


def _bare_creations(
    stack: ExitStack, options: Options, databases: Databases, built: Built
) -> Callable[[], dict[str, float]]:
    """A round of bare SQL: some hundred subscriptions, each in one transaction."""
    each = BARE_CREATIONS if options.name != "smoke" else 5
    body = creation(built).body
    requests = [
        ("POST", "/v1/subscriptions/", json.loads(body.replace("{n}", str(number))))
        for number in range(each * options.rounds)
    ]
    with databases.copy("sqlite", built) as copy, overhearing() as transactions:
        ask(copy.url, built.key, requests)
    made = [each for each in transactions if any("INTO copy " in sql for sql, _ in each)]
    assert len(made) == len(requests), (len(made), len(requests))
    replay = Replay(stack.enter_context(databases.copy("sqlite", built)).url)
    stack.callback(replay.close)

    def round() -> dict[str, float]:
        part = [made.pop(0) for _ in range(each)]
        return {"rate": each / replay.run(part)}

    return round


def _row(
    options: Options,
    built: Built,
    server: Server,
    case: Case,
    bare: Callable[[], dict[str, float]] | None,
) -> Figures:
    def load(*, is_keyed: bool = False) -> dict[str, float]:
        return put_load(
            server,
            built.key,
            case.lines,
            seconds=options.seconds,
            connections=options.connections,
            is_keyed=is_keyed,
        ).figures

    contenders: dict[str, Callable[[], dict[str, float]]] = {"masthead": load}
    if case.name == CREATION:
        contenders["keyed"] = partial(load, is_keyed=True)
    if bare:
        contenders["bare_sql"] = bare
    found = alternate(options.rounds, contenders)
    rates = {name: [each["rate"] for each in rounds] for name, rounds in found.items()}
    row: Figures = {"name": case.name, **{name: spreads(each) for name, each in found.items()}}
    if bare:
        row["of_bare_sql"] = ratio(rates["masthead"], rates["bare_sql"])
    if "keyed" in rates:
        row["of_unkeyed"] = ratio(rates["keyed"], rates["masthead"])
    return row
