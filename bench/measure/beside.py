"""Reads during a bulk write, of current and of outdated rows of the read model."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import data
from bench.clients.client import Client
from bench.databases import Built, Databases
from bench.measure.bulk import MORE, MOST, import_words, rename_words
from bench.options import Options
from bench.rounds import Figures, quantile
from bench.servers.processes import ALL, masthead, move
from bench.servers.ready import wait_for_documents
from bench.within import prepared

Job = Callable[[], object]
SEARCHES = "consecutive broad searches"
AFTER_RENAME = "stale subscriptions, after the rename"
PAGES = 50
FRESH = data.SOURCES[2][0]  # the source of the subscriptions that are read, which no write changes
STALE = data.SOURCES[0][0]  # the source that is renamed


class Seen:
    """Latencies of all rounds by the write that ran at the same time, and its duration: seconds."""

    def __init__(self) -> None:
        self.quiet: defaultdict[str, list[float]] = defaultdict(list)
        self.busy: defaultdict[str, list[float]] = defaultdict(list)
        self.lasted: defaultdict[str, list[float]] = defaultdict(list)

    def read_beside(self, name: str, job: Job, client: Client, paths: Iterator[str]) -> None:
        """Read until a write ends."""
        with running(job) as still:
            began = time.perf_counter()
            while still():
                self.busy[name].append(client.timed("GET", next(paths)))
            self.lasted[name].append(time.perf_counter() - began)

    def rows(self) -> list[Figures]:
        """A row for each."""
        everything = [each for values in self.quiet.values() for each in values]
        return [
            {
                "name": name,
                "quiet": figures_of(self.quiet.get(name, everything), "reads"),
                "busy": figures_of(values, "reads"),
                "seconds": quantile(self.lasted[name], 0.5) if name in self.lasted else None,
            }
            for name, values in self.busy.items()
        ]


def measure(options: Options, databases: Databases, backend: str) -> Figures:
    """A row for each write; latencies of all rounds together, in ms. No process is pinned."""
    built = databases.get(backend, data.BULK, options.bulk)
    if backend == "postgres":
        move(databases.cluster.pid, ALL)
    seen = Seen()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "more.csv"
        data.write_file(file, data.rows(MORE, min(options.bulk, options.import_rows, 5_000)))
        for number in range(options.rounds):
            with databases.copy(backend, built) as copy:
                _round(options, copy, file, number, seen)
    return {"subscriptions": options.bulk, "rows": seen.rows()}


def _round(options: Options, copy: Built, file: Path, number: int, seen: Seen) -> None:
    """Run each write once, on one copy."""
    with masthead(copy.url, cores=ALL) as server:
        client = Client(server.address, copy.key)
        fresh = pages_of(client, copy.sources[FRESH])
        stale = pages_of(client, copy.sources[STALE])
        for name, prepare in _jobs(options, copy, server.address, file, number).items():
            job = prepare()
            wait_for_documents(copy.url)
            seen.quiet[name] += read_for(client, fresh, options.seconds)
            seen.read_beside(name, job, client, fresh)
        # the last job has outdated these, and the newest are rendered first
        seen.busy[AFTER_RENAME] += read_for(client, stale, options.seconds)


def _jobs(
    options: Options, copy: Built, address: str, file: Path, number: int
) -> dict[str, Callable[[], Job]]:
    """The writes, each in a separate thread or process, which is ready to begin."""
    marked = min(MOST, options.bulk)
    ids = list(range(copy.first_copy, copy.first_copy + marked))

    def post(path: str, body: object) -> Callable[[], Job]:
        return lambda: lambda: Client(address, copy.key).ask("POST", path, body)

    def command(words: list[str]) -> Callable[[], Job]:
        return lambda: prepared(copy.url, words)

    issue = {"number": 2, "release_date_actual": "2026-02-01"}

    def search() -> None:
        client, until = Client(address, copy.key), time.perf_counter() + options.seconds
        while time.perf_counter() < until:
            client.ask("GET", "/v1/subscribers/?search=q+7")

    return {
        SEARCHES: lambda: search,
        f"mark {marked:,} copies sent": post("/v1/copies/mark-sent/", {"ids": ids}),
        f"create an issue with {options.bulk:,} copies": post("/v1/issues/", issue),
        "import in another process": command(import_words(copy.sources["Web shop"], file)),
        "rename a source": command(rename_words(copy, f"List of round {number}")),
    }


@contextmanager
def running(job: Job) -> Iterator[Callable[[], bool]]:
    """Run a job in a thread; yields whether it still runs. Raises: the job's errors."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            job()
        except BaseException as reason:  # noqa: BLE001 - raised in the calling thread below
            failed.append(reason)

    thread = threading.Thread(target=run)
    thread.start()
    yield thread.is_alive
    thread.join()
    if failed:
        raise failed[0]


def pages_of(client: Client, source: str) -> Iterator[str]:
    """The last pages of a source's subscriptions, which have the oldest ones, again and again."""
    whole = f"/v1/subscriptions/?source={source}"
    cursors, page = [""], client.get(f"{whole}&limit=200")
    while page["has_more"]:
        cursors.append(f"&cursor={page['cursor']}")
        page = client.get(f"{whole}&limit=200{cursors[-1]}")
    return cycle(f"{whole}&limit=50{cursor}" for cursor in cursors[-PAGES:])


def read_for(client: Client, paths: Iterator[str], seconds: float) -> list[float]:
    """Latencies of consecutive reads for some seconds."""
    until = time.perf_counter() + seconds
    taken = [client.timed("GET", next(paths))]
    while time.perf_counter() < until:
        taken.append(client.timed("GET", next(paths)))
    return taken


def figures_of(seconds: list[float], requests: str) -> dict[str, float]:
    """The latencies in ms, and under the name `requests` their number."""
    return {
        "p50": quantile(seconds, 0.5) * 1e3,
        "p99": quantile(seconds, 0.99) * 1e3,
        "most": max(seconds) * 1e3,
        requests: len(seconds),
    }
