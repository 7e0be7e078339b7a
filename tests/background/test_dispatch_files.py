"""Files of runs are built by processes of their own, which may be killed at any time."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from masthead.background import dispatch_files, tasks
from masthead.background.dispatch_files import DispatchFiles
from masthead.background.lease import HeldLease
from masthead.background.tasks import Task, do_task
from masthead.model.dispatch.files import MAX_ATTEMPTS, DispatchFile, FileStatus
from masthead.model.dispatch.profiles import FileFormat
from masthead.services.dispatch import file_builds
from masthead.services.dispatch.file_builds import GIVEN_UP
from masthead.store.dispatch import files as store
from tests.support.dispatch_files import content_of, freeze_run, request, rows_of
from tests.support.own_service import OwnService
from tests.support.waiting import PATIENCE

CSV = FileFormat.CSV


@pytest.fixture
async def job(own: OwnService) -> AsyncIterator[DispatchFiles]:
    """The job, in a worker that holds the lease."""
    lease = HeldLease(own.cast.db, "background")
    await lease.renew()
    job = DispatchFiles(own.cast.db, lease, own.database_url)
    yield job
    await job.stop()


async def waiting_file(own: OwnService, profile: str | None = None) -> DispatchFile:
    run = await freeze_run(own.cast, {"first_name": "Zoë", "last_name": "Łuk"}, number=2)
    return await request(own.cast, run, CSV, profile)


async def state(own: OwnService, file: DispatchFile) -> DispatchFile:
    return await store.get_file(own.cast.db, own.cast.account_id, file.id)


async def test_a_waiting_file_is_built_by_another_process(
    own: OwnService, job: DispatchFiles
) -> None:
    file = await waiting_file(own)
    assert await asyncio.wait_for(job.run_once(), PATIENCE) is False
    ready = await state(own, file)
    assert (ready.status, ready.attempts) == (FileStatus.READY, 1)
    (row,) = rows_of(await content_of(own.cast, ready))
    assert row["name"] == "Zoë Łuk"


async def test_the_background_work_of_a_worker_builds_files(own: OwnService) -> None:
    file = await waiting_file(own)
    background = own.background(is_mute=True)
    await asyncio.wait_for(background.work_once(), PATIENCE)
    assert (await state(own, file)).status is FileStatus.READY


async def test_a_file_that_cannot_be_written_is_failed_at_once(
    own: OwnService, job: DispatchFiles
) -> None:
    file = await waiting_file(own, "mailing-house-windows")
    await asyncio.wait_for(job.run_once(), PATIENCE)
    failed = await state(own, file)
    assert (failed.status, failed.attempts) == (FileStatus.FAILED, 1)
    assert "Windows-1252 does not have `Ł`" in str(failed.error)


async def test_a_killed_process_is_replaced(own: OwnService, job: DispatchFiles) -> None:
    file = await waiting_file(own)
    await job._start_waiting()
    (running,) = job._running.values()
    running.process.kill()
    running.process.wait()
    await asyncio.wait_for(job.run_once(), PATIENCE)
    ready = await state(own, file)
    assert (ready.status, ready.attempts) == (FileStatus.READY, 2)


async def test_a_process_that_always_dies_fails_the_file(
    own: OwnService, job: DispatchFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "MODULE", "masthead.no_such_module")
    file = await waiting_file(own)
    await asyncio.wait_for(job.run_once(), PATIENCE)
    failed = await state(own, file)
    assert (failed.status, failed.attempts, failed.error) == (FileStatus.FAILED, 3, GIVEN_UP)


async def test_stopping_masthead_is_not_a_failure_of_the_file(
    own: OwnService, job: DispatchFiles
) -> None:
    file = await waiting_file(own)
    await job._start_waiting()
    await job.stop()
    stopped = await state(own, file)
    assert stopped.status in (FileStatus.WAITING, FileStatus.READY)
    assert stopped.attempts % MAX_ATTEMPTS in (0, 1)
    ready, _ = await build_or_ready(own, file)
    assert ready.status is FileStatus.READY


async def build_or_ready(own: OwnService, file: DispatchFile) -> tuple[DispatchFile, bytes]:
    current = await state(own, file)
    if current.status is not FileStatus.READY:
        current = await file_builds.prepare_file(own.cast.db, own.cast.account_id, file.id)
    return current, await content_of(own.cast, current)


async def test_no_more_processes_than_allowed_run_at_once(
    own: OwnService, job: DispatchFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatch_files, "PROCESSES", 1)
    run = await freeze_run(own.cast, {"first_name": "Ada"}, number=2)
    for profile in ("mailing-house", "spreadsheet"):
        await request(own.cast, run, CSV, profile)
    await job._start_waiting()
    await job._start_waiting()
    assert len(job._running) == 1
    await asyncio.wait_for(job.run_once(), PATIENCE)
    listed = await store.list_files(own.cast.db, own.cast.account_id, run.id)
    assert {file.status for file in listed} == {FileStatus.READY}


async def test_a_file_that_a_command_builds_is_left_to_it(
    own: OwnService, job: DispatchFiles
) -> None:
    file = await waiting_file(own)
    assert await file_builds.reserve_file(own.cast.db, file.id, holder="command")
    await job.run_once()
    assert (await state(own, file)).status is FileStatus.WAITING


async def test_the_process_builds_the_file_of_its_task(own: OwnService) -> None:
    file = await waiting_file(own)
    options = {"holder": "me"}
    task = Task("files", own.database_url, own.cast.account_id, file.id, options)
    await do_task(task)
    await do_task(task)  # it is ready
    assert (await state(own, file)).status is FileStatus.READY
