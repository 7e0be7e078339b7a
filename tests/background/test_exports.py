"""Exports are written by a process of their own, which may be killed at any time."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from masthead.background.clock import TrustedClock
from masthead.background.exports import process
from masthead.background.exports.jobs import GIVEN_UP, MAX_ATTEMPTS, Exports
from masthead.background.exports.process import ExportTask, write_export
from masthead.background.lease import HeldLease
from masthead.services.exports import archives as service
from masthead.store.exports import archives as store
from masthead.store.exports.archives import ArchiveStatus
from tests.conftest import BY
from tests.support.own_service import OwnService, open_own_service
from tests.support.waiting import PATIENCE


@pytest.fixture
async def own(scratch_url: str) -> AsyncIterator[OwnService]:
    """A service for one test."""
    async with open_own_service(scratch_url) as opened:
        yield opened


@pytest.fixture
async def job(own: OwnService) -> AsyncIterator[Exports]:
    """The job, in a worker that holds the lease."""
    lease = HeldLease(own.cast.db, "background")
    await lease.renew()
    job = Exports(own.cast.db, lease, TrustedClock(own.cast.db), own.database_url)
    yield job
    await job.stop()


async def request(own: OwnService) -> str:
    return await service.request_archive(own.cast.db, own.cast.account_id, by=BY)


async def status(own: OwnService, id: str) -> ArchiveStatus:
    return (await store.get_archive(own.cast.db, own.cast.account_id, id)).status


async def test_a_killed_process_is_replaced(own: OwnService, job: Exports) -> None:
    id = await request(own)
    running = asyncio.create_task(job.run_once())
    for _ in range(1000):
        if job._process is not None:
            job._process.kill()
            break
        await asyncio.sleep(0.01)
    assert await asyncio.wait_for(running, PATIENCE) is False
    assert await status(own, id) is ArchiveStatus.READY


async def test_an_export_that_always_fails_is_given_up(
    own: OwnService, job: Exports, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = await request(own)
    monkeypatch.setattr(process, "MODULE", "masthead.no_such_module")
    await asyncio.wait_for(job.run_once(), PATIENCE)
    archive = await store.get_archive(own.cast.db, own.cast.account_id, id)
    assert archive.status is ArchiveStatus.FAILED
    assert archive.error == GIVEN_UP
    assert job._attempts[id] == MAX_ATTEMPTS


async def test_the_process_writes_the_export(own: OwnService) -> None:
    id = await request(own)
    await write_export(ExportTask(own.database_url, own.cast.account_id, id))
    assert await status(own, id) is ArchiveStatus.READY


async def test_a_stopped_job_starts_no_process(own: OwnService, job: Exports) -> None:
    id = await request(own)
    await job.stop()
    await job.run_once()
    assert await status(own, id) is ArchiveStatus.WAITING
