"""`python -m bench.year`: simulate a year of a publisher, and write docs/growth.md."""

import asyncio
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from cyclopts import App, Parameter

from bench import machine
from bench.databases import POSTGRES_SETTINGS
from bench.options import DATABASES, ROOT
from bench.progress import say
from bench.year.page import write_page
from bench.year.publisher import Publisher
from bench.year.results import YearResult, keep
from bench.year.simulate import Year
from masthead.store.engine.migrate import migrate
from tests.support.postgres import PostgresMissing, open_own_cluster

RESULTS = ROOT / "bench" / "results" / "year"
PAGE = ROOT / "docs" / "growth.md"
Names = Annotated[tuple[str, ...], Parameter(negative="", consume_multiple=True)]

app = App(name="python -m bench.year", help_format="plaintext")


@app.default
def main(
    *,
    subscribers: int = 500_000,
    months: int = 12,
    databases: Names = DATABASES,
    folder: Path | None = None,
    results: Path = RESULTS,
    page: Path = PAGE,
    page_only: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Simulate a year of a publisher, and show what grows.

    Parameters
    ----------
    subscribers
        of the publisher; the databases need about 40 kB on the disk for each
    months
        to simulate
    databases
        sqlite postgres
    folder
        where the databases are; they are deleted at the end
    results
        folder for the results
    page
        the page to write, its plots in a folder beside it
    page_only
        simulate nothing; only write the page
    """
    if not page_only:
        try:
            for name in databases:
                keep(results, simulate(name, subscribers, months, folder))
        except PostgresMissing as reason:
            say(str(reason))
            return 1
    write_page(results, page)
    return 0


def simulate(name: str, subscribers: int, months: int, folder: Path | None) -> YearResult:
    """The year before this month, on a new database."""
    say(f"a year of {subscribers:,} subscribers on {name} …")
    this_month = datetime.now(UTC).date().replace(day=1)
    publisher = Publisher(subscribers, this_month.replace(year=this_month.year - 1))
    with TemporaryDirectory(dir=folder) as home, database(name, Path(home)) as url:
        migrate(url)
        began = time.perf_counter()
        year = Year(url, publisher, Path(home))
        measured = asyncio.run(year.run(months))
        return YearResult(
            database=name,
            subscribers=subscribers,
            measured=machine.moment(),
            commit=machine.commit(),
            machine=machine.machine(),
            seconds=time.perf_counter() - began,
            months=measured,
            before=year.before,
            after=year.after,
        )


@contextmanager
def database(name: str, home: Path) -> Iterator[str]:
    """A new database in a folder."""
    if name == "sqlite":
        yield f"sqlite:///{home / 'year.db'}"
        return
    home.chmod(0o755)  # PostgreSQL runs as another user if we are root
    server = home / "postgres"
    server.mkdir()
    with open_own_cluster(server, POSTGRES_SETTINGS) as cluster:
        yield cluster.create_database()


if __name__ == "__main__":
    sys.exit(app())
