"""Two worker processes of `masthead serve`: each sees the other's changes at once."""

import asyncio
from pathlib import Path

import pytest

from masthead.api.authentication import CACHE_SECONDS
from masthead.services import keys
from tests.conftest import BY, Cast
from tests.races.support.races import same_order_id
from tests.support.factories import make_issue
from tests.support.rounds import rounds
from tests.support.serving import account_at, serve

pytestmark = pytest.mark.races

ROUNDS = rounds(5)
READERS = 8
REQUESTS = 10  # requests of each reader after the key is revoked


async def race_for_an_order_id(url: str, log: Path, *, without: str | None = None) -> None:
    """Send orders with the same id to both workers, several times."""
    with serve(url, log, workers=2, without=without) as server:
        async with account_at(server, url) as acme:
            for number in range(1, ROUNDS + 1):
                await same_order_id(acme, acme, number)


async def revoke_a_key_in_use(url: str, log: Path, *, without: str | None = None) -> None:
    """Revoke a key that both workers accept; a second later neither accepts it."""
    with serve(url, log, workers=2, without=without) as server:
        async with account_at(server, url) as acme:
            await make_issue(acme)
            revoked = asyncio.Event()
            readers = [asyncio.create_task(read_on(acme, revoked)) for _ in range(READERS)]
            await asyncio.sleep(0.3)
            await keys.revoke_key(acme.db, acme.account_id, acme.key_id, by=BY)
            await asyncio.sleep(CACHE_SECONDS)
            revoked.set()
            for statuses in await asyncio.gather(*readers):
                assert statuses == [401] * REQUESTS


async def read_on(cast: Cast, revoked: asyncio.Event) -> list[int]:
    """Send requests repeatedly; return the statuses of those that began after `revoked` was set."""
    statuses: list[int] = []
    while len(statuses) < REQUESTS:
        is_revoked = revoked.is_set()
        answer = await cast.get("/v1/issues/")
        if is_revoked:
            statuses.append(answer.status_code)
    return statuses


async def test_an_order_id_is_unique_across_all_workers(scratch_url: str, tmp_path: Path) -> None:
    await race_for_an_order_id(scratch_url, tmp_path / "log")


@pytest.mark.slow
async def test_without_locks_two_workers_accept_the_same_order_id(
    scratch_url: str, tmp_path: Path
) -> None:
    with pytest.raises(AssertionError):
        await race_for_an_order_id(scratch_url, tmp_path / "log", without="locks")


@pytest.mark.slow
async def test_a_revoked_key_does_not_work_on_any_worker(scratch_url: str, tmp_path: Path) -> None:
    await revoke_a_key_in_use(scratch_url, tmp_path / "log")


@pytest.mark.slow
async def test_a_worker_that_caches_keys_accepts_a_revoked_one(
    scratch_url: str, tmp_path: Path
) -> None:
    with pytest.raises(AssertionError):
        await revoke_a_key_in_use(scratch_url, tmp_path / "log", without="key look-ups")
