"""PostgreSQL stops, disconnects or refuses: clients get a 503 within seconds, then all recovers."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest

from masthead.model.errors import Unavailable
from masthead.store.engine.database import connect
from masthead.store.engine.interface import Database, Transaction
from masthead.store.engine.postgres import database as postgres, session, write_queue
from tests.conftest import Cast
from tests.faults.conftest import BOUND, desk, frozen, own_cluster
from tests.faults.support.notes import note_answers, recovery_noted
from tests.faults.support.proxy import open_proxy
from tests.support.databases import opened, opened_connection
from tests.support.expect import refused
from tests.support.factories import make_subscription, manual
from tests.support.postgres import OwnCluster
from tests.support.serving import account_at, serve

pytestmark = pytest.mark.faults

SUBSCRIPTIONS = "/v1/subscriptions/"
READY_SECONDS = 2.0
RECOVERY_SECONDS = 5.0
SLACK = 3  # a busy machine may be this many times slower


async def answers(*requests: Awaitable[httpx.Response]) -> list[httpx.Response]:
    """The responses to concurrent requests. Raises: TimeoutError, long after they are due."""
    began = time.monotonic()
    async with asyncio.timeout(BOUND):
        found = await asyncio.gather(*requests)
    note_answers((answer.status_code for answer in found), time.monotonic() - began)
    return found


def order(cast: Cast) -> Awaitable[httpx.Response]:
    return cast.post(SUBSCRIPTIONS, manual(cast))


async def is_ready(cast: Cast) -> bool:
    """The status of `/ready`, within its deadline."""
    began = time.monotonic()
    response = await cast.client.get("/ready")
    assert time.monotonic() - began < READY_SECONDS * SLACK
    assert response.status_code in (200, 503)
    return response.status_code == 200


async def recovers(cast: Cast) -> None:
    """Check that the service recovers within seconds: it is ready, and reads and writes work."""
    until = time.monotonic() + RECOVERY_SECONDS * SLACK
    with recovery_noted():
        while not await is_ready(cast):
            assert time.monotonic() < until
            await asyncio.sleep(0.1)
        await make_subscription(cast)
    assert (await cast.get(SUBSCRIPTIONS)).status_code == 200


async def warm_up(cast: Cast) -> None:
    """Open connections for reads and writes, and leave them idle."""
    for answer in await answers(*(cast.get(SUBSCRIPTIONS) for _ in range(8)), order(cast)):
        assert answer.is_success


# --- stopped and restarted ------------------------------------------------------------------------


async def stay_frozen(cast: Cast, server: OwnCluster) -> None:
    """Freeze the server: reads and writes are refused in time, new connections too."""
    await warm_up(cast)
    with frozen(server):
        assert not await is_ready(cast)
        for _ in range(2):  # over existing connections, and over new ones
            for answer in await answers(cast.get(SUBSCRIPTIONS), order(cast)):
                refused(answer, "unavailable", status=503)
                assert int(answer.headers["Retry-After"]) > 0
        assert not await is_ready(cast)
        assert (await cast.client.get("/health")).status_code == 200
    await recovers(cast)


@pytest.mark.slow
async def test_a_frozen_server_causes_a_503_within_seconds(server: OwnCluster, url: str) -> None:
    async with desk(url) as cast:
        await stay_frozen(cast, server)


@pytest.mark.slow
async def test_without_timeouts_a_request_to_a_frozen_server_hangs(
    server: OwnCluster, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "CONNECT_SECONDS", 600)
    monkeypatch.setattr("tests.faults.test_postgres_connections.BOUND", 5)
    async with desk(url, seconds=600) as cast:
        with pytest.raises(TimeoutError):
            await stay_frozen(cast, server)


async def test_a_killed_server_recovers_by_itself(server: OwnCluster, url: str) -> None:
    async with desk(url) as cast:
        await warm_up(cast)
        with pytest.raises((OSError, asyncpg.PostgresError)):  # crash recovery of all sessions
            await asyncio.to_thread(
                server.execute, "COPY (SELECT 1) TO PROGRAM 'kill -9 $PPID; sleep 1'"
            )
        await answers(order(cast), cast.get(SUBSCRIPTIONS))
        await recovers(cast)


async def test_connections_that_an_administrator_ends_are_replaced(
    server: OwnCluster, url: str
) -> None:
    async with desk(url) as cast:
        for _ in range(3):
            await warm_up(cast)
            await asyncio.to_thread(
                server.execute,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
            )
            await answers(order(cast), cast.get(SUBSCRIPTIONS))
            await recovers(cast)


# --- the network ----------------------------------------------------------------------------------


async def lose_connections(url: str) -> None:
    """Lose every connection silently: one round of requests fails, the next one does not."""
    async with open_proxy(url) as (proxy, through), desk(through) as cast:
        await warm_up(cast)
        proxy.silence()
        first = await answers(cast.get(SUBSCRIPTIONS), order(cast))
        assert {answer.status_code for answer in first} == {503}
        for _ in range(12):  # one for each connection
            assert (await cast.get(SUBSCRIPTIONS)).status_code == 200
        await recovers(cast)


@pytest.mark.slow
async def test_connections_that_are_lost_silently_are_all_replaced_together(url: str) -> None:
    await lose_connections(url)


@pytest.mark.slow
async def test_without_closing_the_other_connections_each_lost_one_fails_once(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "CONNECTION_LOST", ())
    with pytest.raises(AssertionError):
        await lose_connections(url)


@pytest.mark.slow
async def test_a_network_that_drops_everything_causes_a_503_until_it_recovers(url: str) -> None:
    async with open_proxy(url) as (proxy, through), desk(through) as cast:
        await warm_up(cast)
        proxy.silence(new_too=True)
        assert not await is_ready(cast)
        for _ in range(2):
            for answer in await answers(cast.get(SUBSCRIPTIONS), order(cast)):
                refused(answer, "unavailable", status=503)
        proxy.heal()
        await recovers(cast)


async def test_a_connection_cut_during_a_request_causes_a_503_and_is_replaced(url: str) -> None:
    async with open_proxy(url) as (proxy, through), desk(through) as cast:
        for _ in range(5):
            asking = asyncio.gather(*(order(cast) for _ in range(4)), cast.get(SUBSCRIPTIONS))
            await asyncio.sleep(0.01)
            proxy.cut()
            assert {answer.status_code for answer in await asking} <= {200, 201, 503}
        await recovers(cast)


@pytest.mark.slow
async def test_a_slow_network_causes_no_errors(url: str) -> None:
    async with open_proxy(url) as (proxy, through), desk(through, seconds=10) as cast:
        proxy.delay = 0.02
        assert (await order(cast)).status_code == 201
        assert (await cast.get(SUBSCRIPTIONS)).status_code == 200


# --- requests that are cancelled ------------------------------------------------------------------


async def running(url: str) -> int:
    """The number of running `pg_sleep` statements."""
    watcher = await asyncpg.connect(url)
    try:
        return int(
            await watcher.fetchval(
                "SELECT count(*) FROM pg_stat_activity WHERE state = 'active'"
                " AND query LIKE '%pg_sleep(%' AND pid <> pg_backend_pid()"
            )
        )
    finally:
        await watcher.close()


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    deadline = time.monotonic() + BOUND
    while not await condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)


@pytest.mark.parametrize("way", ["read", "write"])
async def test_a_cancelled_request_frees_its_connection_and_the_server(url: str, way: str) -> None:
    async def work(tx: Transaction) -> None:
        await tx.fetch_all("SELECT pg_sleep(100)", {})

    async def sleep(db: Database) -> None:
        if way == "write":
            await db.write(work, is_long=True)
        else:
            async with db.read(is_long=True) as connection:
                await connection.fetch_all("SELECT pg_sleep(100)", {})

    async def all_run() -> bool:
        return await running(url) == count

    async def none_runs() -> bool:
        return await running(url) == 0

    db = await connect(url)
    count = postgres.READERS if way == "read" else write_queue.WRITERS
    leaving = [asyncio.create_task(sleep(db)) for _ in range(count)]
    await until(all_run)
    for task in leaving:
        task.cancel()
    await asyncio.gather(*leaving, return_exceptions=True)
    assert await db.fetch_all("SELECT 1 AS one", {})  # connections are free at once
    await db.probe_write()
    await until(none_runs)
    await db.close()


@pytest.mark.slow
async def test_a_read_is_cancelled_when_its_client_disconnects(url: str, tmp_path: Path) -> None:
    """The deadline is a minute, so only the disconnect can end the statement."""

    async def waits(count: int) -> bool:
        sql = (
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND wait_event_type = 'Lock' AND query LIKE '%FROM issue%'"
        )
        return int(await watcher.fetchval(sql)) == count

    watcher, other = await asyncpg.connect(url), await asyncpg.connect(url)
    slow = {"MASTHEAD_DATABASE_TIMEOUT": "60"}
    with serve(url, tmp_path / "log", environment=slow) as server:
        async with account_at(server, url) as cast, other.transaction():
            await other.execute("LOCK TABLE issue IN ACCESS EXCLUSIVE MODE")
            leaving = asyncio.create_task(cast.get("/v1/issues/", limit=50))
            await until(lambda: waits(1))
            leaving.cancel()
            await asyncio.wait([leaving])
            await until(lambda: waits(0))
    await watcher.close()
    await other.close()


@pytest.mark.slow
async def test_the_server_ends_a_statement_that_takes_too_long(url: str) -> None:
    async with opened(url, seconds=1) as db:
        with pytest.raises(Unavailable):
            async with asyncio.timeout(BOUND):
                await db.fetch_all("SELECT pg_sleep(100)", {})
        async with db.read(aside=True) as connection:  # which has a longer timeout
            assert await connection.fetch_all("SELECT pg_sleep(1.5)", {})
        async with db.read(is_long=True) as connection:
            assert await connection.fetch_all("SELECT pg_sleep(1.5)", {})


# --- refusals -------------------------------------------------------------------------------------


async def all_connections(url: str) -> AsyncIterator[Any]:
    """Connections, until the server refuses further ones."""
    with contextlib.suppress(asyncpg.TooManyConnectionsError):
        while True:
            yield await asyncpg.connect(url)


@pytest.mark.usefixtures("server")
async def test_a_server_without_free_connections_causes_a_503_until_one_is_free() -> None:
    with own_cluster("max_connections=8", "superuser_reserved_connections=0") as small:
        database = await asyncio.to_thread(small.create_migrated_database)
        async with desk(database) as cast:
            others = [other async for other in all_connections(database)]
            statuses = [
                answer.status_code
                for answer in await answers(*(cast.get(SUBSCRIPTIONS) for _ in range(10)))
            ]
            assert set(statuses) <= {200, 503}
            for other in others:
                await other.close()
            await recovers(cast)


async def test_a_read_only_server_causes_a_503_only_for_writes(
    server: OwnCluster, url: str
) -> None:
    name = url.rpartition("/")[2]
    async with desk(url) as cast:
        await warm_up(cast)
        async with opened_connection(server.address) as other:
            await other.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
            await other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name
            )
            await asyncio.sleep(0.1)
            refused(await order(cast), "unavailable", status=503)
            assert not await is_ready(cast)
            assert (await cast.get(SUBSCRIPTIONS)).status_code == 200
            await other.execute(f'ALTER DATABASE "{name}" RESET default_transaction_read_only')
        await recovers(cast)


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("53100", id="disk full"),
        pytest.param("53200", id="out of memory"),
        pytest.param("58030", id="input or output error"),
        pytest.param("57014", id="statement cancelled"),
    ],
)
async def test_exhausted_resources_cause_a_503_and_no_partial_change(url: str, code: str) -> None:
    """The server's answer is simulated by a trigger: a real disk is not filled here."""
    async with desk(url) as cast:
        before = (await cast.get(SUBSCRIPTIONS)).json()
        async with opened_connection(url) as other:
            await other.execute(
                "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS"
                f" $$ BEGIN RAISE EXCEPTION 'exhausted' USING ERRCODE = '{code}'; END $$;"
                " CREATE TRIGGER fail BEFORE INSERT ON copy FOR EACH ROW EXECUTE FUNCTION fail()"
            )
            refused(await order(cast), "unavailable", status=503)
            assert (await cast.get(SUBSCRIPTIONS)).json() == before
            await other.execute("DROP TRIGGER fail ON copy")
        await recovers(cast)


@pytest.mark.slow
async def test_a_table_that_another_session_locks_causes_a_503_until_it_is_free(url: str) -> None:
    async with desk(url) as cast:
        async with opened_connection(url) as other, other.transaction():
            await other.execute("LOCK TABLE subscription IN ACCESS EXCLUSIVE MODE")
            for answer in await answers(order(cast), cast.get(f"{SUBSCRIPTIONS}{'0' * 31}/")):
                assert answer.status_code in (404, 503)
            refused(await order(cast), "unavailable", status=503)
        await recovers(cast)
