"""A real server with an email server that fails, or with a clock that jumps."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from masthead.store.engine.database import connect
from masthead.store.engine.interface import Database, Row, Transaction
from tests.conftest import Cast
from tests.faults.support.notes import NOTES
from tests.support.factories import make_issue, make_membership, make_subscription
from tests.support.mailbox import Mailbox, open_mailbox
from tests.support.serving import ROOT, Server, account_at, launch, serve
from tests.support.waiting import PATIENCE

pytestmark = [pytest.mark.faults, pytest.mark.slow]

STOP_SECONDS = 20.0  # from SIGTERM to the end; usually half of it


@pytest.fixture
async def mailbox() -> AsyncIterator[Mailbox]:
    """An email server."""
    async with open_mailbox() as opened:
        yield opened


@pytest.fixture
async def db(scratch_url: str) -> AsyncIterator[Database]:
    """The server's database, for queries by the tests."""
    opened = await connect(scratch_url)
    yield opened
    await opened.close()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Where the server writes."""
    return tmp_path / "log"


def said(log: Path) -> str:
    """The log of the server."""
    return log.read_text()


def sending_by(mailbox: Mailbox) -> dict[str, str]:
    """Settings of a server that sends emails."""
    return {
        "MASTHEAD_SMTP_HOST": "127.0.0.1",
        "MASTHEAD_SMTP_PORT": str(mailbox.port),
        "MASTHEAD_SMTP_SECURITY": "none",
        "MASTHEAD_MAIL_FROM": "Acme <hello@acme.test>",
    }


async def until(condition: Callable[[], Awaitable[bool]], seconds: float = 60) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if await condition():
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"the condition did not hold within {seconds} seconds")


async def outbox(db: Database) -> list[Row]:
    """The emails, oldest first."""
    return await db.fetch_all("SELECT * FROM outbox ORDER BY id", {})


async def has_statuses(db: Database, *statuses: str) -> bool:
    """Whether the emails have these statuses."""
    return [row["status"] for row in await outbox(db)] == list(statuses)


async def execute(db: Database, sql: str, **parameters: object) -> None:
    """Run a statement directly on the server's database."""

    async def work(tx: Transaction) -> None:
        await tx.execute_many(sql, [parameters])

    await db.write(work)


async def make_due(db: Database) -> None:
    """Make all emails due."""
    await execute(db, "UPDATE outbox SET next_attempt_at = :now", now=datetime.now(UTC))


async def welcome(cast: Cast) -> None:
    """Cause an email to be sent."""
    await make_issue(cast)
    await make_subscription(cast, email="ada@example.test", send_welcome_email=True)


async def check(url: str) -> None:
    """`masthead check` reports no faults."""
    ended = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "masthead", "check"],
        cwd=ROOT,
        env={**os.environ, "MASTHEAD_DATABASE_URL": url},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    NOTES["recovery"] = "by itself; `masthead check` reports no faults"


async def stop(server: Server) -> float:
    """Stop a server with SIGTERM; return the seconds that it took."""
    began = time.monotonic()
    server.signal(signal.SIGTERM)
    assert await asyncio.to_thread(server.process.wait, PATIENCE) == 0, server.log.read_text()
    return time.monotonic() - began


async def test_if_the_final_dot_is_confirmed_after_25_seconds_the_email_is_sent_once(
    scratch_url: str, db: Database, mailbox: Mailbox, log: Path
) -> None:
    mailbox.on_data = lambda: asyncio.sleep(25)
    with serve(scratch_url, log, workers=2, environment=sending_by(mailbox)) as server:
        async with account_at(server, scratch_url) as acme:
            await welcome(acme)
            await until(lambda: has_statuses(db, "sent"))
            await asyncio.sleep(3)
        await stop(server)
    assert len(mailbox.emails) == 1
    await check(scratch_url)


async def test_sigterm_waits_for_the_current_email(
    scratch_url: str, db: Database, mailbox: Mailbox, log: Path
) -> None:
    arrived, waited = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        arrived.set()
        await waited.wait()

    async def is_waiting() -> bool:
        return "waiting for the email server" in said(log)

    mailbox.on_data = hold
    with serve(scratch_url, log, workers=2, environment=sending_by(mailbox)) as server:
        async with account_at(server, scratch_url) as acme:
            await welcome(acme)
            await arrived.wait()
        stopped = asyncio.create_task(stop(server))
        await until(is_waiting)
        waited.set()
        assert await stopped < STOP_SECONDS
    assert await has_statuses(db, "sent")
    assert len(mailbox.emails) == 1
    await check(scratch_url)


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
async def test_after_a_restart_an_unconfirmed_email_is_sent_again_with_the_same_id(
    scratch_url: str, db: Database, mailbox: Mailbox, log: Path, end: signal.Signals
) -> None:
    arrived, gone = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        arrived.set()
        await gone.wait()

    mailbox.on_data = hold
    with serve(scratch_url, log, environment=sending_by(mailbox)) as server:
        async with account_at(server, scratch_url) as acme:
            await welcome(acme)
            await arrived.wait()
        if end is signal.SIGTERM:
            assert await stop(server) < STOP_SECONDS
        else:
            server.kill()
    gone.set()
    mailbox.on_data = None
    assert await has_statuses(db, "sending")
    with serve(scratch_url, log, environment=sending_by(mailbox)) as server:
        await until(lambda: has_statuses(db, "waiting"))
        assert len(mailbox.emails) == 1
        (row,) = await outbox(db)
        assert "may have accepted" in row["last_error"]
        await make_due(db)
        await until(lambda: has_statuses(db, "sent"))
        await stop(server)
    assert mailbox.ids == [row["message_id"]] * 2
    await check(scratch_url)


