"""Writes that change many rows: complete, and compared with bare SQL that changes the same rows."""

import asyncio
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import data
from bench.bare_sql import Replay, Transaction, overhearing
from bench.data import Kind
from bench.databases import BY, Built, Databases
from bench.options import Options
from bench.rounds import Figures, alternate, ratio, spreads
from bench.within import Run, ask, command
from masthead.services import sources
from masthead.store.engine.database import connect

MOST = 10_000  # ids that one request marks
MORE = Kind("more", issues=1, length=1, has_history=False)


def measure(options: Options, databases: Databases, backend: str) -> Figures:
    """A row for each write."""
    built = databases.get(backend, data.BULK, options.bulk)
    with TemporaryDirectory() as folder:
        jobs = jobs_of(options, built, Path(folder))
        rows = [_row(options, databases, backend, built, *job) for job in jobs]
    return {"subscriptions": options.bulk, "rows": rows}


def jobs_of(options: Options, built: Built, folder: Path) -> list[tuple[str, Run]]:
    """The writes by name; each returns its seconds on a given database."""
    rows = min(options.bulk, options.import_rows, 20_000)
    source, file = built.sources["Web shop"], folder / "more.csv"
    data.write_file(file, data.rows(MORE, rows))
    marked = min(MOST, options.bulk)
    ids = list(range(built.first_copy, built.first_copy + marked))
    marking = ("POST", "/v1/copies/mark-sent/", {"ids": ids, "date": "2026-01-15"})
    issue = ("POST", "/v1/issues/", {"number": 2, "release_date_actual": "2026-02-01"})
    return [
        (f"mark {marked:,} copies sent", lambda url: ask(url, built.key, [marking])[0]),
        (
            f"create an issue with {options.bulk:,} copies",
            lambda url: ask(url, built.key, [issue])[0],
        ),
        (f"import {rows:,} rows", lambda url: command(url, *import_words(source, file))),
        ("rename a source", lambda url: asyncio.run(_rename(url, built))),
    ]


def import_words(source: str, file: Path) -> list[str]:
    """The importer's command line."""
    return ["import", str(file), "--account", "bench", "--source", source, "--json"]


def rename_words(built: Built, name: str) -> list[str]:
    """The command that renames the source of most subscriptions."""
    return ["source", "rename", built.sources["Old list"], "--name", name, "--account", "bench"]


async def _rename(url: str, built: Built) -> float:
    """The seconds of the rename alone: opening a database takes as long, and bare SQL has it open.

    The API has no such request.
    """
    db = await connect(url)
    try:
        id, began = built.sources["Old list"], time.perf_counter()
        await sources.rename_source(db, built.account_id, id, name="Former list", by=BY)
        return time.perf_counter() - began
    finally:
        await db.close()


def _row(
    options: Options, databases: Databases, backend: str, built: Built, name: str, run: Run
) -> Figures:
    def whole() -> dict[str, float]:
        with databases.copy(backend, built) as copy:
            return {"seconds": run(copy.url)}

    contenders: dict[str, Callable[[], dict[str, float]]] = {"masthead": whole}
    if backend == "sqlite":
        contenders["bare_sql"] = _bare(databases, built, run)
    found = alternate(options.rounds, contenders)
    seconds = {name: [each["seconds"] for each in rounds] for name, rounds in found.items()}
    row: Figures = {"name": name, **{who: spreads(rounds) for who, rounds in found.items()}}
    if backend == "sqlite":
        row["times_bare_sql"] = ratio(seconds["masthead"], seconds["bare_sql"])
    return row


def _bare(databases: Databases, built: Built, run: Run) -> Callable[[], dict[str, float]]:
    """The same changes by bare SQL, each time on a new copy."""
    with databases.copy("sqlite", built) as copy, overhearing() as transactions:
        run(copy.url)
    overheard: list[Transaction] = list(transactions)

    def replayed() -> dict[str, float]:
        with ExitStack() as stack:
            copy = stack.enter_context(databases.copy("sqlite", built))
            replay = Replay(copy.url)
            stack.callback(replay.close)
            return {"seconds": replay.run(overheard)}

    return replayed
