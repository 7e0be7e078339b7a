"""SQLite's file is locked, or its disk is full, while the service runs."""

import contextlib
import resource
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from masthead.services.check.accounts import check
from masthead.store.engine.interface import sqlite_path
from masthead.store.engine.migrate import migrate
from masthead.store.engine.sqlite.connection import open_file
from tests.conftest import Cast
from tests.support.factories import make_issue, make_subscription, manual
from tests.support.serving import Server, account_at, serve

pytestmark = [pytest.mark.faults, pytest.mark.slow]

Record = Callable[[str, object], None]
LOG_BYTES = 2**20  # that the limit below leaves to the server's own log


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A new database file."""
    url = f"sqlite:///{tmp_path / 'masthead.db'}"
    migrate(url)
    return url


@contextlib.contextmanager
def locked(url: str) -> Iterator[None]:
    """Hold the write lock, as another program would."""
    connection = open_file(sqlite_path(url), read_only=False)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


@contextlib.contextmanager
def full_disk(server: Server, url: str) -> Iterator[None]:
    """Prevent the workers' files from growing beyond the current size of the database's log."""
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    size = max(Path(f"{sqlite_path(url)}-wal").stat().st_size, LOG_BYTES)
    for worker in server.workers():
        resource.prlimit(worker, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    try:
        yield
    finally:
        for worker in server.workers():
            resource.prlimit(worker, resource.RLIMIT_FSIZE, unlimited)


async def refused(acme: Cast) -> float:
    """Write until a write is refused; return the seconds that the refusal took."""
    for _ in range(5_000):
        began = time.monotonic()
        answer = await acme.post("/v1/subscriptions/", manual(acme, notes="n" * 10_000))
        if answer.status_code != 201:
            assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
            assert "retry-after" in answer.headers
            return time.monotonic() - began
    raise AssertionError("no write was refused")


async def works_again(acme: Cast) -> float:
    """Return the seconds until a write succeeds; check that reads always work."""
    began = time.monotonic()
    while (answer := await acme.post("/v1/subscriptions/", manual(acme))).status_code == 503:
        assert time.monotonic() - began < 30
    assert answer.status_code == 201, answer.text
    return time.monotonic() - began


async def test_while_the_file_is_locked_writes_are_refused_and_reads_work(
    url: str, tmp_path: Path, record_property: Record
) -> None:
    with serve(url, tmp_path / "log") as server:
        async with account_at(server, url) as acme:
            await make_issue(acme)
            with locked(url):
                seconds = await refused(acme)
                assert (await acme.get("/v1/subscriptions/")).status_code == 200
            recovery = await works_again(acme)
            assert [fault async for fault in check(acme.db)] == []
    record_property("client", f"writes: 503 after {seconds:.1f} s; reads continue")
    record_property("recovery", f"{recovery:.2f} s after the lock was released")


async def test_while_the_disk_is_full_writes_are_refused_and_reads_work(
    url: str, tmp_path: Path, record_property: Record
) -> None:
    with serve(url, tmp_path / "log") as server:
        async with account_at(server, url) as acme:
            await make_issue(acme)
            await make_subscription(acme)
            with full_disk(server, url):
                seconds = await refused(acme)
                assert (await acme.get("/v1/subscriptions/")).status_code == 200
                assert (await acme.get("/health")).status_code == 200
            recovery = await works_again(acme)
            assert [fault async for fault in check(acme.db)] == []
    record_property("client", f"writes: 503 after {seconds:.1f} s; reads continue")
    record_property("recovery", f"{recovery:.2f} s after space was freed")
