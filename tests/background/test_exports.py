"""Exports are written by a process of their own, which may be killed at any time."""

import asyncio
import os
import subprocess
from collections.abc import Mapping

import pytest
from structlog.testing import capture_logs

from masthead.background import process_jobs, tasks
from masthead.background.process_jobs import EXPORT_GIVEN_UP, MAX_ATTEMPTS, ProcessJob
from masthead.background.tasks import Task, do_task
from masthead.metrics.job_failures import NAME, job_failures, running_job
from masthead.metrics.text import sample
from masthead.services.exports import archives as service
from masthead.store.exports import archives as store
from masthead.store.exports.archives import ArchiveStatus
from tests.conftest import BY, make_account
from tests.support.account_away import AccountAway
from tests.support.own_service import OwnService
from tests.support.waiting import PATIENCE, until

FAILURES = sample(NAME, work="exports")


@pytest.fixture
def job(jobs: Mapping[str, ProcessJob]) -> ProcessJob:
    """The job, in a worker that holds the lease."""
    return jobs["exports"]


async def request(own: OwnService) -> str:
    return await service.request_archive(own.cast.db, own.cast.account_id, by=BY)


async def status(own: OwnService, id: str) -> ArchiveStatus:
    return (await store.get_archive(own.cast.db, own.cast.account_id, id)).status


async def test_a_killed_process_is_replaced(own: OwnService, job: ProcessJob) -> None:
    id = await request(own)
    running = asyncio.create_task(job.run_once())
    await until(lambda: job._process is not None)
    assert job._process is not None
    assert os.getpgid(job._process.pid) == job._process.pid  # Ctrl-C does not reach it
    job._process.kill()
    assert await asyncio.wait_for(running, PATIENCE) is False
    assert await status(own, id) is ArchiveStatus.READY


async def test_an_account_that_is_away_keeps_no_other_from_its_end(
    own: OwnService, job: ProcessJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    rival = await make_account(own.cast.client, own.cast.db, "Rival")
    ids = [
        await service.request_archive(each.db, each.account_id, by=BY) for each in (own.cast, rival)
    ]
    job._db = AccountAway(own.cast.db, own.cast.account_id)
    monkeypatch.setattr(tasks, "MODULE", "masthead.no_such_module")
    before = job_failures()[FAILURES]
    with running_job("exports"):
        await asyncio.wait_for(job.run_once(), PATIENCE)
    assert await status(own, ids[0]) is ArchiveStatus.WAITING
    archive = await store.get_archive(rival.db, rival.account_id, ids[1])
    assert archive.error == EXPORT_GIVEN_UP
    assert job_failures()[FAILURES] - before == 2 * MAX_ATTEMPTS + 1


async def test_an_export_of_another_process_keeps_no_other_waiting(
    own: OwnService, job: ProcessJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    rival = await make_account(own.cast.client, own.cast.db, "Rival")
    ids = [
        await service.request_archive(each.db, each.account_id, by=BY) for each in (own.cast, rival)
    ]
    started = list[str]()

    def start(task: Task) -> subprocess.Popen[bytes]:
        started.append(task.id)
        return subprocess.Popen(["true"])  # it leaves the row to the process that works on it

    monkeypatch.setattr(process_jobs, "start_process", start)
    assert await asyncio.wait_for(job.run_once(), PATIENCE) is False
    assert started == ids


async def test_an_export_that_always_fails_is_given_up(
    own: OwnService, job: ProcessJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = await request(own)
    monkeypatch.setattr(tasks, "MODULE", "masthead.no_such_module")
    with capture_logs() as logs:
        await asyncio.wait_for(job.run_once(), PATIENCE)
    archive = await store.get_archive(own.cast.db, own.cast.account_id, id)
    assert archive.status is ArchiveStatus.FAILED
    assert archive.error == EXPORT_GIVEN_UP
    logged = [(each["job"], each["id"], each["attempt"]) for each in logs]
    assert logged == [("exports", id, attempt + 1) for attempt in range(MAX_ATTEMPTS)]


async def test_the_process_writes_the_export(own: OwnService) -> None:
    id = await request(own)
    await do_task(Task("exports", own.database_url, own.cast.account_id, id))
    assert await status(own, id) is ArchiveStatus.READY


async def test_a_stopped_job_starts_no_process(own: OwnService, job: ProcessJob) -> None:
    id = await request(own)
    await job.stop()
    await job.run_once()
    assert await status(own, id) is ArchiveStatus.WAITING
