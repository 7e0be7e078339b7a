"""Writes that change many rows: complete, and compared with bare SQL that changes the same rows."""

import asyncio
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench import bare_postgres, bare_sql, data
from bench.data import Kind
from bench.databases import BY, Built, Databases
from bench.options import Options
from bench.rounds import Figures, Spread, alternate, ratio, spreads
from bench.stopwatch import Stopwatch
from bench.within import ask, command
from masthead.model.bulk import ChosenList, RowChoice
from masthead.model.dispatch.runs import DispatchSelection
from masthead.services import sources
from masthead.services.bulk.choose import choose
from masthead.services.dispatch import runs
from masthead.services.subscribers import notes
from masthead.store.engine.database import connect

MOST, FEW = 10_000, 1_000  # ids that one request marks
MORE = Kind("more", issues=1, length=1, has_history=False)

Run = Callable[[str, Stopwatch], object]  # on the database of a URL, measured without its opening


def measure(options: Options, databases: Databases, backend: str) -> Figures:
    """A row for each write."""
    built = databases.get(backend, data.BULK, options.bulk)
    with TemporaryDirectory() as folder:
        jobs = jobs_of(options, built, Path(folder))
        rows = [_row(options, databases, backend, built, *job) for job in jobs]
    return {"subscriptions": options.bulk, "rows": rows}


def jobs_of(options: Options, built: Built, folder: Path) -> list[tuple[str, Run]]:
    """The writes by name."""
    rows = min(options.bulk, options.import_rows, 20_000)
    source, file = built.sources["Web shop"], folder / "more.csv"
    data.write_file(file, data.rows(MORE, rows))
    marked, few = min(MOST, options.bulk), min(FEW, options.bulk)
    issue = ("POST", "/v1/issues/", {"number": 2, "release_date_actual": "2026-02-01"})
    return [
        (f"mark {marked:,} copies sent", _marking(built, marked)),
        (
            f"create an issue with {options.bulk:,} copies",
            lambda url, watch: ask(url, built.key, [issue], watch),
        ),
        (f"import {rows:,} rows", lambda url, watch: _import(url, watch, source, file)),
        ("rename a source", lambda url, watch: asyncio.run(_rename(url, watch, built))),
        (f"mark {few:,} copies sent", _marking(built, few)),
        (
            f"prepare a mailing of {options.bulk:,} copies",
            lambda url, watch: asyncio.run(_mail(url, watch, built, is_marked=False)),
        ),
        (
            f"prepare a mailing of {options.bulk:,} copies and mark it sent",
            lambda url, watch: asyncio.run(_mail(url, watch, built, is_marked=True)),
        ),
        (
            f"add a note to {few:,} subscribers",
            lambda url, watch: asyncio.run(_add_notes(url, watch, built, few)),
        ),
    ]


def _marking(built: Built, count: int) -> Run:
    """Mark the first copies as sent, in one request."""
    ids = list(range(built.first_copy, built.first_copy + count))
    marking = ("POST", "/v1/copies/mark-sent/", {"ids": ids, "date": "2026-01-15"})
    return lambda url, watch: ask(url, built.key, [marking], watch)


def _import(url: str, watch: Stopwatch, source: str, file: Path) -> None:
    """Import a file as the command does, from the start of its work to its end."""
    with watch:
        command(url, *import_words(source, file))


async def _mail(url: str, watch: Stopwatch, built: Built, *, is_marked: bool) -> None:
    """Prepare a mailing of all copies of an issue, and mark it as sent."""
    db = await connect(url)
    try:
        account_id, issue = built.account_id, built.issues[1]
        with watch:
            run = await runs.freeze_dispatch(db, account_id, issue, DispatchSelection(), by=BY)
            if is_marked:
                await runs.mark_dispatch(db, account_id, run.id, date(2026, 1, 15), by=BY)
    finally:
        await db.close()


async def _add_notes(url: str, watch: Stopwatch, built: Built, count: int) -> None:
    """Add a note to the newest subscribers."""
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
        with watch:
            await notes.add_notes(db, built.account_id, choice, "A note", expected=shown, by=BY)
    finally:
        await db.close()


def import_words(source: str, file: Path) -> list[str]:
    """The importer's command line."""
    return ["import", str(file), "--account", "bench", "--source", source, "--json"]


def rename_words(built: Built, name: str) -> list[str]:
    """The command that renames the source of most subscriptions."""
    return ["source", "rename", built.sources["Old list"], "--name", name, "--account", "bench"]


async def _rename(url: str, watch: Stopwatch, built: Built) -> None:
    """Rename the source of most subscriptions; the API has no such request."""
    db = await connect(url)
    try:
        id = built.sources["Old list"]
        with watch:
            await sources.rename_source(db, built.account_id, id, name="Former list", by=BY)
    finally:
        await db.close()


def _row(
    options: Options, databases: Databases, backend: str, built: Built, name: str, run: Run
) -> Figures:
    contenders = {
        "masthead": lambda: cost_of(databases, backend, built, run),
        "bare_sql": _bare(databases, backend, built, run),
    }
    found = alternate(options.rounds, contenders)

    def times(figure: str) -> Spread:
        own, bare = ([each[figure] for each in found[name]] for name in contenders)
        return ratio(own, bare)

    row: Figures = {"name": name, **{who: spreads(rounds) for who, rounds in found.items()}}
    return row | {"times_bare_sql": times("seconds"), "times_bare_cpu": times("cpu")}


def cost_of(databases: Databases, backend: str, built: Built, run: Run) -> dict[str, float]:
    """What a write takes on a copy of a database: seconds by the clock, and of processors."""
    watch = Stopwatch(databases.cluster.pid if backend == "postgres" else None)
    with databases.copy(backend, built) as copy:
        run(copy.url, watch)
    return {"seconds": watch.seconds, "cpu": watch.cpu}


def _bare(
    databases: Databases, backend: str, built: Built, run: Run
) -> Callable[[], dict[str, float]]:
    """The same changes by bare SQL, each time on a new copy."""
    bare: Any = bare_postgres if backend == "postgres" else bare_sql
    with bare.overhearing() as transactions:
        cost_of(databases, backend, built, run)
    again = partial(bare.replay, transactions)
    return lambda: cost_of(databases, backend, built, again)
