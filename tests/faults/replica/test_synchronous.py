"""With synchronous replication, a failover loses nothing that was acknowledged."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import pytest

from tests.conftest import Cast
from tests.faults.conftest import desk
from tests.faults.replica.conftest import Pair, open_pair
from tests.faults.replica.test_failover import on
from tests.faults.support.proxy import Proxy, open_proxy
from tests.faults.test_postgres_connections import recovers
from tests.support.factories import manual
from tests.support.waiting import PATIENCE

pytestmark = [pytest.mark.faults, pytest.mark.slow]

SYNCHRONOUS = "ALTER SYSTEM SET synchronous_standby_names = '*'"
SENDER = "SELECT sender_port FROM pg_stat_wal_receiver WHERE status = 'streaming'"


async def order(cast: Cast) -> str | None:
    """The order id of an order that was acknowledged, or None."""
    body = manual(cast)
    response = await cast.post("/v1/subscriptions/", body)
    assert response.status_code in (201, 503)
    return str(body["order_id"]) if response.status_code == 201 else None


@asynccontextmanager
async def copying_through_a_proxy(pair: Pair) -> AsyncIterator[Proxy]:
    """Let the replica get its data through a proxy."""
    async with open_proxy(pair.primary.address) as (proxy, through):
        await pair.ask(pair.replica, f"ALTER SYSTEM SET primary_conninfo = '{through}'")
        await pair.ask(pair.replica, "SELECT pg_reload_conf()")
        deadline = time.monotonic() + PATIENCE
        while await pair.ask(pair.replica, SENDER) != urlsplit(through).port:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.05)
        yield proxy


async def lost_orders(pair: Pair) -> tuple[int, set[str]]:
    """Orders while the replica gets nothing more, and a failover to it.

    Returns how many were acknowledged in all, and which of them the new primary does not have.
    """
    async with (
        copying_through_a_proxy(pair) as copying,
        open_proxy(pair.url) as (proxy, through),
        desk(through, seconds=1) as cast,
    ):
        acknowledged: set[str | None] = {await order(cast) for _ in range(5)}
        copying.silence(new_too=True)  # the last orders reach only the primary
        late = await asyncio.gather(*(order(cast) for _ in range(2)))
        pair.primary.kill()
        proxy.lead_to(on(pair.replica, pair.url))
        await pair.ask(pair.replica, "SELECT pg_promote()")
        await recovers(cast)
        acknowledged |= set(late)
        acknowledged.discard(None)
        rows = await cast.db.fetch_all("SELECT order_id FROM period", {})
        found = {row["order_id"] for row in rows}
        return len(acknowledged), {each for each in acknowledged if each and each not in found}


@pytest.fixture
def pair(request: pytest.FixtureRequest) -> Iterator[Pair]:
    """Two servers, of which the test kills one."""
    if request.config.getoption("--backend") == "sqlite":
        pytest.skip("PostgreSQL was not chosen")
    with open_pair() as pair:
        yield pair


@pytest.mark.parametrize("is_synchronous", [True, False], ids=["synchronous", "without"])
async def test_what_was_acknowledged_survives_the_loss_of_the_primary(
    pair: Pair, is_synchronous: bool
) -> None:
    if is_synchronous:
        await pair.ask(pair.primary, SYNCHRONOUS)
        await pair.ask(pair.primary, "SELECT pg_reload_conf()")
    acknowledged, lost = await lost_orders(pair)
    assert acknowledged >= 5
    # the control: without it, orders that only the dead server has are lost
    assert bool(lost) is not is_synchronous
