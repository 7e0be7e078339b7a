"""Compare this checkout of masthead with another one: the same data and the same requests.

    python -m bench.compare v0.2.0
    python -m bench.compare ../masthead-before

`python -m bench --against v0.2.0` does the same for the page.

Both checkouts run with the packages of this one's environment. Each creates its database by its
own command line, so their schemas and their modules may differ. The two servers get load in turn,
on the same core; the ratio of each round compares them, and its median is printed.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Literal

import httpx
from cyclopts import App, Parameter

from bench import data
from bench.checkouts import checked_out
from bench.clients.client import Client
from bench.clients.load import put_load, require_wrk
from bench.clients.requests import Case, creation, reads
from bench.databases import POSTGRES_SETTINGS, Built
from bench.options import ROOT
from bench.progress import say
from bench.rounds import Figures, alternate, quantile, ratio, spread
from bench.servers.processes import SERVERS, Server, masthead, move, running_in
from masthead.model.ids import account_of_key
from tests.support.postgres import open_own_cluster

OWNER = "owner@bench.test"
PASSWORD = "measured-twice-cut-once"  # noqa: S105 - of a database that is deleted
IDLE_SECONDS, IDLE_SHARE = 3.0, 0.05  # a server that uses less CPU has no background work left
PAGE_REQUESTS = 20  # of each page, in each round
PAGES = "", "subscriptions/", "subscriptions/new/", "subscribers/", "issues/", "settings/keys/"

Backend = Literal["sqlite", "postgres"]
app = App(name="python -m bench.compare", help_format="plaintext")


class Checkout:
    """A source tree of masthead, and its database. database_url: not created yet."""

    def __init__(self, folder: Path, database_url: str) -> None:
        self.folder, self.url = folder, database_url

    def run(self, *words: str) -> str:
        """Run a command of this checkout; returns what it prints."""
        done = subprocess.run(
            [sys.executable, "-m", "masthead", *words],
            cwd=self.folder,
            env=running_in(self.folder, {"MASTHEAD_DATABASE_URL": self.url}),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{self.folder}: masthead {' '.join(words)} failed: {done.stderr}")
        return done.stdout

    def build(self, count: int) -> Built:
        """Create the database with an account, its issues and `count` imported rows."""
        self.run("migrate")
        owner = ("--owner", OWNER, "--currency", "EUR", "--subdomain", "bench")
        account = json.loads(self.run("account", "create", "--name", "Bench", *owner, "--json"))
        words = ("--account", "bench", "--json")
        key = json.loads(
            self.run("key", "create", "--user", OWNER, "--scope", "read_write", *words)
        )["key"]
        assert account_of_key(key) == account["id"]
        issues = {
            number: json.loads(self.run("issue", "create", *words, *_issue(number)))["id"]
            for number in range(1, data.COPIES.issues + 1)
        }
        names = [*(name for name, _ in data.SOURCES), data.RARE_SOURCE]
        sources = {
            name: json.loads(
                self.run("source", "create", *words, "--name", name, "--type", "import")
            )["id"]
            for name in names
        }
        with tempfile.TemporaryDirectory() as folder:
            files = data.write_files(Path(folder), data.rows(data.COPIES, count))
            began = time.perf_counter()
            for name, path in files.items():
                self.run("import", *words, "--source", sources[name], str(path))
            seconds = time.perf_counter() - began
        return Built(self.url, account["id"], key, sources, issues, count, seconds, 0)

    def sign_in(self, server: Server) -> str:
        """Set the owner's password and sign in; the session cookie."""
        link = json.loads(self.run("user", "reset", "--email", OWNER, "--json"))["link"]
        path = link.partition("//")[2].partition("/")[2]
        with httpx.Client(base_url=server.address, trust_env=False) as browser:
            fields = dict(_fields(browser.get(f"/{path}").text))
            answer = browser.post(f"/{path}", data=fields, headers={"Origin": server.address})
            if not browser.cookies or answer.is_error:
                raise RuntimeError(f"sign-in failed: {answer.status_code} {answer.text[:2000]}")
            return "; ".join(f"{name}={value}" for name, value in browser.cookies.items())


def _issue(number: int) -> tuple[str, ...]:
    """The command-line options that create an issue."""
    return "--number", str(number), "--release-date-actual", str(data.release_date(number))


def _fields(page: str) -> Iterator[tuple[str, str]]:
    """The hidden fields of the page's form, and the password fields with a password."""
    for field in re.findall(r"<input\b[^>]*>", page):
        attributes = dict(re.findall(r'(\w+)="([^"]*)"', field))
        if "name" in attributes and attributes.get("type") == "hidden":
            yield attributes["name"], attributes.get("value", "")
        elif "name" in attributes and attributes.get("type") == "password":
            yield attributes["name"], PASSWORD


def wait_until_idle(server: Server) -> None:
    """Return when the background work of a server is done."""
    used = float("inf")
    while used > IDLE_SECONDS * IDLE_SHARE:
        before = server.cpu
        time.sleep(IDLE_SECONDS)
        used = server.cpu - before


