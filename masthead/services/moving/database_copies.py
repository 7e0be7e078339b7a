"""Copy all data from one database to another, and compare the two."""

from contextlib import AsyncExitStack

from msgspec import Struct

from masthead.services.moving.digests import (
    Digests,
    Progress,
    count_rows,
    counted,
    digest_tables,
    find_broken_rule,
    find_difference,
    ignore_progress,
)
from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.moving.lines import Digester, digest_of_all, digested
from masthead.store.engine.moving.snapshots import (
    Snapshot,
    has_table,
    open_snapshot,
    require_usable,
    sum_writes,
)
from masthead.store.engine.moving.targets import Migrate, Target, open_target


class Copied(Struct, frozen=True):
    """The contents of a copy. is_current: whether the source has not changed since its snapshot.

    has_fast_search: false if PostgreSQL lacks the extension `pg_trgm`.
    """

    tables: int
    rows: int
    digest: str
    is_current: bool
    has_fast_search: bool


async def copy_database(
    source: str, target: str, *, migrate: Migrate, on_progress: Progress = ignore_progress
) -> Copied:
    """Copy everything, with all ids, from a snapshot of the source, which may be in use.

    The copy is compared with what was read, and checked, before masthead may use it. migrate:
    creates the tables of the database of a URL. Raises: DatabaseError.
    """
    async with AsyncExitStack() as reading:
        snapshot = await reading.enter_async_context(open_snapshot(source))
        await require_usable(snapshot)
        writes = await sum_writes(snapshot)
        async with open_target(target, migrate) as into:
            digests = await _copy(snapshot, into, on_progress)
            await reading.aclose()  # the source need not keep its snapshot any longer
            on_progress("indexed", 0, 1)
            await into.complete()
            has_fast_search = await _compare(into.url, digests, on_progress)
            await _require_sound(into.url, on_progress)
            await into.publish()
    async with open_snapshot(source) as later:
        is_current = await sum_writes(later) == writes
    rows = sum(each.rows for each in digests.values())
    return Copied(len(digests), rows, digest_of_all(digests), is_current, has_fast_search)


async def _copy(snapshot: Snapshot, into: Target, on_progress: Progress) -> Digests:
    """Copy all tables; returns their digests."""
    found, wanted = await snapshot.list_tables(), await into.list_tables()
    if different := [name for name in wanted if found.get(name) != wanted[name]]:
        raise DatabaseError(
            f"The tables {', '.join(sorted(different))} of the two databases differ, although "
            "both have the same version. Please report this."
        )
    total = await count_rows(snapshot, list(wanted))
    digests, done = Digests(), 0
    for name, table in wanted.items():
        digester = Digester()
        lines = digested(snapshot.read(table), digester)
        await into.write(table, counted(lines, "copied", done, total, on_progress))
        digests[name] = digester.outcome
        done += digester.outcome.rows
    return digests


async def _compare(url: str, digests: Digests, on_progress: Progress) -> bool:
    """Compare all rows of a copy with what was read; returns whether its search is fast.

    Raises: DatabaseError that names a table that differs.
    """
    async with open_snapshot(url) as copy:
        found = await digest_tables(copy, "compared", on_progress)
        if difference := find_difference(found, digests):
            raise DatabaseError(f"The copy differs: {difference}. It is not used.")
        return copy.dialect == "sqlite" or await has_table(copy, "searchable_by_text")


async def _require_sound(url: str, on_progress: Progress) -> None:
    """Raises: DatabaseError with the first rule that is broken."""
    on_progress("checked", 0, 1)
    if rule := await find_broken_rule(url):
        raise DatabaseError(
            f"The copy equals its source, but breaks a rule: {rule}. Run `masthead check` on the "
            "source. The copy is not used."
        )
