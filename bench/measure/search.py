"""Search among readers with one issue each: rare, common and absent words, alone or together."""

from collections.abc import Callable
from contextlib import ExitStack
from urllib.parse import quote_plus

from bench import data
from bench.clients.client import Client
from bench.databases import Databases
from bench.measure.growth import timed
from bench.options import Options
from bench.rounds import Figures, alternate, spreads
from bench.servers.processes import SERVERS, masthead, move

RARE, ABSENT = data.RARE_NAME.lower(), "xylograph"
OCCASIONAL, COMMON = data.OCCASIONAL_CITY.lower(), data.COMMON_CITY.lower()
# What is searched for, and whether its target is the one of words that match over 1 % of the rows
SEARCHES = (
    ("rare", RARE, False),
    ("in 0.5 % of rows", OCCASIONAL, False),
    ("absent", ABSENT, False),
    ("rare, common", f"{RARE} {COMMON}", False),
    ("absent, common", f"{ABSENT} {COMMON}", False),
    ("0.5 %, common", f"{OCCASIONAL} anna", False),
    ("common (5 %)", COMMON, True),
    ("common, common", f"{COMMON} street", True),
    ("two characters", "qu", True),
    ("one character", "z", True),
    ("one digit, one character", "7 q", True),
)


def measure(options: Options, databases: Databases, backend: str) -> Figures:
    """Milliseconds of each search at each size."""
    if backend == "postgres":
        move(databases.cluster.pid, SERVERS)
    with ExitStack() as stack:
        clients = {}
        for size in options.subscribers:
            built = databases.get(backend, data.PEOPLE, size)
            server = stack.enter_context(masthead(built.url))
            clients[str(size)] = Client(server.address, built.key)
        rows = []
        for path in ("/v1/subscribers/", "/v1/subscriptions/"):
            for name, words, is_broad in SEARCHES:
                asked = f"{path}?search={quote_plus(words)}"
                found = alternate(
                    options.rounds,
                    {size: _asker(options, client, asked) for size, client in clients.items()},
                )
                rows.append(
                    {
                        "name": f"{path.split('/')[2]}: {name}",
                        "is_broad": is_broad,
                        "sizes": {size: spreads(rounds) for size, rounds in found.items()},
                    }
                )
        return {"sizes": list(options.subscribers), "rows": rows}


def _asker(options: Options, client: Client, path: str) -> Callable[[], dict[str, float]]:
    return lambda: timed(options, lambda: client.timed("GET", path))
