"""The lease decides which worker does the background work; the work starts and ends."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import time_machine
from structlog.testing import capture_logs

from masthead.app import create_app
from masthead.background import (
    cleanup,
    daily,
    failures,
    lease,
    read_model as refilling,
    trends,
    worker as workers,
)
from masthead.background.worker import Background
from masthead.mail import Mailer, Progress
from masthead.metrics.job_failures import NAME, job_failures
from masthead.model.errors import Busy, Invalid
from masthead.model.identity.api_keys import Principal
from masthead.model.identity.sign_ins import Client
from masthead.services.background import read_model
from masthead.services.background.daily import run_daily_pass
from masthead.services.background.trends import refresh_trend
from masthead.services.identity import sign_in
from masthead.services.key_usage import KeyUsage
from masthead.settings import Settings
from masthead.store import idempotency
from masthead.store.engine.interface import Database, Transaction
from masthead.store.idempotency import StoredAnswer
from tests.conftest import make_account, serving
from tests.support.factories import make_membership
from tests.support.mailbox import open_mailbox
from tests.support.own_service import SENDER, SITE, OwnService
from tests.support.read_model import list_outdated
from tests.support.waiting import PATIENCE, until

YESTERDAY = (datetime.now(UTC) - timedelta(days=1)).date()


@asynccontextmanager
async def running(worker: Background) -> AsyncIterator[None]:
    """Run a worker during the block, then stop it."""
    task = asyncio.create_task(worker.run())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def state(own: OwnService) -> dict[str, Any]:
    """The date of the account, and the worker that holds the lease."""
    async with own.cast.db.read() as connection:
        account = await connection.fetch_one("SELECT daily_date FROM account_state", {})
        lease = await connection.fetch_one("SELECT holder, until_tick FROM lease", {})
        return {**(account or {}), **(lease or {"holder": None})}


# --- taking turns ---------------------------------------------------------------------------------


async def test_two_workers_send_each_email_once(own: OwnService) -> None:
    for number in range(30):
        await own.welcome(f"reader-{number}@example.test")
    workers = [own.background() for _ in range(2)]
    for _ in range(3):
        await asyncio.gather(*(worker.work_once() for worker in workers))
    assert len(own.mailbox.ids) == len(set(own.mailbox.ids)) == 30


async def test_the_lease_of_a_dead_worker_expires(own: OwnService) -> None:
    await own.background().work_once()
    await own.welcome()
    heir = own.background()
    await heir.work_once()
    assert own.mailbox.emails == []
    await own.execute("UPDATE lease SET until_tick = 0")
    await heir.work_once()
    assert len(own.mailbox.emails) == 1


async def test_a_lease_is_renewed_before_it_ends(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert lease.DURATION.total_seconds() > lease.RENEW_SECONDS * 2
    monkeypatch.setattr(workers, "RENEW_SECONDS", 0.01)
    async with running(own.background()):
        before = await renewed(own, 0)
        after = await renewed(own, before["until_tick"])
    assert after["holder"] == before["holder"]


async def renewed(own: OwnService, tick: int) -> dict[str, Any]:
    """Wait until the lease is renewed beyond that tick; return it."""
    async with asyncio.timeout(PATIENCE):
        while (now := await state(own)).get("until_tick", 0) <= tick:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    return now


async def test_a_worker_that_has_lost_the_lease_stops_before_the_next_email(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "RENEW_SECONDS", 0.01)
    for number in range(3):
        await own.welcome(f"reader-{number}@example.test")
    worker = own.background()

    async def lose() -> None:
        await own.execute("UPDATE lease SET holder = 'another', until_tick = until_tick + 20000")
        await until(lambda: not worker._lease.is_held)

    own.mailbox.on_data = lose
    async with running(worker):
        await until(lambda: own.mailbox.emails)
        await until(lambda: not worker._lease.is_held)
        await asyncio.sleep(0.1)
    assert len(own.mailbox.emails) == 1


# --- the daily pass -------------------------------------------------------------------------------


async def test_the_daily_pass_runs_once_a_day_for_accounts_that_are_behind(own: OwnService) -> None:
    member = await make_membership(
        own.cast, is_recurring="true", period_start="2020-01-01", period_end="2099-12-31"
    )
    await own.execute("UPDATE period SET period_end = :day", day=YESTERDAY)
    await own.execute("UPDATE account_state SET daily_date = :day", day=YESTERDAY)
    worker = own.background()
    with capture_logs() as logs:
        await worker.work_once()
    assert [entry["account"] for entry in logs if entry["event"] == "daily pass"] == [
        own.cast.subdomain
    ]
    assert (await state(own))["daily_date"] > YESTERDAY
    shown = await own.cast.get(f"/v1/subscriptions/{member['id']}/")
    assert shown.json()["status"] == "Past due"
    await own.execute("UPDATE account_state SET daily_date = :day", day=YESTERDAY)
    await worker.work_once()
    assert (await state(own))["daily_date"] == YESTERDAY


async def test_the_next_day_has_its_own_pass(own: OwnService) -> None:
    worker = own.background()
    await worker.work_once()
    today = (await state(own))["daily_date"]
    with time_machine.travel(datetime.now(UTC) + timedelta(days=1)):
        await worker.work_once()
    assert (await state(own))["daily_date"] == today + timedelta(days=1)


async def test_an_account_with_a_later_date_keeps_it(own: OwnService) -> None:
    ahead = YESTERDAY + timedelta(days=100)
    await own.execute("UPDATE account_state SET daily_date = :day", day=ahead)
    await own.background().work_once()
    assert (await state(own))["daily_date"] == ahead


async def test_a_failed_daily_pass_does_not_delay_other_accounts_or_emails(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failures, "RETRY_SECONDS", 1e-9)
    member = await make_membership(own.cast)
    after = await make_account(own.cast.client, own.cast.db, "Rival")
    await make_membership(after)
    await own.welcome()
    number = "UPDATE account_state SET last_entry = last_entry + :by WHERE account_id = :account"
    await own.execute(number, by=-1, account=own.cast.account_id)  # the next account is processed
    await own.execute("UPDATE period SET period_end = :day", day=YESTERDAY)
    await own.execute("UPDATE account_state SET daily_date = :day", day=YESTERDAY)
    worker = own.background()
    with capture_logs() as logs:
        await worker.work_once()
    logged = {(entry["event"], entry.get("account")) for entry in logs}
    assert logged == {
        ("daily pass failed", own.cast.subdomain),
        ("daily pass", after.subdomain),
    }
    assert len(own.mailbox.emails) == 1
    await own.execute(number, by=1, account=own.cast.account_id)
    await worker.work_once()  # it is tried again
    assert (await own.cast.get(f"/v1/subscriptions/{member['id']}/")).json()["status"] == "Complete"


async def test_a_busy_account_does_not_delay_other_accounts_or_emails(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While an import locks an account, its daily pass, stored JSON and trend wait."""
    monkeypatch.setattr(failures, "BUSY_SECONDS", 1e-9)
    await make_membership(own.cast)
    after = await make_account(own.cast.client, own.cast.db, "Rival")
    await make_membership(after)
    await own.welcome()
    await own.execute("UPDATE period SET period_end = :day", day=YESTERDAY)
    await own.execute("UPDATE account_state SET daily_date = :day", day=YESTERDAY)

    def refuse(service: Callable[..., Any]) -> Callable[..., Any]:
        async def work(db: Database, account_id: int, *rest: Any, **named: Any) -> Any:
            if account_id == own.cast.account_id:
                raise Busy
            return await service(db, account_id, *rest, **named)

        return work

    worker = own.background()
    with monkeypatch.context() as patched, capture_logs() as logs:
        patched.setattr(daily, "run_daily_pass", refuse(run_daily_pass))
        patched.setattr(refilling, "refresh_read_model", refuse(read_model.refresh_read_model))
        patched.setattr(trends, "refresh_trend", refuse(refresh_trend))
        patched.setattr(refilling, "REFRESH_SECONDS", 0.0)
        await worker.work_once()
    logged = {(entry["event"], entry.get("account")) for entry in logs}
    assert logged == {
        ("daily pass waits", own.cast.subdomain),
        ("daily pass", after.subdomain),
    }
    assert len(own.mailbox.emails) == 1
    assert await list_outdated(own.cast)
    await worker.work_once()  # they are tried again
    assert (await state(own))["daily_date"] > YESTERDAY
    assert not await list_outdated(own.cast)


