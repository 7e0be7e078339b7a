"""Export everything of an account into a folder, from one snapshot and in constant memory.

The folder gets its name when all files are complete: an export that was interrupted leaves a
folder whose name ends with `.unfinished`, which the next export into the same folder deletes.
"""

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from masthead import __version__
from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.clock import now
from masthead.model.errors import Invalid
from masthead.model.exports.contents import EXPORT_FILES
from masthead.model.exports.readme import README
from masthead.model.privacy.erasures import ErasuresFile
from masthead.services.exports.api_shapes import CopyLines, write_lists
from masthead.services.exports.csv_files import Folder, TableFiles, WrittenFile, cells_of
from masthead.services.exports.erased import ERASURES
from masthead.services.exports.import_file import write_orders
from masthead.services.privacy.moved_erasures import get_account_erasures
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.database import SCHEMA_VERSION
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.engine.moving.folders import sync
from masthead.store.engine.private_files import create_private_folder
from masthead.store.exports import file_rows as store

MANIFEST, FORMAT = "manifest.json", "masthead-export"
UNFINISHED = ".unfinished"
_LARGE_ROWS = 10  # with bytes, which are read together


class ExportManifest(Struct, frozen=True, kw_only=True):
    """The contents of `manifest.json`. number: the account in the ids of the export."""

    format: str
    version: str
    schema: str
    account: str
    number: int
    moment: datetime
    files: list[WrittenFile]


Progress = Callable[[int], None]


async def export_account(
    db: Database,
    account: Account,
    folder: Path,
    *,
    by: Actor | None = None,
    on_progress: Progress = lambda rows: None,
) -> ExportManifest:
    """Write all files of an account. Raises: Invalid if the folder is not empty.

    by: is recorded in the audit trail first, so that the export shows itself; None if that is
    done. on_progress: gets the rows written so far.
    """
    with unfinished_folder(folder) as target:
        if by is not None:
            await _record(db, account.id, by)
        async with db.replica.read(is_long=True) as snapshot:
            with Folder(target) as files:
                written = await _write_files(snapshot, account, files, on_progress)
        manifest = ExportManifest(
            format=FORMAT,
            version=__version__,
            schema=SCHEMA_VERSION,
            account=account.subdomain,
            number=account.id,
            moment=now(),
            files=sorted(written, key=lambda file: file.name),
        )
        text = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
        with Folder(target) as files:
            files.write(MANIFEST, text + b"\n")
        _flush(target)
        os.rename(target, folder)  # also onto an empty folder
        sync(folder.parent)
    return manifest


async def record_export(tx: Transaction, account_id: int, by: Actor) -> None:
    """Record in the audit trail that everything is exported."""
    entry = NewEntry(EntryType.ACCOUNT_EXPORT, account_id, None, {})
    await trail.record(tx, account_id, by, [entry])


@with_locked_account
async def _record(tx: Transaction, account: Account, by: Actor) -> None:
    await record_export(tx, account.id, by)


async def _write_files(
    db: Connection, account: Account, folder: Folder, on_progress: Progress
) -> list[WrittenFile]:
    files, done = list[WrittenFile](), 0
    issues: dict[str, tuple[int, str]] = {}
    for exported in EXPORT_FILES:
        table = TableFiles(folder, exported.name, exported.columns, exported.texts)
        copies = CopyLines(folder, issues) if exported.name == "copies" else None
        after: list[object] = []
        limit = _LARGE_ROWS if "content" in exported.columns else store.PAGE
        while page := await store.list_rows(db, account.id, exported, after=after, limit=limit):
            values = [tuple(row.values()) for row in page]
            after = store.key_of(exported, values[-1])
            table.write(cells_of(exported, values))
            if exported.name == "issues":
                issues |= {str(row[0]): (int(row[1]), str(row[2])) for row in values}
            if copies is not None:
                copies.write(values)
            done += len(values)
            on_progress(done)
        files += table.close()
        if copies is not None:
            files.append(copies.close())
    async for count, written in write_orders(db, account.id, folder):
        done += count
        on_progress(done)
        files += written
    async for count, file in write_lists(db, account.id, folder):
        done += count
        on_progress(done)
        if file is not None:
            files.append(file)
    if (erasures := await get_account_erasures(db, account)) is not None:
        content = msgspec.json.encode(ErasuresFile(accounts=[erasures]))
        files.append(folder.write(ERASURES, content))
    files.append(folder.write("README.txt", README.encode()))
    return files


@contextmanager
def unfinished_folder(folder: Path) -> Iterator[Path]:
    """A new folder beside the wanted one, which is deleted unless it was renamed.

    Raises: Invalid if the wanted folder exists and is not empty, or if another export writes it.
    """
    folder = folder.absolute()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Invalid(f"`{folder}` is not an empty folder. Name a folder that does not exist yet.")
    create_private_folder(folder.parent)
    target = folder.with_name(f"{folder.name}{UNFINISHED}")
    target.mkdir(mode=0o700, exist_ok=True)
    with _lock(target, folder):
        for left in target.iterdir():  # of an export that was interrupted
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        try:
            yield target
        finally:
            shutil.rmtree(target, ignore_errors=True)  # it has been renamed if all went well


@contextmanager
def _lock(target: Path, folder: Path) -> Iterator[None]:
    """A lock that ends with the process. Raises: Invalid if another process has it."""
    descriptor = os.open(target, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Invalid(
                f"Another export is writing `{folder}`. Wait for it, or name another folder."
            ) from None
        yield
    finally:
        os.close(descriptor)


def _flush(folder: Path) -> None:
    """Wait until all files of a folder are on the disk."""
    for path in [*folder.rglob("*"), folder]:
        sync(path)
