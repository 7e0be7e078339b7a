"""Growth: the same requests on accounts of many sizes, one by one, to show the query plans."""

import json
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct

from bench import data
from bench.clients.client import Client
from bench.databases import Built, Databases
from bench.options import Options
from bench.rounds import Figures, alternate, quantile, spreads
from bench.servers.processes import SERVERS, masthead, move
from bench.servers.ready import ask_database
from masthead.model.pagination import binding_of, encode_cursor

MARKED = 1_000
DEEP = 0.1  # of the records follow after a deep page

SUBSCRIPTIONS, SUBSCRIBERS, COPIES = "/v1/subscriptions/", "/v1/subscribers/", "/v1/copies/"
KEYS = {  # how many there are, and the key of one of them
    SUBSCRIPTIONS: (
        "SELECT count(*) AS n FROM subscription WHERE account_id = :account_id",
        "SELECT id FROM subscription WHERE account_id = :account_id"
        " ORDER BY id LIMIT 1 OFFSET :below",
    ),
    SUBSCRIBERS: (
        "SELECT count(*) AS n FROM subscriber WHERE account_id = :account_id",
        "SELECT id FROM subscriber WHERE account_id = :account_id"
        " ORDER BY id LIMIT 1 OFFSET :below",
    ),
    COPIES: (
        "SELECT last_copy AS n FROM account_state WHERE account_id = :account_id",
        "SELECT id + :below AS id FROM copy WHERE account_id = :account_id ORDER BY id LIMIT 1",
    ),
}


class Case(Struct, frozen=True):
    """One list. group: which target it has. filters: as Python values."""

    name: str
    group: str
    path: str
    filters: dict[str, Any]
    deep: bool = False


def measure(options: Options, databases: Databases, backend: str) -> Figures:
    """Milliseconds of each case at each size; all servers of one database run at the same time."""
    if backend == "postgres":
        move(databases.cluster.pid, SERVERS)
    sizes = options.sizes_on(backend)
    with ExitStack() as stack:
        clients: dict[str, Client] = {}
        cases: dict[str, dict[str, Case]] = {}
        builds: dict[str, Built] = {}
        for size in sizes:
            built = databases.get(backend, data.COPIES, data.COPIES.rows_for(size))
            server = stack.enter_context(masthead(built.url))
            clients[str(size)] = Client(server.address, built.key)
            builds[str(size)] = built
            cases[str(size)] = {case.name: case for case in cases_of(clients[str(size)], built)}
        names = list(cases[str(sizes[0])])
        rows = []
        for name in names:
            asks = {
                size: _asker(options, clients[size], builds[size], cases[size][name])
                for size in clients
            }
            found = alternate(options.rounds, asks)
            group = cases[str(sizes[0])][name].group
            rows.append(
                {
                    "name": name,
                    "group": group,
                    "sizes": {size: spreads(rounds) for size, rounds in found.items()},
                }
            )
        marking = {size: _marker(options, clients[size], builds[size]) for size in clients}
        found = alternate(options.rounds, marking)
        rows.append(
            {
                "name": f"mark {MARKED:,} copies sent",
                "group": "write",
                "sizes": {size: spreads(rounds) for size, rounds in found.items()},
            }
        )
        return {"sizes": list(sizes), "rows": rows}


def timed(options: Options, ask: Callable[[], float]) -> dict[str, float]:
    """A round: consecutive requests, as many as configured, within the time limit."""
    ask()  # the first one fills caches
    taken: list[float] = []
    until = time.perf_counter() + options.seconds / 2
    while len(taken) < options.requests and (not taken or time.perf_counter() < until):
        taken.append(ask() * 1e3)
    return {"p50": quantile(taken, 0.5), "p99": quantile(taken, 0.99)}


def _asker(
    options: Options, client: Client, built: Built, case: Case
) -> Callable[[], dict[str, float]]:
    path = path_of(case, built)
    return lambda: timed(options, lambda: client.timed("GET", path))


def _marker(options: Options, client: Client, built: Built) -> Callable[[], dict[str, float]]:
    """Marks the same copies repeatedly, each time with another date, so that all of them change."""
    count = min(MARKED, built.rows)
    items = client.get(f"{COPIES}?limit=200")["items"]
    last = int(items[0]["id"])
    ids = list(range(last - count + 1, last + 1))
    days = 0

    def mark() -> float:
        nonlocal days
        days = days % 28 + 1
        return client.timed(
            "POST", f"{COPIES}mark-sent/", {"ids": ids, "date": f"2026-02-{days:02}"}
        )

    return lambda: timed(options, mark)


