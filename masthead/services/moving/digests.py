"""Digests of all tables of a database, and their comparison."""

from collections.abc import Callable

from masthead.services.check.accounts import check
from masthead.store.engine.database import open_database
from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.moving.lines import Lines, TableDigest, digest
from masthead.store.engine.moving.snapshots import Snapshot

Progress = Callable[[str, int, int], None]  # a stage, and how much of how much is done
Digests = dict[str, TableDigest]  # by the name of the table


def ignore_progress(stage: str, done: int, total: int) -> None:
    """Show no progress."""


async def counted(lines: Lines, stage: str, done: int, total: int, on_progress: Progress) -> Lines:
    """The same lines; shows how many of all rows have passed."""
    async for batch in lines:
        done += len(batch)
        on_progress(stage, done, max(done, total))
        yield batch


async def count_rows(snapshot: Snapshot, tables: list[str]) -> int:
    """The number of rows of some tables together."""
    rows = " + ".join(f"(SELECT count(*) FROM {name})" for name in tables)  # noqa: S608 - names of the schema
    return int((await snapshot.select(f"SELECT {rows}"))[0][0])


async def digest_tables(snapshot: Snapshot, stage: str, on_progress: Progress) -> Digests:
    """The digests of all tables. Reads every row once."""
    tables = await snapshot.list_tables()
    total = await count_rows(snapshot, list(tables))
    digests, done = Digests(), 0
    on_progress(stage, done, total)
    for name, table in tables.items():
        lines = counted(snapshot.read(table), stage, done, total, on_progress)
        digests[name] = await digest(lines)
        done += digests[name].rows
    return digests


def find_difference(found: Digests, expected: Digests) -> str:
    """The first difference between tables, as the end of a sentence; empty if there is none."""
    for name in sorted(expected.keys() | found.keys()):
        here, there = found.get(name), expected.get(name)
        if here != there:
            rows = f"{here.rows if here else 'no'} rows instead of {there.rows if there else 'no'}"
            if here and there and here.rows == there.rows:
                rows = "as many rows, but another digest"
            return f"`{name}` has {rows}"
    return ""


async def find_broken_rule(url: str) -> str:
    """The first broken rule of `masthead check` in a database; empty if none is."""
    async with open_database(url) as db:
        try:
            async for fault in check(db):
                return f"{fault.account}: {fault.invariant}: {fault.id}"
        except DatabaseError as reason:
            return str(reason)
    return ""
