"""An import locks an account: its writes wait without connections; other accounts do not wait."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import httpx
import pytest

from masthead.model.errors import Busy, Invalid
from masthead.model.identity.login_throttling import ATTACK
from masthead.model.identity.sign_ins import Client
from masthead.services.identity.second_step import ATTEMPTS, finish_by_code
from masthead.services.identity.sessions import begin_session, find_signed_in_user, sign_out
from masthead.services.identity.sign_in import sign_in
from masthead.settings import Settings
from masthead.store.engine.database import connect
from masthead.store.engine.interface import Database, Transaction
from masthead.store.engine.postgres import session, write_queue
from masthead.store.engine.postgres.database import PostgresDatabase
from tests.conftest import Cast, make_account, serving
from tests.faults.conftest import BOUND, TIMEOUT, desk
from tests.faults.support.dry_run import dry_run
from tests.services.identity.factors import SITE, add_app, code_of, pending
from tests.services.identity.people import HOME, PASSWORD, enter, owner_of, user_of
from tests.services.identity.test_second_factors import notices
from tests.support.databases import opened_connection
from tests.support.expect import refused
from tests.support.factories import make_issue, manual
from tests.support.waiting import PATIENCE, until

pytestmark = pytest.mark.faults

WAITING = 8
RIVALS = 20


def order(cast: Cast) -> Awaitable[httpx.Response]:
    return cast.post("/v1/subscriptions/", manual(cast))


@asynccontextmanager
async def two_desks(url: str, seconds: float = TIMEOUT) -> AsyncIterator[tuple[Cast, Cast]]:
    """Two accounts of one service, whose owners have passwords. seconds: for a statement."""
    async with serving(Settings(database_url=url, database_timeout=int(seconds))) as (app, client):
        acme, rival = [await make_account(client, app.state.db, name) for name in ("Acme", "Rival")]
        for cast in (acme, rival):
            await make_issue(cast)
            await owner_of(cast)
        yield acme, rival


async def blocked(url: str) -> int:
    """How many connections wait for a lock."""
    watcher = await asyncpg.connect(url)
    try:
        sql = (
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return int(await watcher.fetchval(sql))
    finally:
        await watcher.close()


async def write_beside_a_dry_run(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that another account and its sign-ins work while eight writes wait for an account."""
    async with two_desks(url) as (acme, rival):
        async with dry_run(acme, url, monkeypatch):
            waiting = [asyncio.ensure_future(order(acme)) for _ in range(WAITING)]
            await asyncio.sleep(0.2)  # until they cannot continue
            for _ in range(RIVALS):
                answer = await order(rival)
                assert answer.status_code == 201, answer.text
                assert await blocked(url) <= write_queue.OF_ONE_ACCOUNT
            assert await enter(rival)
            assert (await rival.client.get("/ready")).status_code == 200
            async with asyncio.timeout(BOUND):
                for answer in await asyncio.gather(*waiting):
                    message = refused(answer, "unavailable", status=503)
                    assert "import" in message
                    assert int(answer.headers["Retry-After"]) > 0
        assert (await order(acme)).status_code == 201
        assert await enter(acme)


