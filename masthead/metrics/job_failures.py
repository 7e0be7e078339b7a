"""How often each background job of this process has failed."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from masthead.metrics.text import Samples, sample

# Prometheus adds a label `job` itself, so the label is `work`, as for leases
NAME = "masthead_background_failures_total"
JOBS = (
    "lease",
    "usage of keys",
    "daily pass",
    "renewal letters",
    "emails",
    "files",
    "revenue statements",
    "imports",
    "exports",
    "webhooks",
    "documents",
    "search texts",
    "trends",
    "cleanup",
    "privacy",
)

_failures = dict.fromkeys(JOBS, 0)
_running: ContextVar[str] = ContextVar("running job")


@contextmanager
def running_job(job: str) -> Iterator[None]:
    """Count failures during the block as those of a job."""
    token = _running.set(job)
    try:
        yield
    finally:
        _running.reset(token)


def count_failure() -> None:
    """Count a failure of the job that runs; outside of jobs, nothing is counted."""
    if job := _running.get(""):
        _failures[job] += 1


def job_failures() -> Samples:
    """The failures since the start of this process, by the names of the samples."""
    return {sample(NAME, work=job): count for job, count in _failures.items()}
