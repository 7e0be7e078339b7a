"""A service of its own, and the jobs that run processes, for tests of background work."""

from collections.abc import AsyncIterator, Mapping

import pytest

from masthead.background.lease import HeldLease
from masthead.background.process_jobs import ProcessJob, process_jobs
from tests.support.factories import PLACEHOLDER_DOMAIN
from tests.support.own_service import OwnService, open_own_service


@pytest.fixture
async def own(scratch_url: str) -> AsyncIterator[OwnService]:
    """A separate service with an email server."""
    async with open_own_service(scratch_url) as opened:
        yield opened


@pytest.fixture
async def jobs(own: OwnService) -> AsyncIterator[Mapping[str, ProcessJob]]:
    """The jobs that run processes, by name, in a worker that holds the lease."""
    lease = HeldLease(own.cast.db, "background")
    await lease.renew()
    made = process_jobs(
        own.cast.db, lease, own.database_url, read_url="", placeholder_domain=PLACEHOLDER_DOMAIN
    )
    yield made
    for job in made.values():
        await job.stop()