@app.default
def main(
    other: str,
    /,
    *,
    databases: Annotated[tuple[Backend, ...], Parameter(negative="", consume_multiple=True)] = (
        "sqlite",
        "postgres",
    ),
    rows: int = 4_000,
    rounds: int = 7,
    seconds: float = 1.0,
    connections: int = 16,
) -> None:
    """Measure this checkout and another one in turn, and print a table for each database.

    Parameters
    ----------
    other
        folder of the other checkout, or a commit or tag of this one
    databases
        sqlite postgres
    rows
        orders to import; each has up to 24 copies
    rounds
        of each comparison
    seconds
        of load in each round
    connections
        of the load generator
    """
    require_wrk()
    with checked_out(other) as folder:
        for backend in databases:
            print(f"\n{backend}: {rows} rows, {rounds} rounds of {seconds} s\n")
            print(f"| {'operation':<32} | before | after | times as fast |\n|---|---|---|---|")
            for row in compare(
                {"before": folder, "after": ROOT},
                backend,
                rows=rows,
                rounds=rounds,
                seconds=seconds,
                connections=connections,
            ):
                _print(row)


def _create(
    stack: ExitStack, folders: Mapping[str, Path], backend: str, home: Path
) -> dict[str, Checkout]:
    """The checkouts by name, each with an empty database."""
    if backend == "sqlite":
        return {
            name: Checkout(folder, f"sqlite:///{home / name}.db")
            for name, folder in folders.items()
        }
    cluster = stack.enter_context(open_own_cluster(home, POSTGRES_SETTINGS))
    move(cluster.pid, SERVERS)
    return {
        name: Checkout(folder, cluster.create_database(name)) for name, folder in folders.items()
    }


def compare(
    folders: Mapping[str, Path],
    backend: str,
    *,
    rows: int,
    rounds: int,
    seconds: float,
    connections: int,
) -> Iterator[Figures]:
    """The figures of each operation `before` and `after`, one after the other.

    folders: the two checkouts. speed: how many times as fast `after` is, or as small.
    """
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        home.chmod(0o755)  # PostgreSQL runs as another user if we are root
        checkouts = _create(stack, folders, backend, home)
        built, servers, cookies = dict[str, Built](), dict[str, Server](), dict[str, str]()
        for name, checkout in checkouts.items():
            say(f"{backend}: {name} imports {rows} rows …")
            built[name] = checkout.build(rows)
            server = stack.enter_context(masthead(checkout.url, folder=checkout.folder))
            wait_until_idle(server)
            servers[name], cookies[name] = server, checkout.sign_in(server)
        yield _row("import, rows/s", {name: [rows / each.seconds] for name, each in built.items()})
        cases = {name: _cases(servers[name], built[name]) for name in built}
        for number, case in enumerate(cases["after"]):

            def load(name: str, number: int = number) -> Callable[[], dict[str, float]]:
                lines, key = cases[name][number].lines, built[name].key
                return lambda: (
                    put_load(
                        servers[name], key, lines, seconds=seconds, connections=connections
                    ).figures
                )

            found = alternate(rounds, {name: load(name) for name in built})
            yield _row(f"{case.name}, requests/s", _of(found, "rate"))
        for page in PAGES:

            def read(name: str, page: str = page) -> Callable[[], dict[str, float]]:
                client = Client(servers[name].address, built[name].key, cookie=cookies[name])
                return lambda: {"median": _median_ms(client, f"/desk/bench/{page}")}

            found = alternate(rounds, {name: read(name) for name in built})
            yield _row(f"page /{page}, ms", _of(found, "median"), is_rate=False)
        memory = {name: [server.worker_bytes / 2**20] for name, server in servers.items()}
        yield _row("memory of a worker, MiB", memory, is_rate=False)


def _cases(server: Server, built: Built) -> list[Case]:
    """The requests to the API: all reads, then the creation of a subscription."""
    return [*reads(server, built), creation(built)]


def _median_ms(client: Client, path: str) -> float:
    return quantile([client.timed("GET", path) for _ in range(PAGE_REQUESTS)], 0.5) * 1e3


def _of(found: Figures, figure: str) -> dict[str, list[float]]:
    return {name: [each[figure] for each in rounds] for name, rounds in found.items()}


def _row(name: str, values: dict[str, list[float]], *, is_rate: bool = True) -> Figures:
    """One operation: both figures, and the ratio of each round. is_rate: whether more is better."""
    before, after = values["before"], values["after"]
    return {
        "name": name,
        "before": spread(before),
        "after": spread(after),
        "speed": ratio(after, before) if is_rate else ratio(before, after),
    }


def _print(row: Figures) -> None:
    """Print one operation: the medians, and the median of the ratios with its spread."""
    cells = [f"{row[name].median:,.1f}" for name in ("before", "after")]
    speed = row["speed"]
    told = f"{speed.median:.3f} ({speed.least:.3f}-{speed.most:.3f})"
    print(f"| {row['name']:<32} | {' | '.join(cells)} | {told} |", flush=True)


if __name__ == "__main__":
    app()
