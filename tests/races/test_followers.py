"""A program that follows `updated_since` misses no change, while two workers write."""

import asyncio
import random
from typing import Any

import pytest

from masthead.store import accounts
from masthead.store.engine.at_end import AtEnd
from masthead.store.engine.interface import Transaction
from masthead.store.engine.postgres.connection import PostgresConnection
from tests.conftest import Cast
from tests.races.test_races import two_workers
from tests.support.factories import make_issue, make_subscription
from tests.support.followers import Followers
from tests.support.rounds import rounds

pytestmark = pytest.mark.races

ROUNDS = rounds(4)
CONTROL_ROUNDS = 50  # in which a change is missed without the lock; usually in the first
COUNTRIES = ("DE", "FR", "GB", "US", "AT")


async def follow_while_writing(
    one: Cast, two: Cast, made: list[dict[str, Any]], followers: Followers
) -> None:
    """Change each subscription and its subscriber once, and follow at the same time."""
    is_done = asyncio.Event()

    async def follow() -> None:
        while not is_done.is_set():
            await followers.follow()
            await asyncio.sleep(0)  # on SQLite, a read does not wait, so writers need a turn

    async def change_all() -> None:
        changed = [
            cast.patch(f"/v1/subscriptions/{each['id']}/", {"country": random.choice(COUNTRIES)})
            for cast, each in zip((one, two) * len(made), made, strict=False)
        ]
        assert all(answer.is_success for answer in await asyncio.gather(*changed))
        is_done.set()

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(follow())
        tasks.create_task(change_all())
    assert await followers.follow() == []


async def race(one: Cast, two: Cast, times: int) -> None:
    """Repeat the race in one account."""
    await make_issue(one)
    made = [await make_subscription(one) for _ in range(6)]
    followers = Followers(two)
    for _ in range(times):
        await follow_while_writing(one, two, made, followers)


async def test_a_follower_misses_no_change_beside_other_writes(scratch_url: str) -> None:
    async with two_workers(scratch_url) as (one, two):
        await race(one, two, ROUNDS)


@pytest.mark.slow
async def test_without_the_lock_a_follower_misses_changes(
    backend: str, scratch_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if backend == "sqlite":
        pytest.skip("SQLite has one writer; its transactions end in the order in which they begin")
    real, end = accounts.lock_account, AtEnd.run
    async with two_workers(scratch_url) as (one, two):

        async def lock_for_a_moment(tx: Transaction, account_id: int) -> accounts.Account:
            """Lock the account, but only in a transaction of its own."""
            return await one.db.write(lambda own: real(own, account_id))

        async def end_later(self: AtEnd) -> None:
            """Give other writes time to be faster."""
            await asyncio.sleep(random.random() / 50)
            await end(self)

        monkeypatch.setattr(PostgresConnection, "require_turn", lambda *_: None)
        monkeypatch.setattr(accounts, "lock_account", lock_for_a_moment)
        monkeypatch.setattr(AtEnd, "run", end_later)
        with pytest.raises((AssertionError, ExceptionGroup)):
            await race(one, two, CONTROL_ROUNDS)
