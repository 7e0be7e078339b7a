"""Build the files of dispatch runs.

One process at a time builds a file: it holds a lease, and loses the file if it stops renewing it.
What it has stored is invisible until the last step, which makes the file ready.
"""

import asyncio
import hashlib
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import count

from masthead.model.clock import now
from masthead.model.dispatch.files import (
    MAX_ATTEMPTS,
    PART_BYTES,
    DispatchFile,
    FileStatus,
    FileTotals,
    no_failures,
)
from masthead.model.dispatch.joined_lines import LineJoiner, join_group
from masthead.model.dispatch.runs import DispatchLine
from masthead.model.errors import Invalid, Unavailable
from masthead.services.dispatch.writers.contents import FileContents, FileWriter, count_lines
from masthead.services.dispatch.writers.formats import open_writer
from masthead.services.transactions import in_long_transaction
from masthead.store import accounts
from masthead.store.background import leases
from masthead.store.dispatch import files as store, groups, lines as line_store, runs
from masthead.store.engine.interface import Database, Transaction
from masthead.store.self_service.settings import find_code_url

BATCH = 1_000  # lines that are read and written together
BEAT_SECONDS = 0.5  # between two updates of the progress, which renew the lease too
LEASE = timedelta(seconds=20)
GIVEN_UP = (
    f"masthead could not build this file in {MAX_ATTEMPTS} attempts. Its log says why. Request the "
    "file again, or choose another format or export profile."
)

OnProgress = Callable[[int, int], None]  # the number of lines that are done, and of all


class FileTaken(Exception):
    """Another process builds the file, or has finished it."""


async def prepare_file(
    db: Database,
    account_id: int,
    file_id: str,
    on_progress: OnProgress = lambda done, lines: None,
    *,
    holder: str | None = None,
) -> DispatchFile:
    """Build a file and store it; returns it when it is ready. The process should do little else.

    holder: of the lease on the file, if it is already taken. Raises: FileTaken if another process
    builds the file; Invalid if it cannot be written by its profile: then it is failed.
    """
    build = _Build(db, account_id, file_id, holder or uuid.uuid4().hex, on_progress)
    contents = await build.begin()
    beat = asyncio.create_task(build.keep_alive())
    failure: Invalid | None = None
    try:
        await build.run(contents)
    except Invalid as reason:
        failure = reason
    finally:
        beat.cancel()
        with suppress(asyncio.CancelledError):
            await beat
    if failure is not None:
        await end_failed(db, account_id, file_id, holder=build.holder, reason=str(failure))
        raise failure
    return await store.get_file(db, account_id, file_id)


