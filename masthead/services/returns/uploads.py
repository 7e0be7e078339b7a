"""Import the files of carriers that users upload on a page."""

import asyncio
import csv
import io
from datetime import date

import msgspec
from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.clock import now
from masthead.model.errors import Invalid, excerpt
from masthead.model.ids import new_id
from masthead.model.returns.carrier_files import report_header, report_row
from masthead.model.returns.uploads import KEPT, CarrierUpload, UploadKind
from masthead.model.translations import gettext as _
from masthead.model.types.clean_text import one_line
from masthead.services.child_process import run_in_child
from masthead.services.returns.carrier_files import CarrierFile, UnmatchedRow
from masthead.services.returns.returned import import_returned
from masthead.services.returns.shipped import import_shipped
from masthead.services.transactions import with_locked_account
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.engine.database import open_database
from masthead.store.engine.interface import Database, Transaction
from masthead.store.returns import uploads as store

SMALL = 16 * 1024  # bytes of a file; its rows take 10 ms of this process
SECONDS = 3_600.0  # for a large file; a busy machine needs minutes for 100,000 rows


@with_locked_account
async def save_upload(
    tx: Transaction, account: Account, kind: UploadKind, name: str, content: bytes, *, by: Actor
) -> str:
    """Keep a file until it is imported; returns its id. Deletes files that are too old."""
    if not content:
        raise Invalid(_("Choose a file that is not empty."), field="file")
    await store.delete_old(tx, account.id, now() - KEPT)
    id = new_id(account.id)
    row = {
        "id": id,
        "kind": kind.value,
        "name": excerpt(one_line(name) or "file.csv"),
        "bytes": len(content),
        "created_at": now(),
        "actor_kind": by.kind,
        "actor_id": by.id,
    }
    await store.insert_upload(tx, account.id, row, content)
    return id


async def import_upload(
    db: Database,
    account_id: int,
    upload: CarrierUpload,
    file: CarrierFile,
    *,
    day: date | None,
    by: Actor,
    database_url: str,
    size: int,
) -> None:
    """Import an uploaded file, and keep the numbers of its rows and those that are unmatched.

    database_url: for the process that imports a large file. size: bytes of its text.
    Raises: Invalid if it needs too much memory or time; Busy.
    """
    task = UploadImport(account_id, upload, file, day, by)
    if size > SMALL:
        work = import_alone, database_url, task
        await run_in_child(*work, account_id=account_id, seconds=SECONDS)
    else:
        await _import(db, task)


class UploadImport(Struct, frozen=True):
    """The import of an uploaded file. day: of rows without one."""

    account_id: int
    upload: CarrierUpload
    file: CarrierFile
    day: date | None
    by: Actor


def import_alone(database_url: str, task: UploadImport) -> None:
    """Import an uploaded file in a process that does nothing else. Raises: Unavailable."""

    async def work() -> None:
        async with open_database(database_url) as db:
            await _import(db, task)

    asyncio.run(work())


async def _import(db: Database, task: UploadImport) -> None:
    account_id, upload, file = task.account_id, task.upload, task.file
    text = io.StringIO()
    writer = csv.writer(text)

    def add(unmatched: UnmatchedRow) -> None:
        if not text.tell():
            writer.writerow(report_header(file.layout.names))
        row = unmatched.row
        writer.writerow(report_row([str(row.number), unmatched.reason, *row.cells]))

    if upload.kind is UploadKind.SHIPPED:
        summary: Struct = await import_shipped(
            db, account_id, file, day=task.day, by=task.by, on_unmatched=add
        )
    else:
        summary = await import_returned(db, account_id, file, by=task.by, on_unmatched=add)
    report = text.getvalue().encode("utf-8-sig") if text.tell() else b""
    encoded = msgspec.json.encode(summary).decode()

    async def work(tx: Transaction) -> None:
        await accounts.lock_account(tx, account_id)
        await store.finish_upload(tx, account_id, upload.id, encoded, report)

    await db.write(work, account_id=account_id)
