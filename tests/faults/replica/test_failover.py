"""A standby takes over: writes get 503 until it is the primary, then they work again."""

import asyncio
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import asyncpg
import pytest

from masthead.store.engine.database import connect
from masthead.store.engine.interface import DatabaseError
from tests.faults.conftest import BOUND, desk, frozen, own_cluster
from tests.faults.support.proxy import open_proxy
from tests.faults.test_postgres_connections import is_ready, order, recovers
from tests.support.databases import opened_connection
from tests.support.expect import refused
from tests.support.factories import make_subscription, manual
from tests.support.postgres import OwnCluster
from tests.support.replica import standby_of

pytestmark = [pytest.mark.faults, pytest.mark.slow]


@pytest.fixture
def pair(request: pytest.FixtureRequest) -> Iterator[tuple[OwnCluster, OwnCluster, str]]:
    """A primary, its standby, and a database of both."""
    if request.config.getoption("--backend") == "sqlite":
        pytest.skip("PostgreSQL was not chosen")
    with own_cluster() as primary:
        url = primary.create_migrated_database()
        with standby_of(primary) as standby:
            yield primary, standby, url


def on(server: OwnCluster, url: str) -> str:
    """The address of a database at a server."""
    return server.url_of(url.rpartition("/")[2])


async def caught_up(primary: OwnCluster, standby: OwnCluster) -> None:
    """Return when the standby has all data of the primary."""
    one, two = await asyncpg.connect(primary.address), await asyncpg.connect(standby.address)
    await one.execute("CHECKPOINT")  # commits are not flushed by themselves here
    reached = await one.fetchval("SELECT pg_current_wal_lsn()::text")
    deadline = time.monotonic() + BOUND
    while not await two.fetchval("SELECT pg_last_wal_replay_lsn() >= $1::text::pg_lsn", reached):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)
    await one.close()
    await two.close()


async def test_the_new_primary_is_found_among_several_servers(
    pair: tuple[OwnCluster, OwnCluster, str],
) -> None:
    primary, standby, url = pair
    both = f"127.0.0.1:{urlsplit(primary.address).port},127.0.0.1:{urlsplit(standby.address).port}"
    several = f"postgresql://masthead@{both}{urlsplit(url).path}?target_session_attrs=read-write"
    async with desk(several) as cast:
        made = await make_subscription(cast)
        await caught_up(primary, standby)
        with frozen(primary):  # the server there does not even refuse it
            refused(await order(cast), "unavailable", status=503)
            await asyncio.to_thread(standby.execute, "SELECT pg_promote()")
            await recovers(cast)
            found = await cast.get(f"/v1/subscriptions/{made['id']}/")
            assert found.json() == made


async def test_an_address_that_moves_to_the_new_primary_is_followed(
    pair: tuple[OwnCluster, OwnCluster, str],
) -> None:
    primary, standby, url = pair
    async with open_proxy(url) as (proxy, through), desk(through) as cast:
        made = await make_subscription(cast)
        await caught_up(primary, standby)
        proxy.lead_to(on(standby, url))  # open connections still lead to the old one
        await asyncio.to_thread(
            primary.execute, "ALTER SYSTEM SET default_transaction_read_only = on"
        )
        await asyncio.to_thread(primary.execute, "SELECT pg_reload_conf()")
        deadline = time.monotonic() + BOUND
        while (answer := await order(cast)).status_code == 201:  # until the setting takes effect
            assert time.monotonic() < deadline
        refused(answer, "unavailable", status=503)
        assert not await is_ready(cast)
        await asyncio.to_thread(standby.execute, "SELECT pg_promote()")
        await recovers(cast)
        assert (await cast.get(f"/v1/subscriptions/{made['id']}/")).json() == made
        body = manual(cast)
        assert (await cast.post("/v1/subscriptions/", body)).status_code == 201
        async with opened_connection(on(standby, url)) as there:
            sql = "SELECT count(*) FROM period WHERE order_id = $1"
            assert await there.fetchval(sql, body["order_id"]) == 1


async def test_a_standby_without_a_primary_is_refused(
    pair: tuple[OwnCluster, OwnCluster, str],
) -> None:
    _, standby, url = pair
    with pytest.raises(DatabaseError, match="target attribute"):
        await connect(on(standby, url))