async def test_an_email_server_that_fails_in_every_way_finally_gets_each_email_once(
    scratch_url: str, db: Database, mailbox: Mailbox, log: Path
) -> None:
    attempts = 0

    async def is_tried_again() -> bool:
        nonlocal attempts
        (row,) = await outbox(db)
        if row["attempts"] > attempts and row["status"] == "waiting":
            attempts = row["attempts"]
            return True
        return False

    mailbox.answers["RCPT"] = "450 greylisted"
    with serve(scratch_url, log, environment=sending_by(mailbox)) as server:
        async with account_at(server, scratch_url) as acme:
            await welcome(acme)
            await until(is_tried_again)
            for answers in ({"MAIL": "421 closing"}, {"DATA": "452 full"}):
                mailbox.answers = dict(answers)
                await make_due(db)
                await until(is_tried_again)
            mailbox.answers = {}
            mailbox.cuts_after_data = True
            await make_due(db)
            await until(is_tried_again)
            mailbox.cuts_after_data = False
            await make_due(db)
            await until(lambda: has_statuses(db, "sent"))
            mailbox.answers["RCPT"] = "550 no such user"
            await make_subscription(acme, email="bob@example.test", send_welcome_email=True)
            await until(lambda: has_statuses(db, "sent", "failed"))
        await stop(server)
    assert attempts == 4
    assert len(set(mailbox.ids)) == 1
    assert len(mailbox.emails) == 2  # the email that was cut off, and the one that was accepted
    await check(scratch_url)


# --- the clock ------------------------------------------------------------------------------------


@contextmanager
def serve_with_clock(url: str, log: Path, clock: Path) -> Iterator[Server]:
    """A server whose clock is ahead by the seconds in a file."""
    environment = {"CLOCK_FILE": str(clock)}
    with launch(url, log, environment=environment, program="tests.faults.support.clock") as server:
        server.wait()
        yield server


@asynccontextmanager
async def ending_membership(
    server: Server, url: str, db: Database
) -> AsyncIterator[tuple[Cast, dict[str, Any]]]:
    """A membership that ends within 400 days, once the first pass is over."""
    async with account_at(server, url) as acme:
        member = await make_membership(acme, is_recurring="true")
        end = datetime.now(UTC).date() + timedelta(days=100)
        await execute(db, "UPDATE period SET period_end = :end", end=end)

        async def has_heartbeat() -> bool:
            return bool(await db.fetch_all("SELECT * FROM heartbeat", {}))

        await until(has_heartbeat)
        yield acme, member


async def status(cast: Cast, member: dict[str, Any]) -> str:
    """The status of a membership."""
    return str((await cast.get(f"/v1/subscriptions/{member['id']}/")).json()["status"])


async def test_a_clock_400_days_ahead_for_8_seconds_changes_nothing(
    scratch_url: str, db: Database, log: Path, tmp_path: Path
) -> None:
    clock = tmp_path / "clock"
    clock.write_text("0")
    with serve_with_clock(scratch_url, log, clock) as server:
        async with ending_membership(server, scratch_url, db) as (acme, member):
            clock.write_text(str(timedelta(days=400).total_seconds()))
            await asyncio.sleep(8)
            clock.write_text("0")
            assert await status(acme, member) == "Active"
            await until(_logged(log, "clock trusted again"))
        await stop(server)
    assert said(log).count("clock not trusted") == 1
    await check(scratch_url)


async def test_starting_while_the_clock_is_ahead_changes_nothing(
    scratch_url: str, db: Database, log: Path, tmp_path: Path
) -> None:
    clock = tmp_path / "clock"
    clock.write_text("0")
    with serve_with_clock(scratch_url, log, clock) as server:
        async with ending_membership(server, scratch_url, db) as (_, member):
            await stop(server)
    clock.write_text(str(timedelta(days=400).total_seconds()))
    with serve_with_clock(scratch_url, log, clock) as server:
        await until(_logged(log, "clock not trusted"))
        await stop(server)
    row = await db.fetch_one("SELECT status FROM subscription WHERE id = :id", {"id": member["id"]})
    assert row is not None
    assert row["status"] == "Active"
    await check(scratch_url)


async def test_setting_the_clock_back_an_hour_does_not_extend_the_lease_of_a_killed_server(
    scratch_url: str, db: Database, mailbox: Mailbox, log: Path, tmp_path: Path
) -> None:
    clock = tmp_path / "clock"
    clock.write_text("0")
    with serve_with_clock(scratch_url, log, clock) as server:
        async with account_at(server, scratch_url) as acme:
            await make_issue(acme)
            await until(lambda: _holds(db))
        server.kill()
    clock.write_text("-3600")
    environment = {"CLOCK_FILE": str(clock), **sending_by(mailbox)}
    with launch(
        scratch_url, log, environment=environment, program="tests.faults.support.clock"
    ) as server:
        server.wait()
        async with account_at(server, scratch_url) as acme:
            await welcome(acme)
            await until(lambda: has_statuses(db, "sent"), seconds=90)
        await stop(server)
    await check(scratch_url)


async def _holds(db: Database) -> bool:
    return bool(await db.fetch_all("SELECT * FROM lease", {}))


def _logged(log: Path, words: str) -> Callable[[], Awaitable[bool]]:
    async def is_logged() -> bool:
        return words in said(log)

    return is_logged
