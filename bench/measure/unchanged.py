"""Lists that a client has already (304), and lists that are compressed: rate, CPU and bytes."""

from collections.abc import Callable

from bench import data
from bench.clients.client import Client
from bench.clients.load import put_load
from bench.clients.requests import Case, reads
from bench.databases import Databases
from bench.options import Options
from bench.rounds import Figures, alternate, ratio, spreads
from bench.servers.processes import SERVERS, Server, masthead, move
from masthead.api.preconditions.entity_tags import entity_tag
from masthead.serving.compression import CODINGS, compress


def measure(options: Options, databases: Databases, backend: str) -> Figures:
    """A row for each list."""
    built = databases.get(backend, data.COPIES, data.COPIES.rows_for(options.copies))
    if backend == "postgres":
        move(databases.cluster.pid, SERVERS)
    with masthead(built.url) as server:
        lists = [case for case in reads(server, built) if case.limit and len(case.ids) == 1]
        return {"rows": [_row(options, server, built.key, case) for case in lists]}


def _row(options: Options, server: Server, key: str, case: Case) -> Figures:
    """The list whole, unchanged and in each coding, in turn."""
    body = Client(server.address, key).ask("GET", case.paths[0])
    headers = {
        "whole": "Accept-Encoding: identity",
        "unchanged": f"If-None-Match: {entity_tag(body).decode()}",
        **{coding: f"Accept-Encoding: {coding}" for coding in CODINGS},
    }

    def ask(header: str) -> Callable[[], dict[str, float]]:
        return lambda: (
            put_load(
                server,
                key,
                case.lines,
                seconds=options.seconds,
                connections=options.connections,
                headers=[header],
            ).figures
        )

    found = alternate(options.rounds, {name: ask(header) for name, header in headers.items()})
    cpu = {name: [each["cpu"] for each in rounds] for name, rounds in found.items()}
    return {
        "name": case.name,
        "bytes": {"whole": len(body)} | {each: len(compress(body, each)) for each in CODINGS},
        **{name: spreads(rounds) for name, rounds in found.items()},
        "gain": ratio(cpu["whole"], cpu["unchanged"]),
    }
