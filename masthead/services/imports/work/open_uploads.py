"""The uploaded files that people are choosing columns for, ready to be read again and again.

Each process copies a file out of the database once, and not for each page. If the file is deleted,
such as by an erasure, the copies go within seconds.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar

import msgspec
import structlog
from msgspec import Struct, structs

from masthead.model.errors import Unavailable
from masthead.model.imports.batches import MAX_UPLOAD, ImportBatch
from masthead.model.imports.mapping import ImportMapping
from masthead.model.imports.plan import Survey
from masthead.model.imports.tabular_data import Table, correct_table
from masthead.model.translations import current_language
from masthead.services.child_process import run_on_file
from masthead.services.imports.reading import survey
from masthead.services.imports.table import is_workbook, open_table
from masthead.services.imports.work.stored_files import copy_stored, deleted_error
from masthead.store.engine.interface import Database
from masthead.store.imports import files
from masthead.temporary_files import TemporaryFile

MOST_FILES = 4
MOST_BYTES = 2 * MAX_UPLOAD
KEPT_SECONDS = 600.0  # after a file was copied
CHECK_SECONDS = 3.0  # until the copy of a deleted file goes
SURVEYED = 50_000  # rows; the rehearsal reads all
_MOST_SURVEYS = 4  # of a file: with the columns before and after a change, and with answers

log = structlog.get_logger()

T = TypeVar("T")
_Key = tuple[int, str, str | None, str | None, str, bytes]


class OpenUpload:
    """The table in an uploaded file, and what its rows say."""

    def __init__(self, account_id: int, table: Table, files: tuple[TemporaryFile, ...]) -> None:
        self.table = table
        self._account_id = account_id
        self._files = files  # deleted with this object, or before
        self._size = sum(each.path.stat().st_size for each in files)
        self._surveys, self._lock = dict[bytes, Survey](), asyncio.Lock()

    async def survey(self, mapping: ImportMapping) -> Survey:
        """What the first rows say. Raises: Invalid, Busy.

        Pages that ask at once wait for one survey.
        """
        key = msgspec.json.encode(mapping)
        async with self._lock:
            if (found := self._surveys.get(key)) is None:
                found = await self.run(survey_first, mapping)
                while len(self._surveys) >= _MOST_SURVEYS:
                    del self._surveys[next(iter(self._surveys))]
                self._surveys[key] = found
            return found

    async def run(self, work: Callable[..., T], *args: object) -> T:
        """What a function says about the table.

        Raises: Invalid if it does, or if the files are deleted meanwhile; Busy.
        """
        account_id, size = self._account_id, self._size
        try:
            return await run_on_file(work, self.table, *args, account_id=account_id, size=size)
        except (FileNotFoundError, RuntimeError):  # the latter from another process
            if all(each.path.exists() for each in self._files):
                raise
            raise deleted_error() from None

    def delete(self) -> None:
        """Delete the files, also while a page reads them."""
        for each in self._files:
            each.delete()


def survey_first(table: Table, mapping: ImportMapping) -> Survey:
    """What the first rows of a table say. Raises: Invalid."""
    lines = table.lines()
    return survey(structs.replace(table, read=lambda: islice(lines, SURVEYED)), mapping)


async def open_file(
    account_id: int, path: Path, *, name: str, sheet: str | None = None, encoding: str | None = None
) -> tuple[Table, TemporaryFile]:
    """The table in a file, and a file that must be kept while the table is read.

    Raises: Invalid, Busy.
    """
    rows = TemporaryFile(".csv")
    work = partial(open_table, path, name=name, sheet=sheet, encoding=encoding, rows=rows)
    return await run_on_file(work, account_id=account_id, size=cost_of(path)), rows


def cost_of(path: Path) -> int:
    """The bytes that opening a file costs; a small workbook may cost as much as a large one."""
    return MAX_UPLOAD if is_workbook(path) else path.stat().st_size


class _Kept(Struct):
    task: asyncio.Task[OpenUpload]
    bytes: int
    timer: asyncio.TimerHandle
    waiting: int = 0  # pages, while the file is opened


def _delete_copy(task: asyncio.Task[OpenUpload]) -> None:
    if not task.cancelled() and not task.exception():
        task.result().delete()


class OpenUploads:
    """The files that this process has open: a few, and each for a few minutes."""

    def __init__(self) -> None:
        self._kept = dict[_Key, _Kept]()

    async def open(
        self,
        db: Database,
        account_id: int,
        batch: ImportBatch,
        *,
        sheet: str | None,
        encoding: str | None = None,
    ) -> OpenUpload:
        """The table in the file of a batch, with the cells that were corrected on its page.

        Several pages that ask at once wait for one copy.

        It is not opened any more when none of them waits.
        Raises: Invalid if it cannot be read, or was deleted; Busy.
        """
        if not await files.is_stored(db, account_id, batch.id):
            self._delete_file(account_id, batch.id)
            raise deleted_error()
        corrected = msgspec.json.encode(batch.decisions.corrections)
        key = (account_id, batch.id, sheet, encoding, current_language(), corrected)
        kept = self._kept.pop(key, None)
        if kept is None:
            task = asyncio.create_task(_copy_and_open(db, account_id, batch, sheet, encoding))
            task.add_done_callback(partial(self._forget_failed, key))
            timer = asyncio.get_running_loop().call_later(KEPT_SECONDS, self._forget, key)
            kept = _Kept(task, batch.bytes, timer)
        self._kept[key] = kept
        while len(self._kept) > 1 and self._is_too_much():
            self._forget(next(iter(self._kept)))
        kept.waiting += 1
        try:
            return await asyncio.shield(kept.task)
        finally:
            kept.waiting -= 1
            if not kept.waiting:
                kept.task.cancel()  # if it is not done

    async def watch(self, db: Database) -> None:
        """Forget files that are deleted from the database, every few seconds until cancelled.

        An error is logged, and the next look comes as usual.
        """
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            try:
                await self.forget_deleted(db)
            except Exception:
                log.exception("deleted uploads were not looked up")

    async def forget_deleted(self, db: Database) -> None:
        """Delete the copies of files that were deleted. Queries: one each.

        One that cannot be looked up now, such as while an erasure cleans the log of the database,
        is looked up the next time: if it was forgotten, a page could keep its copy.
        """
        for account_id, batch_id in {key[:2] for key in self._kept}:
            with suppress(Unavailable):
                if not await files.is_stored(db, account_id, batch_id):
                    self._delete_file(account_id, batch_id)

    def _is_too_much(self) -> bool:
        kept = self._kept.values()
        return len(kept) > MOST_FILES or sum(each.bytes for each in kept) > MOST_BYTES

    def _forget_failed(self, key: _Key, task: asyncio.Task[OpenUpload]) -> None:
        if task.cancelled() or task.exception():
            self._forget(key)

    def _forget_file(self, account_id: int, batch_id: str) -> list[asyncio.Task[OpenUpload]]:
        keys = [key for key in self._kept if key[:2] == (account_id, batch_id)]
        tasks = [self._kept[key].task for key in keys]
        for key in keys:
            self._forget(key)
        return tasks

    def _delete_file(self, account_id: int, batch_id: str) -> None:
        """Delete the copies at once, or as soon as they are open, so that no page reads them."""
        for task in self._forget_file(account_id, batch_id):
            if task.done():
                _delete_copy(task)
            else:
                task.add_done_callback(_delete_copy)

    def _forget(self, key: _Key) -> None:
        """Let the file be deleted as soon as no page reads it."""
        if kept := self._kept.pop(key, None):
            kept.timer.cancel()


async def _copy_and_open(
    db: Database, account_id: int, batch: ImportBatch, sheet: str | None, encoding: str | None
) -> OpenUpload:
    file = await copy_stored(db, account_id, batch)
    table, rows = await open_file(
        account_id, file.path, name=batch.name, sheet=sheet, encoding=encoding
    )
    if sheet == batch.layout.sheet:
        table = correct_table(table, batch.decisions.corrections)
    return OpenUpload(account_id, table, (file, rows))