class _Build:
    """The building of one file, by the holder of its lease."""

    def __init__(
        self, db: Database, account_id: int, file_id: str, holder: str, on_progress: OnProgress
    ) -> None:
        self._db, self._account_id, self._id = db, account_id, file_id
        self.holder, self._on_progress = holder, on_progress
        self._attempt, self._done = 0, 0
        self._is_lost = False
        self._digest, self._bytes = hashlib.sha256(), 0
        self._buffer, self._parts = bytearray(), count()

    async def begin(self) -> FileContents:
        """Take the file; what an earlier attempt has stored of it is deleted."""

        async def work(tx: Transaction) -> tuple[FileContents, int]:
            if not await _take(tx, self._id, self.holder):
                raise FileTaken
            file = await store.get_file(tx, self._account_id, self._id)
            if file.status not in (FileStatus.WAITING, FileStatus.BUILDING):
                raise FileTaken
            await store.delete_parts(tx, self._account_id, self._id)
            changes = {
                "status": FileStatus.BUILDING.value,
                "attempts": file.attempts + 1,
                "progress": 0,
            }
            await store.update_file(tx, self._account_id, self._id, changes)
            dispatch = await runs.get_dispatch(tx, self._account_id, file.dispatch_id)
            members = await groups.list_members(tx, self._account_id, dispatch)
            account = await accounts.get_account(tx, self._account_id)
            contents = FileContents(
                account_id=self._account_id,
                dispatch=dispatch,
                issues=tuple(run.issue_number for run in members) if dispatch.group_id else (),
                format=file.format,
                profile_name=file.profile_name,
                settings=file.settings,
                locale=account.locale,
                zone=account.zone,
                code_url=await find_code_url(tx, self._account_id),
            )
            return contents, file.attempts + 1

        contents, self._attempt = await self._db.write(
            work, account_id=self._account_id, is_long=True
        )
        return contents

    async def run(self, contents: FileContents) -> None:
        """Write all lines and store the bytes; the last step makes the file ready."""
        totals = FileTotals()
        writer = open_writer(contents, totals)
        try:
            await self._write_lines(contents, writer, totals)
            pieces = writer.finish()
            while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
                await self._add(piece)
        finally:
            writer.close()
        self._on_progress(self._done, contents.dispatch.lines)
        await self._complete(totals)

    async def _write_lines(
        self, contents: FileContents, writer: FileWriter, totals: FileTotals
    ) -> None:
        dispatch = contents.dispatch
        if dispatch.group_id:
            await self._write_group(dispatch.group_id, contents, writer, totals)
            return
        joiner = LineJoiner() if contents.settings.joins_copies else None
        after, last = dispatch.first_line - 1, dispatch.first_line + dispatch.lines - 1
        while after < last:
            batch = await line_store.list_lines(
                self._db, self._account_id, dispatch.id, after=after, limit=BATCH
            )
            assert batch  # the lines of a run are consecutive
            after = batch[-1].id
            lines: Sequence[DispatchLine] = joiner.join(batch) if joiner else batch
            await self._add(writer.write(count_lines(totals, contents, lines)))
            self._done += len(batch)
            self._on_progress(self._done, dispatch.lines)
            await asyncio.sleep(0)
        if joiner:
            rest = count_lines(totals, contents, joiner.finish())
            await self._add(writer.write(rest))

    async def _write_group(
        self, group_id: str, contents: FileContents, writer: FileWriter, totals: FileTotals
    ) -> None:
        """Write the lines of several issues by address. They are few enough to be in memory."""
        lines = await groups.list_group_lines(self._db, self._account_id, group_id)
        joined = join_group(lines, joins=contents.settings.joins_copies)
        for start in range(0, len(joined), BATCH):
            batch = joined[start : start + BATCH]
            await self._add(writer.write(count_lines(totals, contents, batch)))
            self._done += sum(line.quantity for line in batch)
            await asyncio.sleep(0)

    async def _add(self, content: bytes) -> None:
        """Add bytes to the file; whole parts are stored."""
        if self._is_lost:
            raise FileTaken
        self._digest.update(content)
        self._bytes += len(content)
        self._buffer += content
        while len(self._buffer) >= PART_BYTES:
            part = bytes(self._buffer[:PART_BYTES])
            del self._buffer[:PART_BYTES]
            await self._store(part)

    async def _store(self, content: bytes) -> None:
        part = next(self._parts)

        async def work(tx: Transaction) -> None:
            await self._renew(tx)
            await store.insert_part(tx, self._account_id, self._id, part=part, content=content)

        await self._db.write(work, account_id=self._account_id, is_long=True)

    async def _complete(self, totals: FileTotals) -> None:
        """Store the last part and make the file ready, in one transaction."""
        rest, part = bytes(self._buffer), next(self._parts)

        async def work(tx: Transaction) -> None:
            await self._renew(tx)
            if rest:
                await store.insert_part(tx, self._account_id, self._id, part=part, content=rest)
            ready = {
                "status": FileStatus.READY.value,
                "progress": totals.lines,
                "lines": totals.lines,
                "bytes": self._bytes,
                "totals": totals,
                "sha256": self._digest.hexdigest(),
                "error": None,
                "ready_at": now(),
            }
            await store.update_file(tx, self._account_id, self._id, ready)
            await _release(tx, self._id, self.holder)

        await self._db.write(work, account_id=self._account_id, is_long=True)

    async def keep_alive(self) -> None:
        """Renew the lease and write the progress, until cancelled or the lease is lost."""

        async def work(tx: Transaction) -> None:
            await self._renew(tx)
            await store.update_file(tx, self._account_id, self._id, {"progress": self._done})

        while not self._is_lost:
            await asyncio.sleep(BEAT_SECONDS)
            try:
                await self._db.write(work, account_id=self._account_id)
            except FileTaken:
                self._is_lost = True
            except Unavailable:
                pass  # the next part fails, too, unless the database is back by then

    async def _renew(self, tx: Transaction) -> None:
        """Renew the lease. Raises: FileTaken if there was another attempt in the meantime."""
        if not await _take(tx, self._id, self.holder):
            raise FileTaken
        file = await store.get_file(tx, self._account_id, self._id)
        if (file.status, file.attempts) != (FileStatus.BUILDING, self._attempt):
            raise FileTaken


def _lease_name(file_id: str) -> str:
    return f"file {file_id}"


async def _take(tx: Transaction, file_id: str, holder: str) -> bool:
    return await leases.take_lease(tx, name=_lease_name(file_id), holder=holder, duration=LEASE)


async def _release(tx: Transaction, file_id: str, holder: str) -> None:
    await leases.release_lease(tx, name=_lease_name(file_id), holder=holder)


async def reserve_file(db: Database, file_id: str, *, holder: str) -> bool:
    """Take the lease on a file for a process that will build it; False if another one has it."""
    return await db.write(lambda tx: _take(tx, file_id, holder))


@in_long_transaction
async def end_failed(
    tx: Transaction,
    account_id: int,
    file_id: str,
    *,
    holder: str,
    reason: str | None = None,
    is_failure: bool = True,
) -> None:
    """Record that an attempt to build a file has failed; it waits for another one, at most twice.

    holder: of the lease of the attempt. reason: why it can never be built: it is failed at once.
    is_failure: whether the attempt counts; it does not if masthead was stopped.
    """
    if not await _take(tx, file_id, holder):
        return
    file = await store.get_file(tx, account_id, file_id)
    attempts = file.attempts + (file.status is FileStatus.WAITING)  # it died before it began
    changes: dict[str, object] = {"status": FileStatus.WAITING.value, "attempts": attempts}
    if not is_failure:
        changes["attempts"] = no_failures(attempts)
    elif reason or attempts % MAX_ATTEMPTS == 0:
        changes["status"], changes["error"] = FileStatus.FAILED.value, reason or GIVEN_UP
    await store.delete_parts(tx, account_id, file_id)
    await store.update_file(tx, account_id, file_id, {**changes, "progress": 0})
    await _release(tx, file_id, holder)