async def test_other_accounts_and_sign_ins_work_during_a_dry_run(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await write_beside_a_dry_run(url, monkeypatch)


@asynccontextmanager
async def unqueued(self: Any, account_id: int | None) -> AsyncIterator[tuple[Any, float]]:
    """Permission to write, without waiting."""
    turn = write_queue.Turn(account_id)
    yield turn, 0.0


@pytest.mark.slow
async def test_without_the_queue_all_accounts_wait_for_the_dry_run(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_queue.WriteQueue, "turn", unqueued)
    monkeypatch.setattr(write_queue, "OF_ACCOUNTS", write_queue.WRITERS)
    monkeypatch.setitem(session.WRITER, "lock_timeout", "0")
    with pytest.raises(AssertionError):
        await write_beside_a_dry_run(url, monkeypatch)


async def test_writes_that_wait_for_a_short_import_run_after_it(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two_desks(url, PATIENCE) as (acme, _):
        async with dry_run(acme, url, monkeypatch):
            waiting = [asyncio.ensure_future(order(acme)) for _ in range(WAITING)]
            signing_in = asyncio.ensure_future(enter(acme))
            assert isinstance(acme.db, PostgresDatabase)
            turns = acme.db._queue._turns
            await until(lambda: any(turn.is_blocked for turn in turns.values()))
            # the first one has released its connection
        assert {answer.status_code for answer in await asyncio.gather(*waiting)} == {201}
        assert await signing_in


async def test_a_password_is_checked_without_waiting_during_a_dry_run_of_the_account(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the session waits for the account, because its audit log records the session.

    If the check waited too, the correct password would stay counted as a failed attempt.
    """
    async with two_desks(url) as (acme, _):
        async with dry_run(acme, url, monkeypatch):
            waiting = [asyncio.ensure_future(order(acme)) for _ in range(WAITING)]
            await asyncio.sleep(0.2)  # time for them to continue as far as they can
            verified = await sign_in(
                acme.db, email=acme.owner, password=PASSWORD, client=Client(HOME)
            )
            assert not any(each.done() for each in waiting)
            beginning = [
                asyncio.ensure_future(begin_session(acme.db, verified, Client(HOME)))
                for _ in range(WAITING)
            ]
            await asyncio.sleep(0.2)
            assert await blocked(url) <= write_queue.OF_ONE_ACCOUNT
            for outcome in await asyncio.gather(*beginning, return_exceptions=True):
                assert isinstance(outcome, Busy)
            await asyncio.gather(*waiting)
        assert (await begin_session(acme.db, verified, Client(HOME))).token


@pytest.mark.slow
async def test_a_session_can_be_ended_during_a_dry_run_of_its_account(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two_desks(url) as (acme, _):
        token = await enter(acme)
        user = await user_of(acme, token)
        async with dry_run(acme, url, monkeypatch):
            await sign_out(acme.db, user.user_id, token)
            assert await find_signed_in_user(acme.db, token) is None


@pytest.mark.slow
async def test_wrong_codes_are_counted_during_a_dry_run_of_the_account(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two_desks(url) as (acme, _):
        secret, _codes = await add_app(acme, await user_of(acme, await enter(acme)))
        token = await pending(acme)
        async with dry_run(acme, url, monkeypatch):
            for _attempt in range(ATTEMPTS):
                with pytest.raises(Invalid):
                    await finish_by_code(acme.db, token, "no code", site=SITE)
            with pytest.raises(Invalid, match="Start again"):
                await finish_by_code(acme.db, token, code_of(secret), site=SITE)


@pytest.mark.slow
async def test_guessed_passwords_are_refused_as_usual_during_a_dry_run(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The response is the same for known and unknown addresses; a known user is notified."""
    async with two_desks(url) as (acme, _):
        async with dry_run(acme, url, monkeypatch):
            for number in range(ATTACK):
                client = Client(f"198.51.100.{number}")
                with pytest.raises(Invalid, match="do not match"):
                    await sign_in(
                        acme.db, email=acme.owner, password="wrong", client=client, site=SITE
                    )
        assert len(await notices(acme, acme.owner)) == 1


@pytest.mark.slow
async def test_many_busy_accounts_leave_connections_to_others(url: str) -> None:
    """Other sessions lock more accounts than there are connections."""
    async with desk(url) as cast:
        others = [await make_account(cast.client, cast.db, "Held") for _ in range(10)]
        async with opened_connection(url) as holder:
            transaction = holder.transaction()
            await transaction.start()
            for other in others:
                await holder.execute(
                    "UPDATE account_state SET writes = writes WHERE account_id = $1",
                    other.account_id,
                )
            body = {"number": 1}
            waiting = [
                asyncio.ensure_future(each.post("/v1/issues/", body))
                for each in others
                for _ in "ab"
            ]
            await asyncio.sleep(1)
            for _ in range(RIVALS):
                assert (await order(cast)).status_code == 201
            async with asyncio.timeout(BOUND):
                for answer in await asyncio.gather(*waiting):
                    refused(answer, "unavailable", status=503)
            await transaction.rollback()


@asynccontextmanager
async def long_writes(db: Database) -> AsyncIterator[None]:
    """As many writes to account 1 as can have connections at a time, all of them running."""
    have_begun, may_end = asyncio.Barrier(write_queue.OF_ONE_ACCOUNT + 1), asyncio.Event()

    async def hold(_tx: Transaction) -> None:
        await have_begun.wait()
        await may_end.wait()

    writing = [
        asyncio.create_task(db.write(hold, account_id=1)) for _ in range(write_queue.OF_ONE_ACCOUNT)
    ]
    await have_begun.wait()
    try:
        yield
    finally:
        may_end.set()
        await asyncio.gather(*writing)


async def pass_through(_tx: Transaction) -> int:
    return 1


async def test_a_cancelled_write_does_not_block_the_queue(url: str) -> None:
    db = await connect(url)
    async with long_writes(db):
        leaving = [asyncio.create_task(db.write(pass_through, account_id=1)) for _ in range(5)]
        staying = asyncio.create_task(db.write(pass_through, account_id=1))
        await asyncio.sleep(0)
        for task in leaving:
            task.cancel()
        assert await db.write(pass_through, account_id=2) == 1
        assert not staying.done()
    assert await staying == 1
    await db.close()


async def test_writes_run_between_the_batches_of_an_import(url: str) -> None:
    """Another session locks the account repeatedly and releases it only for a moment."""
    async with desk(url, int(PATIENCE)) as cast:
        sql = "UPDATE account_state SET writes = writes WHERE account_id = $1"
        importer, has_begun = await asyncpg.connect(url), asyncio.Event()

        async def import_batches() -> None:
            while True:
                async with importer.transaction():
                    await importer.execute(sql, cast.account_id)
                    has_begun.set()
                    await asyncio.sleep(0.7)

        importing = asyncio.create_task(import_batches())
        await has_begun.wait()
        answers = await asyncio.gather(*(order(cast) for _ in range(4)))
        importing.cancel()
        await asyncio.wait([importing])
        await importer.close()
        assert [answer.status_code for answer in answers] == [201] * 4
