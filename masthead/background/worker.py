"""The background jobs of a worker; shared jobs run only while it holds the lease."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Protocol

import structlog

from masthead.background.cleanup import Cleanup
from masthead.background.clock import TrustedClock
from masthead.background.daily import DailyPass
from masthead.background.dispatch_files import DispatchFiles
from masthead.background.emails import EmailSender
from masthead.background.failures import failures_logged
from masthead.background.lease import RENEW_SECONDS, HeldLease
from masthead.background.privacy import Privacy
from masthead.background.process_jobs import process_jobs
from masthead.background.read_model import ReadModelRefresh
from masthead.background.renewal_letters import RenewalLetters
from masthead.background.search_texts import SearchRefresh
from masthead.background.trends import TrendRefresh
from masthead.background.webhooks.job import Webhooks
from masthead.mail import Mailer
from masthead.metrics.job_failures import JOBS, running_job
from masthead.model.emails import Site
from masthead.model.errors import Unavailable
from masthead.services.key_usage import KeyUsage
from masthead.store.engine.interface import Database

LEASE = "background"
TICK_SECONDS = 1.0
WARN_SECONDS = 60.0  # between warnings that a job is waiting for the database

log = structlog.get_logger()


class Job(Protocol):
    """A shared job, which runs in the worker that holds the lease."""

    async def run_once(self) -> bool:
        """Do the work that is due; returns whether there is more work now."""
        ...


class Background:
    """Runs the background jobs. Each job has its own loop, so none delays another."""

    def __init__(
        self,
        db: Database,
        usage: KeyUsage,
        *,
        mailer: Mailer | None,
        mail_from: str,
        database_url: str,
        read_url: str = "",
        site: Site,
        event_days: int = 30,
        allow_private_webhooks: bool = False,
    ) -> None:
        """event_days: for which events are kept."""
        self._db, self._usage = db, usage
        self._lease = HeldLease(db, LEASE)
        self._emails = EmailSender(db, self._lease, mailer=mailer, mail_from=mail_from)
        self._files = DispatchFiles(db, self._lease, database_url)
        self._webhooks = Webhooks(
            db,
            self._lease,
            database_url=database_url,
            allow_private=allow_private_webhooks,
            site=site,
        )
        clock = TrustedClock(db)
        self._process_jobs = process_jobs(
            db, self._lease, database_url, read_url=read_url, placeholder_domain=site.domain
        )
        self._jobs: dict[str, Job] = {
            "daily pass": DailyPass(db, self._lease, clock),
            "renewal letters": RenewalLetters(db, self._lease, clock, site if mailer else None),
            "emails": self._emails,
            "files": self._files,
            **self._process_jobs,
            "webhooks": self._webhooks,
            "documents": ReadModelRefresh(db, self._lease),
            "search texts": SearchRefresh(db, self._lease),
            "trends": TrendRefresh(db, self._lease, clock),
            "cleanup": Cleanup(db, clock, event_days=event_days),
            "privacy": Privacy(db, self._lease, clock, site.domain),
        }
        assert self._jobs.keys() < set(JOBS)  # whose failures are counted
        self._is_stopping = False
        self._warn_at: dict[str, float] = {}

    async def run(self) -> None:
        """Run all jobs until cancelled; failures are logged and retried."""
        await self._attempt("lease", self._lease.renew)
        tasks = [
            asyncio.create_task(self._repeat("lease", self._lease.renew, RENEW_SECONDS)),
            asyncio.create_task(self._repeat("usage of keys", self._write_usage, TICK_SECONDS)),
        ]
        for name, job in self._jobs.items():
            tasks.append(asyncio.create_task(self._repeat_held(name, job)))
        try:
            await asyncio.wait(tasks)
        finally:
            await self._stop(tasks)

    async def _stop(self, tasks: list[asyncio.Task[None]]) -> None:
        """End all loops, processes and the current email; release the lease for another worker.

        All at once: one after the other, they might take longer than a worker has until it is
        killed.
        """
        self._is_stopping = True
        self._lease.drop()
        for task in tasks:
            task.cancel()
        processes = [job.stop() for job in self._process_jobs.values()]
        await asyncio.gather(
            *processes, self._files.stop(), self._webhooks.stop(), self._emails.stop()
        )
        await asyncio.wait(tasks)
        await self._lease.release()

    async def work_once(self) -> None:
        """Run every job once, one after the other; for tests."""
        await self._write_usage()
        if await self._lease.renew():
            for job in self._jobs.values():
                await job.run_once()

    async def _write_usage(self) -> bool:
        await self._usage.flush(self._db)
        return False

    async def _repeat_held(self, name: str, job: Job) -> None:
        """Repeat a job while the lease is held."""

        async def work() -> bool:
            return self._lease.is_held and await job.run_once()

        await self._repeat(name, work, TICK_SECONDS, is_eager=True)

    async def _repeat(
        self,
        name: str,
        work: Callable[[], Awaitable[bool]],
        pause: float,
        *,
        is_eager: bool = False,
    ) -> None:
        """Repeat a job. is_eager: without a pause while it returns True.

        A library may suppress a cancellation, as `wait_for` does, so the loop also checks a flag.
        """
        while not self._is_stopping:
            is_behind = await self._attempt(name, work)
            await asyncio.sleep(0 if is_eager and is_behind else pause)

    async def _attempt(self, name: str, work: Callable[[], Awaitable[bool]]) -> bool:
        with running_job(name):
            try:
                with failures_logged("background work failed", job=name):
                    return await work()
            except Unavailable as reason:
                if time.monotonic() > self._warn_at.get(name, 0.0):
                    log.warning("background work waits", job=name, reason=str(reason))
                    self._warn_at[name] = time.monotonic() + WARN_SECONDS
        return False
