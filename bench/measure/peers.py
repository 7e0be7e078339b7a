"""Other frameworks: the same requests to masthead and to its peers."""

import json
from collections.abc import Callable
from contextlib import ExitStack
from importlib.util import find_spec
from typing import Any

from bench import data
from bench.clients.client import Client
from bench.clients.load import put_load
from bench.clients.requests import Case, mark_many, reads
from bench.databases import Built, Databases
from bench.options import Options
from bench.peers.own_indexes import prepare_copy
from bench.peers.queries import cost_of
from bench.rounds import Figures, alternate, ratio, spreads
from bench.servers.processes import SERVERS, Server, beside, masthead, move

PEERS = {
    "fastapi": ("bench.peers.fast.app:create_app", "asgi"),
    "django": ("bench.peers.drf.app:create_app", "wsgi"),
}
NEEDED = ("fastapi", "aiosqlite", "django", "rest_framework", "orjson", "psycopg")
CONNECTIONS = 4  # their requests take up to 100 ms; what a load leaves undone delays the next one
READS = ("me", "get subscription", "list subscriptions, 50")


class PeersMissing(Exception):
    """Their packages are not installed."""


def require_peers() -> None:
    """Raises: PeersMissing."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise PeersMissing(
            f"{', '.join(missing)} are not installed; `make bench` does it, or "
            "`pip install --require-hashes -r requirements/bench.txt`."
        )


def measure(options: Options, databases: Databases, backend: str) -> Figures:
    """A row for each request; each server has a copy of the database to write to."""
    require_peers()
    built = databases.get(backend, data.COPIES, data.COPIES.rows_for(options.copies))
    if backend == "postgres":
        move(databases.cluster.pid, SERVERS)
    with ExitStack() as stack:
        copy = stack.enter_context(databases.copy(backend, built))
        copies = dict[str, Built]()
        servers = {"masthead": stack.enter_context(masthead(copy.url))}
        for name, (application, interface) in PEERS.items():
            copy = stack.enter_context(databases.copy(backend, built))
            prepare_copy(copy.url)
            copies[name] = copy
            servers[name] = stack.enter_context(beside(application, copy.url, interface=interface))
        asked = [case for case in reads(servers["masthead"], built) if case.name in READS]
        for case in asked:
            check_alike(servers, built.key, case.method, [case.paths[0], case.paths[-1]])
        marking = mark_many(servers["masthead"], built)
        first = json.loads(marking.lines[0].split(" ", 2)[2].replace("{day}", "2026-01-15"))
        check_alike(servers, built.key, "POST", [marking.template], first)
        rows = [_row(options, built, servers, case) for case in (*asked, marking)]
        for row, case in zip(rows, asked, strict=False):
            row["costs"] = {
                name: cost_of(name, copy.url, built.key, case.paths[0])
                for name, copy in copies.items()
            }
    return {"copies": options.copies, "rows": rows}


def check_alike(
    servers: dict[str, Server], key: str, method: str, paths: list[str], body: Any = None
) -> None:
    """Raises: RuntimeError unless all return the same JSON, in any order of names."""
    for path in paths:
        answers = {
            name: json.loads(Client(server.address, key).ask(method, path, body))
            for name, server in servers.items()
        }
        for name, answer in answers.items():
            if answer != answers["masthead"]:
                raise RuntimeError(
                    f"{name} answers {method} {path} otherwise:\n"
                    f"{json.dumps(answer)[:3000]}\nmasthead:\n"
                    f"{json.dumps(answers['masthead'])[:3000]}"
                )


def _row(options: Options, built: Built, servers: dict[str, Server], case: Case) -> Figures:
    def ask(server: Server) -> Callable[[], dict[str, float]]:
        return lambda: (
            put_load(
                server,
                built.key,
                case.lines,
                seconds=options.seconds,
                connections=CONNECTIONS,
            ).figures
        )

    found = alternate(options.rounds, {name: ask(server) for name, server in servers.items()})
    rates = {name: [each["rate"] for each in rounds] for name, rounds in found.items()}
    return {
        "name": case.name,
        **{name: spreads(rounds) for name, rounds in found.items()},
        **{f"of_{name}": ratio(rates["masthead"], rates[name]) for name in PEERS},
    }