# --- documents ------------------------------------------------------------------------------------


async def test_outdated_rows_are_rendered_again(own: OwnService) -> None:
    await own.welcome()
    rival = await make_account(own.cast.client, own.cast.db, "Rival")
    await make_membership(rival)
    assert await list_outdated(own.cast)
    assert await list_outdated(rival)
    await own.background().work_once()
    assert await list_outdated(own.cast) == await list_outdated(rival) == []


async def test_a_failed_refresh_does_not_delay_other_accounts_or_emails(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = 0.0
    clock = SimpleNamespace(monotonic=lambda: seconds)
    for module in (refilling, failures):
        monkeypatch.setattr(module, "time", clock)
    member = await make_membership(own.cast)
    rival = await make_account(own.cast.client, own.cast.db, "Rival")
    await make_membership(rival)
    status = "UPDATE subscription SET status = :status WHERE id = :id"
    await own.execute(status, id=member["id"], status="Mislaid")
    worker = own.background()
    with capture_logs() as logs:
        await worker.work_once()
    (logged,) = [entry for entry in logs if entry["event"] == "documents cannot be rendered"]
    assert logged["account"] == own.cast.account_id
    assert await list_outdated(own.cast) == [member["id"]]
    assert await list_outdated(rival) == []
    await own.execute(status, id=member["id"], status="Active")
    seconds = failures.RETRY_SECONDS
    await worker.work_once()  # it is tried again
    assert await list_outdated(own.cast) == []


async def test_a_large_refresh_does_not_delay_other_jobs(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refilling, "REFRESH_SECONDS", 0.0)
    monkeypatch.setattr(workers, "TICK_SECONDS", 3600.0)
    monkeypatch.setattr(read_model, "BATCH", 1)
    await own.welcome("ada@example.test")
    await own.welcome("bob@example.test")
    running = asyncio.create_task(own.background().run())
    await until(lambda: len(own.mailbox.emails) == 2)
    async with asyncio.timeout(PATIENCE):
        while await list_outdated(own.cast):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    assert await list_outdated(own.cast) == []
    assert len(own.mailbox.emails) == 2


# --- start, failure, end --------------------------------------------------------------------------


async def test_a_failed_job_is_logged_and_retried(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "TICK_SECONDS", 0.01)
    await own.welcome()
    await own.execute("ALTER TABLE outbox RENAME TO mislaid")
    before = job_failures()
    with capture_logs() as logs:
        async with running(own.background()):
            await until(lambda: len(logs) > 2)
            assert {entry["event"] for entry in logs} == {"background work failed"}
            after = job_failures()
            assert {name for name in after if after[name] > before[name]} == {
                f'{NAME}{{work="{job}"}}' for job in {entry["job"] for entry in logs}
            }
            await own.execute("ALTER TABLE mislaid RENAME TO outbox")
            await until(lambda: own.mailbox.emails)


async def test_a_stopped_worker_releases_the_lease(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "TICK_SECONDS", 0.01)
    await own.welcome()
    async with running(own.background()):
        await until(lambda: own.mailbox.emails)
        await asyncio.sleep(0.1)
        assert (await state(own))["holder"] is not None
    assert (await state(own))["holder"] is None


class Stubborn(Mailer):
    """Ignores cancellation, like some libraries."""

    def __init__(self) -> None:
        self.sending = asyncio.Event()

    async def send(self, message: EmailMessage, progress: Progress | None = None) -> None:
        """Take long, and ignore cancellation."""
        self.sending.set()
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(60)


async def test_a_stop_that_is_ignored_during_an_email_takes_effect_after_it(
    own: OwnService,
) -> None:
    await own.welcome("bob@example.test")
    await own.welcome("ada@example.test")
    mailer = Stubborn()
    task = asyncio.create_task(own.background(mailer).run())
    await mailer.sending.wait()
    task.cancel()
    await asyncio.wait([task], timeout=PATIENCE)
    assert task.done()
    assert [row["status"] for row in await own.outbox()] == ["sent", "waiting"]
    assert (await state(own))["holder"] is None


async def test_the_use_of_keys_is_recorded_by_every_worker(own: OwnService) -> None:
    """Each worker records the use of keys, whether it has the lease or not."""
    await own.background().work_once()
    usage = KeyUsage()
    me = (await own.cast.get("/v1/me/")).json()
    usage.note(
        Principal(
            account_id=own.cast.account_id,
            key_id=own.cast.key_id,
            scope=me["scope"],
            email=me["email"],
            account_name="Acme",
            subdomain=own.cast.subdomain,
            currency="EUR",
            is_active=True,
            expires_at=None,
        )
    )
    background = Background(
        own.cast.db, usage, mailer=None, mail_from=SENDER, database_url=own.database_url, site=SITE
    )
    await background.work_once()
    async with own.cast.db.read() as connection:
        sql = "SELECT last_used_at FROM api_key WHERE id = :id"
        row = await connection.fetch_one(sql, {"id": own.cast.key_id})
    assert row
    assert row["last_used_at"] is not None


async def test_the_service_sends_emails_with_its_settings(scratch_url: str) -> None:
    async with open_mailbox() as mailbox:
        settings = Settings(
            database_url=scratch_url,
            smtp_host="127.0.0.1",
            smtp_port=mailbox.port,
            smtp_security="none",
            mail_from=SENDER,
        )
        async with serving(settings) as (app, client):
            own = OwnService(await make_account(client, app.state.db, "Acme"), mailbox)
            await own.cast.post("/v1/issues/", {"number": 1})
            await own.welcome()
            assert mailbox.emails == []
            working = create_app(settings)
            async with working.router.lifespan_context(working):
                await until(lambda: mailbox.emails)
            assert (await state(own))["holder"] is None
        assert mailbox.envelopes == [("hello@acme.test", ["ada@example.test"])]


# --- expired rows ---------------------------------------------------------------------------------


async def test_expired_rows_are_deleted_once_an_hour(own: OwnService) -> None:
    tables = "throttle", "submission", "stored_answer"

    async def count(table: str) -> int:
        rows = await own.cast.db.fetch_all(f"SELECT * FROM {table}", {})  # noqa: S608 - our own
        return len(rows)

    async def make() -> None:
        with pytest.raises(Invalid):
            await sign_in.sign_in(own.cast.db, email="a@b.test", password="x", client=Client())

        async def take(tx: Transaction) -> None:
            await idempotency.take_key(tx, own.cast.account_id, "0" * 64)
            answer = StoredAnswer("0" * 64, 200, "{}")
            await idempotency.insert_answer(tx, own.cast.account_id, "0" * 64, answer)

        await own.cast.db.write(take)

    old = datetime.now(UTC) - cleanup.KEYS_KEPT["submission"] - timedelta(minutes=1)
    with time_machine.travel(old):
        await make()
    worker = own.background()
    await worker.work_once()
    assert [await count(each) for each in tables] == [0, 0, 0]
    with time_machine.travel(old):
        await make()
    await worker.work_once()
    assert [await count(each) for each in tables] == [3, 1, 1]


@pytest.mark.parametrize("minutes, status", [(-1, 201), (1, 400)])
async def test_an_answer_is_kept_for_a_day(own: OwnService, minutes: int, status: int) -> None:
    async def post() -> httpx.Response:
        return await own.cast.client.post(
            "/v1/issues/", key=own.cast.key, json={"number": 7}, headers={"Idempotency-Key": "a"}
        )

    with time_machine.travel(datetime.now(UTC) - timedelta(days=1, minutes=minutes)):
        assert (await post()).status_code == 201
    await own.background().work_once()
    assert (await post()).status_code == status  # of a new request: the number is taken
