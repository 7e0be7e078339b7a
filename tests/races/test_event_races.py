"""A program that follows the events sees each of them, while two workers write."""

import asyncio
import random
from collections.abc import Callable
from typing import Any

import pytest

from masthead.store import accounts
from masthead.store.engine.interface import Database, Transaction
from masthead.store.events import write
from tests.conftest import Cast
from tests.races.test_races import two_workers
from tests.support.factories import make_issue, make_subscription
from tests.support.rounds import rounds

pytestmark = pytest.mark.races

ROUNDS = rounds(4)
CONTROL_ROUNDS = 50  # in which a gap appears without the lock; usually in the first
CHANGES = 5  # of each writer in a round
PATH = "/v1/events/"


async def last_page(cast: Cast) -> dict[str, Any]:
    """The last events so far, of which a page has 200 at most."""
    page: dict[str, Any] = (await cast.get(PATH, limit=200)).json()
    while page["has_more"]:
        page = (await cast.get(PATH, limit=200, cursor=page["cursor"])).json()
    return page


async def follow_while_writing(one: Cast, two: Cast, made: list[dict[str, Any]], start: int) -> int:
    """Check that a reader gets the events without gaps; returns the number of the last one."""
    is_done = asyncio.Event()
    seen = [start]
    cursor = (await last_page(one))["cursor"]

    async def read() -> None:
        nonlocal cursor
        while True:
            was_done = is_done.is_set()
            page = (await two.get(PATH, cursor=cursor)).json()
            seen.extend(each["number"] for each in page["items"])
            assert seen == list(range(start, start + len(seen)))
            cursor = page["cursor"]
            await asyncio.sleep(0)  # on SQLite, a read does not wait, so writers need a turn
            if was_done and not page["has_more"]:
                return

    async def change(cast: Cast, id: str) -> None:
        for _ in range(CHANGES):
            body = {"city": f"City {random.random()}"}
            answer = await cast.patch(f"/v1/subscriptions/{id}/", body)
            assert answer.is_success, answer.text

    async def change_all() -> None:
        casts = (one, two, one, two)
        changes = (change(cast, each["id"]) for cast, each in zip(casts, made, strict=True))
        await asyncio.gather(*changes)
        is_done.set()

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(read())
        tasks.create_task(change_all())
    assert len(seen) == 1 + CHANGES * len(made)
    return seen[-1]


async def race(one: Cast, two: Cast, times: int) -> None:
    """Repeat the race in one account."""
    await make_issue(one)
    made = [await make_subscription(one) for _ in range(4)]
    last = int((await last_page(one))["items"][-1]["number"])
    for _ in range(times):
        last = await follow_while_writing(one, two, made, last)


async def test_events_become_visible_in_the_order_of_their_numbers(scratch_url: str) -> None:
    async with two_workers(scratch_url) as (one, two):
        await race(one, two, ROUNDS)


def reserve_at_once(db: Callable[[], Database]) -> Any:
    """Reserve numbers in a transaction of their own, and give others time to be faster."""
    real = write._reserve

    async def reserve(tx: Transaction, account_id: int, count: int) -> int:
        first: int = await db().write(lambda own: real(own, account_id, count))
        await asyncio.sleep(random.random() / 50)
        return first

    return reserve


@pytest.mark.slow
async def test_without_the_lock_a_reader_misses_events(
    backend: str, scratch_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if backend == "sqlite":
        pytest.skip("SQLite has one writer; its transactions end in the order in which they begin")
    async with two_workers(scratch_url) as (one, two):

        async def read(tx: Transaction, account_id: int) -> accounts.Account:
            return {each.id: each for each in await accounts.list_accounts(tx)}[account_id]

        monkeypatch.setattr(accounts, "lock_account", read)
        monkeypatch.setattr(write, "_reserve", reserve_at_once(lambda: one.db))
        with pytest.RaisesGroup(AssertionError, allow_unwrapped=True):
            await race(one, two, CONTROL_ROUNDS)
