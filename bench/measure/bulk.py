"""Writes that change many rows: complete, and compared with bare SQL that changes the same rows."""

import asyncio
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import data
from bench.bare_sql import Replay, Transaction, overhearing
from bench.data import Kind
from bench.databases import BY, Built, Databases
from bench.options import Options
from bench.rounds import Figures, alternate, ratio, spreads
from bench.within import Run, ask, command
from masthead.model.bulk import ChosenList, RowChoice
from masthead.model.dispatch.runs import DispatchSelection
from masthead.services import sources
from masthead.services.bulk.choose import choose
from masthead.services.dispatch import runs
from masthead.services.subscribers import notes
from masthead.store.engine.database import connect

MOST, FEW = 10_000, 1_000  # ids that one request marks
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
    marked, few = min(MOST, options.bulk), min(FEW, options.bulk)
    issue = ("POST", "/v1/issues/", {"number": 2, "release_date_actual": "2026-02-01"})
    return [
        (f"mark {marked:,} copies sent", _marking(built, marked)),
        (
            f"create an issue with {options.bulk:,} copies",
            lambda url: ask(url, built.key, [issue])[0],
        ),
        (f"import {rows:,} rows", lambda url: command(url, *import_words(source, file))),
        ("rename a source", lambda url: asyncio.run(_rename(url, built))),
        (f"mark {few:,} copies sent", _marking(built, few)),
        (
            f"prepare a mailing of {options.bulk:,} copies",
            lambda url: asyncio.run(_mail(url, built, is_marked=False)),
        ),
        (
            f"prepare a mailing of {options.bulk:,} copies and mark it sent",
            lambda url: asyncio.run(_mail(url, built, is_marked=True)),
        ),
        (
            f"add a note to {few:,} subscribers",
            lambda url: asyncio.run(_add_notes(url, built, few)),
        ),
    ]


def _marking(built: Built, count: int) -> Run:
    """Mark the first copies as sent, in one request."""
    ids = list(range(built.first_copy, built.first_copy + count))
    marking = ("POST", "/v1/copies/mark-sent/", {"ids": ids, "date": "2026-01-15"})
    return lambda url: ask(url, built.key, [marking])[0]


async def _mail(url: str, built: Built, *, is_marked: bool) -> float:
    """The seconds in which a mailing of all copies of an issue is prepared, and marked."""
    db = await connect(url)
    try:
        account_id, began = built.account_id, time.perf_counter()
        run = await runs.freeze_dispatch(
            db, account_id, built.issues[1], DispatchSelection(), by=BY
        )
        if is_marked:
            await runs.mark_dispatch(db, account_id, run.id, date(2026, 1, 15), by=BY)
        return time.perf_counter() - began
    finally:
        await db.close()


async def _add_notes(url: str, built: Built, count: int) -> float:
    """The seconds in which a note is added to the newest subscribers."""
    db = await connect(url)
    try:
        rows = await db.fetch_all(
            """
            SELECT id
            FROM subscriber
            WHERE account_id = :account_id
            ORDER BY id DESC
            LIMIT :count
            """,
            {"account_id": built.account_id, "count": count},
        )
        choice = RowChoice(ChosenList.SUBSCRIBERS, [row["id"] for row in rows], None)
        shown = (await choose(db, built.account_id, choice)).fingerprint
        began = time.perf_counter()
        await notes.add_notes(db, built.account_id, choice, "A note", expected=shown, by=BY)
        return time.perf_counter() - began
    finally:
        await db.close()


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
