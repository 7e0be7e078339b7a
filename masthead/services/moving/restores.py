"""Restore a backup: people erased since then are erased again, and no email is sent twice."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.errors import Unavailable
from masthead.services.moving.backups import (
    ERASURES,
    Backup,
    find_backups,
    find_damage,
    name_sound_backup,
    require_known_version,
)
from masthead.services.moving.digests import (
    Progress,
    digest_tables,
    find_broken_rule,
    find_difference,
    ignore_progress,
)
from masthead.services.privacy.finish import finish_erasures
from masthead.services.privacy.moved_erasures import export_erasures, reapply_erasures
from masthead.store import accounts
from masthead.store.background.held_emails import hold_waiting
from masthead.store.engine.database import SCHEMA_VERSION, open_database, require_version
from masthead.store.engine.interface import (
    Database,
    DatabaseError,
    Dialect,
    Transaction,
    is_postgres,
    sqlite_path,
)
from masthead.store.engine.moving.errors import name_database
from masthead.store.engine.moving.places import (
    find_kept_erasures,
    looks_like_database,
    open_file_place,
    open_server_place,
)
from masthead.store.engine.moving.snapshots import open_snapshot, version_of
from masthead.store.engine.moving.targets import Migrate

HELD = "Waited in a backup from {moment:%Y-%m-%d %H:%M} UTC, and may have been sent since then."


class Restored(Struct, frozen=True):
    """The result of a restore. erased_again: subscribers; held_emails: those that wait for staff.

    moment: whose data it is, in UTC. unread_erasures: the databases whose erasures could not be
    read and were not repeated, and why; empty if all were. kept: the old file, if there was one.
    broken_rule: the first one; empty if none is.
    """

    backup: str
    moment: datetime
    rows: int
    upgraded_from: str
    erased_again: int
    unread_erasures: str
    held_emails: int
    kept: str
    broken_rule: str


class Place(Protocol):
    """The target of a restore. url: where it can be opened after `fill`."""

    url: str

    async def fill(self, erasures: Sequence[bytes]) -> None:
        """Restore the data. erasures: those that must be repeated afterwards."""
        ...

    async def publish(self) -> str:
        """Let masthead use it; returns where the old one is kept."""
        ...


async def restore_backup(
    backup: Backup,
    url: str,
    *,
    may_replace: bool,
    migrate: Migrate,
    placeholder_domain: str,
    by: Actor,
    live_url: str = "",
    on_progress: Progress = ignore_progress,
) -> Restored:
    """Restore a backup into the database of a URL, which must not be in use.

    may_replace: whether a database with data may be replaced. live_url: of another database that
    knows who was erased, if it can be read. Raises: DatabaseError; before the end, masthead refuses
    the database, or has the old one.
    """
    require_known_version(backup)
    require_engine(backup.manifest.engine, url, f"`{backup.path}` is a backup")
    if damage := find_damage(backup):
        raise DatabaseError(f"{damage} {name_sound_backup(backup.path)}")
    known, unread = await _known_erasures(url, live_url)
    erasures = list(dict.fromkeys([*_stored_erasures(backup), *known]))
    async with _open_place(backup.data, url, may_replace=may_replace) as place:
        on_progress("restored", 0, 1)
        await place.fill(erasures)
        async with open_snapshot(place.url) as copy:
            found = await digest_tables(copy, "compared", on_progress)
        if difference := find_difference(found, backup.manifest.tables):
            raise DatabaseError(
                f"The restored database differs from the backup: {difference}. "
                f"{name_sound_backup(backup.path)}"
            )
        if backup.manifest.schema != SCHEMA_VERSION:
            await asyncio.to_thread(migrate, place.url)
        async with open_database(place.url) as db:
            held = await _hold_emails(db, HELD.format(moment=backup.manifest.made_at))
            on_progress("erased", 0, 1)
            erased = await _erase_again(db, erasures, placeholder_domain, by)
        on_progress("checked", 0, 1)
        rule = await find_broken_rule(place.url)
        kept = await place.publish()
    return Restored(
        backup=str(backup.path),
        moment=backup.manifest.made_at,
        rows=backup.manifest.rows,
        upgraded_from="" if backup.manifest.schema == SCHEMA_VERSION else backup.manifest.schema,
        erased_again=erased,
        unread_erasures=unread,
        held_emails=held,
        kept=kept,
        broken_rule=rule,
    )


def require_engine(engine: Dialect, url: str, what: str) -> None:
    """Raises: DatabaseError if a URL is one of the other engine. what: begins the message."""
    if is_postgres(url) != (engine == "postgres"):
        name = "PostgreSQL" if engine == "postgres" else "SQLite"
        raise DatabaseError(
            f"{what} of {name}. Restore it with `--to` into a database of that kind; then "
            "`masthead copy-database` copies it to the other one."
        )


async def require_place(url: str, *, may_replace: bool) -> None:
    """Raises: DatabaseError if nothing can be restored there: it is in use, or has data."""
    async with _open_place(Path(), url, may_replace=may_replace):
        pass


@asynccontextmanager
async def _open_place(data: Path, url: str, *, may_replace: bool) -> AsyncIterator[Place]:
    """The place to restore into. Raises: DatabaseError if it has data or users."""
    if is_postgres(url):
        async with open_server_place(url, data, may_replace=may_replace) as server:
            yield server
    else:
        with open_file_place(sqlite_path(url), data, may_replace=may_replace) as file:
            yield file


def _stored_erasures(backup: Backup) -> Iterator[bytes]:
    """What the backup, the newest one beside it and their folder say about erasures."""
    folder = backup.path.parent
    paths = {folder / ERASURES, backup.path / ERASURES}
    paths |= {each.path / ERASURES for each in find_backups(folder)[-1:]}
    for path in sorted(paths):
        with suppress(FileNotFoundError):
            yield path.read_bytes()


class _NoDatabaseError(DatabaseError):
    """There is no database, or it has no tables of masthead."""


async def _known_erasures(url: str, live_url: str) -> tuple[list[bytes], str]:
    """The erasures in the databases of both URLs, and which of them could not be read, and why.

    live_url: empty if there is none. The database of the other one may be empty.
    """
    known, unread = list[bytes](), list[str]()
    for each in dict.fromkeys(filter(None, (url, live_url))):
        try:
            known += await _own_erasures(each)
        except (DatabaseError, Unavailable, OSError) as reason:
            if each == live_url or not isinstance(reason, _NoDatabaseError):
                name, text = name_database(each), str(reason).rstrip(".")
                unread.append(text if name in text else f"{name}: {text}")
    return known, "; ".join(unread)


async def _own_erasures(url: str) -> Sequence[bytes]:
    """The erasures in a database, such as the replaced one.

    Raises: DatabaseError, Unavailable, OSError if they cannot be read.
    """
    if is_postgres(url):
        if kept := await find_kept_erasures(url):
            return kept
    elif not looks_like_database(path := sqlite_path(url)):
        if path.exists() and path.stat().st_size:
            raise DatabaseError("The file is damaged.")
        raise _NoDatabaseError("There is no database.")
    async with open_snapshot(url) as snapshot:
        if not await version_of(snapshot):
            raise _NoDatabaseError("The database is empty.")
    async with open_database(url, is_command=False) as db:
        await require_version(db)
        return [await export_erasures(db)]


async def _erase_again(
    db: Database, erasures: Sequence[bytes], placeholder_domain: str, by: Actor
) -> int:
    """Erase the subscribers again; returns how many. Also cleans the files of the database."""
    erased = 0
    for content in erasures:
        erased += await reapply_erasures(db, content, placeholder_domain=placeholder_domain, by=by)
    await finish_erasures(db)
    return erased


async def _hold_emails(db: Database, reason: str) -> int:
    """Keep the emails of all accounts that wait from being sent; returns how many."""
    held = 0
    async with db.read() as connection:
        known = await accounts.list_accounts(connection)
    for account in known:

        async def work(tx: Transaction, account_id: int = account.id) -> int:
            return await hold_waiting(tx, account_id, reason=reason)

        held += await db.write(work, account_id=account.id)
    return held
