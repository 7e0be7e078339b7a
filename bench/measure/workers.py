"""Reads with two workers and with one, while the load generator shares their cores."""

from collections.abc import Callable
from contextlib import ExitStack

from bench import data
from bench.clients.load import put_load
from bench.clients.requests import Case, reads
from bench.databases import Databases
from bench.options import Options
from bench.rounds import Figures, alternate, ratio, spreads
from bench.servers.processes import ALL, Server, masthead, move

CASES = ("me", "status", "get subscription", "list subscriptions, 50")


def measure(options: Options, databases: Databases, backend: str) -> Figures:
    """A row for each read."""
    built = databases.get(backend, data.COPIES, data.COPIES.rows_for(options.copies))
    if backend == "postgres":
        move(databases.cluster.pid, ALL)
    with ExitStack() as stack:
        one = stack.enter_context(masthead(built.url, cores=ALL))
        two = stack.enter_context(masthead(built.url, workers=2, cores=ALL))
        cases = [case for case in reads(one, built) if case.name in CASES]
        rows = [_row(options, built.key, {"one": one, "two": two}, case) for case in cases]
        return {"copies": options.copies, "rows": rows}


def _row(options: Options, key: str, servers: dict[str, Server], case: Case) -> Figures:
    def ask(server: Server) -> Callable[[], dict[str, float]]:
        return lambda: (
            put_load(
                server,
                key,
                case.lines,
                seconds=options.seconds,
                connections=2 * options.connections,
                cores=ALL,
            ).figures
        )

    found = alternate(options.rounds, {name: ask(server) for name, server in servers.items()})
    rates = {name: [each["rate"] for each in rounds] for name, rounds in found.items()}
    return {
        "name": case.name,
        **{name: spreads(rounds) for name, rounds in found.items()},
        "gain": ratio(rates["two"], rates["one"]),
    }