def path_of(case: Case, built: Built) -> str:
    """Path and query; the cursor of a deep page is generated, not read page by page."""
    asked = {name: json.dumps(value).strip('"') for name, value in case.filters.items()}
    if case.deep:
        binding = binding_of(built.account_id, case.path, case.filters)
        asked["cursor"] = encode_cursor(binding, _deep_key(case.path, built.url, built.account_id))
    return f"{case.path}?{urlencode(asked)}"


@cache
def _deep_key(path: str, url: str, account_id: int) -> str:
    """The key after which a tenth of the records follow."""
    kind = path if path in (SUBSCRIPTIONS, SUBSCRIBERS) else COPIES
    count, key = KEYS[kind]
    below = int(ask_database(url, count, account_id=account_id)["n"] * DEEP)
    return str(ask_database(url, key, account_id=account_id, below=below)["id"])


def cases_of(client: Client, built: Built) -> list[Case]:
    """The lists, single filters, the combinations that people use, and others."""
    one = client.get(SUBSCRIPTIONS)["items"][-1]
    subscriber, subscription = one["subscriber"]["id"], one["id"]
    issue, common, rare = built.issues[3], data.COUNTRIES[0], data.RARE_COUNTRY
    source, rare_source = built.sources[data.SOURCES[0][0]], built.sources[data.RARE_SOURCE]
    sent, unsent, cancelled = "Sent", "Not sent", "Cancelled"
    of_issue = f"/v1/issues/{issue}/copies/"

    def case(group: str, path: str, **filters: Any) -> list[Case]:
        told = ", ".join(_told(name, value, built) for name, value in filters.items()) or "all"
        name = f"{path.split('/')[2]}: {told}" if path != of_issue else f"issue's copies: {told}"
        return [
            Case(name, group, path, filters),
            Case(f"{name}, deep", group, path, filters, deep=True),
        ]

    lists = [
        *case("list", SUBSCRIPTIONS),
        *case("list", COPIES),
        *case("list", SUBSCRIBERS),
        *case("filter", SUBSCRIPTIONS, country=common),
        *case("filter", SUBSCRIPTIONS, country=rare),
        *case("filter", SUBSCRIPTIONS, source=source),
        *case("filter", SUBSCRIPTIONS, source=rare_source),
        *case("filter", SUBSCRIPTIONS, is_gift=True),
        *case("filter", SUBSCRIPTIONS, is_gift=False),
        *case("filter", SUBSCRIPTIONS, subscriber=subscriber),
        *case("filter", COPIES, status=sent),
        *case("filter", COPIES, status=unsent),
        *case("filter", COPIES, status=cancelled),
        *case("filter", COPIES, issue=issue),
        *case("filter", COPIES, country=common),
        *case("filter", COPIES, country=rare),
        *case("filter", COPIES, subscriber=subscriber),
        *case("filter", COPIES, subscription=subscription),
        *case("filter", of_issue),
        *case("combination", COPIES, issue=issue, status=sent),
        *case("combination", COPIES, issue=issue, status=cancelled),
        *case("combination", COPIES, issue=issue, country=common),
        *case("combination", COPIES, issue=issue, country=rare),
        *case("combination", COPIES, issue=issue, country=common, status=sent),
        *case("combination", COPIES, issue=issue, country=rare, status=cancelled),
        *case("other", COPIES, country=common, status=cancelled),
        *case("other", COPIES, country=rare, status=unsent),
        *case("other", COPIES, issue=issue, subscriber=subscriber),
        *case("other", COPIES, subscription=subscription, status=cancelled),
        *case("other", SUBSCRIPTIONS, country=rare, is_gift=True),
        *case("other", SUBSCRIPTIONS, country=common, source=rare_source),
        *case("other", SUBSCRIPTIONS, source=source, is_gift=True, country=rare),
    ]
    return [*lists, Case("issues: all", "list", "/v1/issues/", {})]


def _told(name: str, value: Any, built: Built) -> str:
    """A filter in words that are the same for all sizes."""
    for known, id in built.sources.items():
        if value == id:
            return "rare source" if known == data.RARE_SOURCE else "common source"
    if name == "country":
        return "rare country" if value == data.RARE_COUNTRY else "common country"
    if name == "is_gift":
        return "gifts" if value else "no gifts"
    return f"{value}" if name == "status" else name
