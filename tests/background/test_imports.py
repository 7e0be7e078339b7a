"""Imports of the pages are worked on by a process of their own, which may be killed at any time."""

import asyncio
from collections.abc import Mapping

import pytest
from msgspec import structs

from masthead.background import tasks
from masthead.background.cleanup import Cleanup
from masthead.background.clock import TrustedClock
from masthead.background.process_jobs import IMPORT_GIVEN_UP, MAX_ATTEMPTS, ProcessJob
from masthead.background.tasks import Task, do_task
from masthead.model.actors import Actor
from masthead.model.imports.batches import BatchStatus, ImportBatch
from masthead.model.imports.plan import ImportPlan
from masthead.services.imports import batches as service
from masthead.services.imports.work.leases import ABANDONED
from masthead.store.imports import batches as store
from tests.services.imports.support import begin, reading_of, row
from tests.services.imports.test_page_batches import end_leases
from tests.support.factories import PLACEHOLDER_DOMAIN
from tests.support.own_service import OwnService
from tests.support.waiting import PATIENCE, until

ANN = Actor(kind="user", id="ann")
FILE = b"""order_id,first_name,address1,country,order_date,price,start_issue,length
A1,Ann,Street 1,DE,2026-01-15,42.00,1,4
"""


@pytest.fixture
def job(jobs: Mapping[str, ProcessJob]) -> ProcessJob:
    """The job, in a worker that holds the lease."""
    return jobs["imports"]


async def request(own: OwnService) -> str:
    """Upload a file and ask for its import."""
    cast = own.cast
    id = await service.upload_file(cast.db, cast.account_id, "a.csv", FILE, by=ANN)
    await service.choose_plan(
        cast.db, cast.account_id, id, source_id=cast.imported, plan=ImportPlan()
    )
    await service.request_run(cast.db, cast.account_id, id, by=ANN)
    return id


async def state(own: OwnService, id: str) -> ImportBatch:
    return await store.get_batch(own.cast.db, own.cast.account_id, id)


async def test_a_waiting_import_is_done_by_another_process(
    own: OwnService, job: ProcessJob
) -> None:
    id = await request(own)
    assert await asyncio.wait_for(job.run_once(), PATIENCE) is False
    done = await state(own, id)
    assert (done.status, done.counts.imported) == (BatchStatus.IMPORTED, 1)


async def test_an_import_whose_process_always_dies_fails_with_a_sentence(
    own: OwnService, job: ProcessJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = await request(own)
    monkeypatch.setattr(tasks, "MODULE", "masthead.no_such_module")
    await asyncio.wait_for(job.run_once(), PATIENCE)
    failed = await state(own, id)
    assert MAX_ATTEMPTS == 3
    assert (failed.status, failed.error) == (BatchStatus.FAILED, IMPORT_GIVEN_UP)
    assert f" {MAX_ATTEMPTS} attempts" in IMPORT_GIVEN_UP  # a text for translators has no variables
    await service.request_run(own.cast.db, own.cast.account_id, id, by=ANN)
    options = {"placeholder_domain": PLACEHOLDER_DOMAIN}
    await do_task(Task("imports", own.database_url, own.cast.account_id, id, options))
    assert (await state(own, id)).status is BatchStatus.IMPORTED


async def test_an_import_of_a_command_that_died_fails_so_that_it_can_be_undone(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Cleanup(own.cast.db, TrustedClock(own.cast.db), event_days=30)
    reading = await reading_of(own.cast, row("A1"))
    command = structs.replace(ANN, kind="command")
    batch = await begin(own.cast, reading, by=command)
    await job.run_once()
    assert (await state(own, batch.id)).status is BatchStatus.RUNNING  # it may be alive
    await end_leases(own.cast)
    await job.run_once()
    assert (await state(own, batch.id)).status is BatchStatus.RUNNING  # looked at once a minute
    monkeypatch.setattr(job, "_check_at", 0.0)
    await job.run_once()
    assert (await state(own, batch.id)).error == ABANDONED


@pytest.mark.crash
async def test_a_killed_process_is_replaced(own: OwnService, job: ProcessJob) -> None:
    id = await request(own)
    running = asyncio.create_task(job.run_once())
    await until(lambda: job._process is not None)
    assert job._process is not None
    job._process.kill()
    await asyncio.wait_for(running, PATIENCE)
    assert (await state(own, id)).status is BatchStatus.IMPORTED
