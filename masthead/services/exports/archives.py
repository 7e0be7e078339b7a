"""Exports as ZIP files, which owners download and which are deleted after a week."""

import asyncio
import hashlib
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import nullcontext
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import Invalid
from masthead.model.ids import RowKey
from masthead.model.translations import gettext as _
from masthead.services.background.guard import Guard
from masthead.services.exports.write import ExportManifest, export_account, record_export
from masthead.services.transactions import in_transaction, with_locked_account
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.citus.present import read_present
from masthead.store.engine.interface import Database, Reader, Transaction
from masthead.store.exports import archives as store
from masthead.store.exports.archives import ArchiveStatus

KEPT = timedelta(days=7)
_TOGETHER = 8  # parts that are written together


@with_locked_account
async def request_archive(tx: Transaction, account: Account, *, by: Actor) -> str:
    """Add an export that waits to be written; returns its id. Raises: Invalid if one waits."""
    known = await store.list_archives(tx, account.id)
    if any(each.status is ArchiveStatus.WAITING for each in known):
        raise Invalid(_("An export is being written already. Wait until it is ready."))
    await record_export(tx, account.id, by)
    return await store.insert_archive(tx, account.id, by=by)


async def make_archive(db: Database, account_id: int, id: str) -> None:
    """Write the file of a waiting export and store it. Constant memory; needs space on the disk."""
    async with db.read() as reader:
        archive = await store.get_archive(reader, account_id, id)
        account = await accounts.get_account(reader, account_id)
    if archive.status is not ArchiveStatus.WAITING:
        return
    with tempfile.TemporaryDirectory(prefix="masthead-") as temporary:
        folder, file = Path(temporary) / "export", Path(temporary) / "export.zip"
        manifest = await export_account(db, account, folder)
        day = account.date_of(archive.created_at)
        name = f"{account.subdomain}-{day}"
        await asyncio.to_thread(_pack, folder, file, name)
        await _store(db, account_id, id, file, manifest)


def _pack(folder: Path, file: Path, name: str) -> None:
    """Write a ZIP file whose members are in a folder of that name."""
    with ZipFile(file, "w", ZIP_DEFLATED, compresslevel=1) as archive:
        for path in sorted(each for each in folder.rglob("*") if each.is_file()):
            archive.write(path, f"{name}/{path.relative_to(folder)}")
    shutil.rmtree(folder)


async def _store(
    db: Database, account_id: int, id: str, file: Path, manifest: ExportManifest
) -> None:
    async def begin(tx: Transaction) -> None:
        await accounts.lock_account(tx, account_id)
        await store.delete_parts(tx, account_id, id)  # of an attempt that was interrupted

    await db.write(begin, account_id=account_id)
    digest, size, first = hashlib.sha256(), 0, 0
    parts = _parts(file)
    while found := list(islice(parts, _TOGETHER)):
        for part in found:
            digest.update(part)
            size += len(part)

        async def add(tx: Transaction, found: list[bytes] = found, first: int = first) -> None:
            await accounts.lock_account(tx, account_id)
            await store.insert_parts(tx, account_id, id, found, first=first)

        await db.write(add, account_id=account_id)
        first += len(found)
    row_count = sum(each.rows for each in manifest.files if each.name.startswith("csv/"))

    async def complete(tx: Transaction) -> None:
        await accounts.lock_account(tx, account_id)
        await store.complete_archive(
            tx, account_id, id, row_count=row_count, bytes=size, sha256=digest.hexdigest()
        )

    await db.write(complete, account_id=account_id)


def _parts(file: Path) -> Iterator[bytes]:
    with file.open("rb") as stream:
        while part := stream.read(store.PART_BYTES):
            yield part


@with_locked_account
async def fail_archive(tx: Transaction, account: Account, id: str, error: str) -> None:
    """Record that an export cannot be written. error: shown on the page."""
    await store.delete_parts(tx, account.id, id)
    await store.fail_archive(tx, account.id, id, error)


async def delete_old_archives(
    db: Database, moment: datetime, *, guard: Guard = nullcontext
) -> None:
    """Delete the exports that are older than a week, of all accounts.

    guard: the context in which the export of an account is deleted.
    """
    found, _is_whole = await read_present(db, partial(store.list_old, before=moment - KEPT))
    for each in found:

        async def work(tx: Transaction, old: RowKey = each) -> None:
            await accounts.lock_account(tx, old.account_id)
            await store.delete_archive(tx, old.account_id, old.id)

        with guard(each.account_id):
            await db.write(work, account_id=each.account_id)


@with_locked_account
async def delete_archive(tx: Transaction, account: Account, id: str) -> None:
    """Delete an export. Raises: NotFound, Invalid if it is being written."""
    archive = await store.get_archive(tx, account.id, id)
    if archive.status is ArchiveStatus.WAITING:
        raise Invalid(_("An export is being written already. Wait until it is ready."))
    await store.delete_archive(tx, account.id, id)


@in_transaction
async def record_archive_download(
    tx: Transaction, account_id: int, *, file: str, by: Actor
) -> None:
    """Record that an export was downloaded. file: the file's name."""
    entry = NewEntry(EntryType.ACCOUNT_DOWNLOAD_EXPORT, account_id, None, {"file": file})
    await trail.record(tx, account_id, by, [entry])


async def read_archive(db: Reader, account_id: int, id: str) -> AsyncIterator[bytes]:
    """The content of a ready file, part by part. Queries: one a part."""
    for part in range(await store.count_parts(db, account_id, id)):
        async with db.read(aside=True) as connection:  # not during `yield`: clients may be slow
            content = await store.get_part(connection, account_id, id, part)
        yield content
