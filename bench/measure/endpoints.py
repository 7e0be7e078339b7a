"""Each endpoint with one worker: requests per second, latencies, CPU, memory, and the bare server.

The limit is the bare server. Our own router with answers from memory shows our own overhead: the
CPU of its requests, less that of the bare server's.
"""

import json
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from bench import data
from bench.clients.asyncpg_loop import run_loop
from bench.clients.client import Client
from bench.clients.load import put_load
from bench.clients.pgbench import Pgbench
from bench.clients.requests import Case, reads
from bench.databases import Built, Databases
from bench.options import Options
from bench.rounds import Figures, alternate, ratio, spread, spreads
from bench.servers.bare import BARE_ANSWERS
from bench.servers.limit import ANSWERS
from bench.servers.processes import SERVERS, Server, beside, cpu_seconds, masthead, move

LIST = "list subscriptions, 50"


def measure(options: Options, databases: Databases, backend: str) -> Figures:
    """A row for each read."""
    built = databases.get(backend, data.COPIES, data.COPIES.rows_for(options.copies))
    if backend == "postgres":
        move(databases.cluster.pid, SERVERS)
    with ExitStack() as stack:
        server = stack.enter_context(masthead(built.url))
        cases = reads(server, built)
        servers = {"masthead": server, **_from_memory(stack, server, built, cases)}
        check_same(servers, built.key, cases)
        pgbench = Pgbench.of_list(databases.cluster, built) if backend == "postgres" else None
        rows = [_row(options, databases, backend, built, servers, case, pgbench) for case in cases]
        return {"copies": options.copies, "rows": rows, "worker_bytes": server.worker_bytes}


def _from_memory(
    stack: ExitStack, server: Server, built: Built, cases: list[Case]
) -> dict[str, Server]:
    """The servers that return the same bytes from memory."""
    client = Client(server.address, built.key)
    by_route: dict[str, list[tuple[str, int, str]]] = {}
    by_path: dict[str, str] = {}
    for case in cases:
        for id, path in zip(case.ids, case.paths, strict=True):
            by_path[path] = client.ask("GET", path).decode()
            by_route.setdefault(case.route, []).append((id, case.limit, by_path[path]))
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    (folder / "limit.json").write_text(json.dumps(by_route))
    (folder / "bare.json").write_text(json.dumps(by_path))
    files = {ANSWERS: str(folder / "limit.json"), BARE_ANSWERS: str(folder / "bare.json")}
    return {
        name: stack.enter_context(
            beside(f"bench.servers.{name}:create_app", built.url, environment=files)
        )
        for name in ("limit", "bare")
    }


def check_same(servers: dict[str, Server], key: str, cases: list[Case]) -> None:
    """Raises: RuntimeError unless all servers return the same response."""
    for case in cases:
        for path in {case.paths[0], case.paths[-1]}:
            bodies = {
                Client(server.address, key).ask(case.method, path) for server in servers.values()
            }
            if len(bodies) != 1:
                raise RuntimeError(f"{path} is not answered alike by {', '.join(servers)}")


def _row(
    options: Options,
    databases: Databases,
    backend: str,
    built: Built,
    servers: dict[str, Server],
    case: Case,
    pgbench: Pgbench | None,
) -> Figures:
    database = databases.cluster.pid if backend == "postgres" else None

    def ask(server: Server) -> Callable[[], dict[str, float]]:
        def load() -> dict[str, float]:
            before = cpu_seconds(database) if database else 0.0
            found = put_load(
                server,
                built.key,
                case.lines,
                seconds=options.seconds,
                connections=options.connections,
            )
            used = (cpu_seconds(database) - before if database else 0.0) / found.requests
            return {**found.figures, **({"database_cpu": used * 1e6} if database else {})}

        return load

    contenders = {name: ask(server) for name, server in servers.items()}
    if pgbench and case.name == LIST:
        contenders["pgbench"] = lambda: {"rate": pgbench.rate(options)}
        contenders["asyncpg"] = partial(run_loop, built.url, pgbench.statements, options)
    found = alternate(options.rounds, contenders)
    rates = {name: [each["rate"] for each in rounds] for name, rounds in found.items()}
    body = Client(servers["masthead"].address, built.key).ask("GET", case.paths[0])
    own = [
        each["cpu"] - bare["cpu"] for each, bare in zip(found["limit"], found["bare"], strict=True)
    ]
    return {
        "name": case.name,
        "bytes": len(body),
        "overhead": spread(own),
        **({"statements": len(pgbench.statements)} if "pgbench" in found and pgbench else {}),
        **{name: spreads(rounds) for name, rounds in found.items()},
        **{f"of_{name}": ratio(rates["masthead"], rates[name]) for name in list(rates)[1:]},
    }
