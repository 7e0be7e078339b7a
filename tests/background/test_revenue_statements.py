"""Revenue statements are worked out by a process of their own, which may be killed at any time."""

import asyncio
from collections.abc import Mapping

import pytest
from structlog.testing import capture_logs

from masthead.background import tasks
from masthead.background.process_jobs import MAX_ATTEMPTS, STATEMENT_GIVEN_UP, ProcessJob
from masthead.background.tasks import Task, do_task
from masthead.services.revenue import statements as service
from masthead.store.revenue import statements as store
from masthead.store.revenue.statements import Statement, StatementStatus
from tests.conftest import BY
from tests.support.factories import make_subscription
from tests.support.own_service import OwnService
from tests.support.revenue import DAY, TODAY
from tests.support.waiting import PATIENCE, until


@pytest.fixture
def job(jobs: Mapping[str, ProcessJob]) -> ProcessJob:
    """The job, in a worker that holds the lease."""
    return jobs["revenue statements"]


async def request(own: OwnService) -> str:
    await make_subscription(own.cast, price="42.00")
    return await service.request_statement(
        own.cast.db, own.cast.account_id, DAY, today=TODAY, by=BY
    )


async def state(own: OwnService, id: str) -> Statement:
    return await store.get_statement(own.cast.db, own.cast.account_id, id)


async def test_a_waiting_statement_is_worked_out_by_another_process(
    own: OwnService, job: ProcessJob
) -> None:
    id = await request(own)
    assert await asyncio.wait_for(job.run_once(), PATIENCE) is False
    ready = await state(own, id)
    assert ready.status is StatementStatus.READY
    assert ready.figures is not None
    assert ready.figures.currencies[0].total.deferred == 42_00


async def test_the_background_work_of_a_worker_works_out_statements(own: OwnService) -> None:
    id = await request(own)
    background = own.background(is_mute=True)
    await asyncio.wait_for(background.work_once(), PATIENCE)
    assert (await state(own, id)).status is StatementStatus.READY


async def test_a_killed_process_is_replaced(own: OwnService, job: ProcessJob) -> None:
    id = await request(own)
    running = asyncio.create_task(job.run_once())
    await until(lambda: job._process is not None)
    assert job._process is not None
    job._process.kill()
    await asyncio.wait_for(running, PATIENCE)
    assert (await state(own, id)).status is StatementStatus.READY


async def test_a_process_that_always_dies_fails_the_statement(
    own: OwnService, job: ProcessJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "MODULE", "masthead.no_such_module")
    id = await request(own)
    with capture_logs() as logs:
        await asyncio.wait_for(job.run_once(), PATIENCE)
    failed = await state(own, id)
    assert (failed.status, failed.error) == (StatementStatus.FAILED, STATEMENT_GIVEN_UP)
    assert [each["attempt"] for each in logs] == [1, 2, MAX_ATTEMPTS]


async def test_stopping_masthead_is_not_a_failure_of_the_statement(
    own: OwnService, job: ProcessJob
) -> None:
    id = await request(own)
    running = asyncio.create_task(job.run_once())
    await until(lambda: job._process is not None)
    await job.stop()
    await asyncio.wait_for(running, PATIENCE)
    assert (await state(own, id)).status in (StatementStatus.WAITING, StatementStatus.READY)
    assert not job._attempts


async def test_the_process_works_out_what_it_reads(own: OwnService) -> None:
    id = await request(own)
    await do_task(Task("revenue statements", own.database_url, own.cast.account_id, id))
    assert (await state(own, id)).status is StatementStatus.READY
