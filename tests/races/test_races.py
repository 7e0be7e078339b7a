"""Two workers in one process: each race, and its control without the protection."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from starlette.applications import Starlette

from masthead.settings import Settings
from tests.conftest import Cast, Client, make_account, serving
from tests.races.support.races import RACES, UNIQUE, Race
from tests.support.checks import faults
from tests.support.protections import PROTECTIONS, REFUSED_OR_BROKEN
from tests.support.rounds import rounds

pytestmark = pytest.mark.races

Worker = tuple[Starlette, Client]
Workers = tuple[Worker, Worker]

ROUNDS = rounds(4)
CONTROL_ROUNDS = 200  # in which a race without its protection fails; usually within ten


@asynccontextmanager
async def open_workers(url: str) -> AsyncIterator[Workers]:
    """Two workers; each has its own connections."""
    settings = Settings(database_url=url)
    async with serving(settings) as one, serving(settings) as two:
        yield one, two


async def account_on(workers: Workers) -> tuple[Cast, Cast]:
    """A new account through either of two workers."""
    (app, client), (other, other_client) = workers
    cast = await make_account(client, app.state.db, "Acme")
    return cast, replace(cast, client=other_client, db=other.state.db)


@asynccontextmanager
async def two_workers(url: str) -> AsyncIterator[tuple[Cast, Cast]]:
    """An account through either of two workers of its own."""
    async with open_workers(url) as workers:
        yield await account_on(workers)


async def repeat(
    race: Race, casts: tuple[Cast, Cast], times: int, *, apart_from: tuple[str, ...] = ()
) -> None:
    """Run a race repeatedly, and check that the data is consistent afterwards.

    apart_from: the ends of rules that may be broken.
    """
    one, two = casts
    for number in range(1, times + 1):
        await race(one, two, 10 * number)
    assert [each for each in await faults(one) if not each[0].endswith(apart_from)] == []
    assert await one.db.list_damaged() == []


async def run(race: Race, url: str, times: int) -> None:
    """The same with workers of its own: a control that fails leaves requests behind."""
    async with two_workers(url) as casts:
        await repeat(race, casts, times)


@pytest.mark.parametrize("race", RACES)
async def test_the_data_is_correct_after_every_race(race: Race, pair: tuple[Cast, Cast]) -> None:
    await repeat(race, pair, ROUNDS)


@pytest.mark.slow
@pytest.mark.parametrize("race", RACES)
async def test_without_its_protection_a_race_fails(race: Race, unlocked_url: str) -> None:
    with pytest.raises(REFUSED_OR_BROKEN):
        await run(race, unlocked_url, CONTROL_ROUNDS)


@pytest.mark.parametrize("race", UNIQUE)
async def test_single_use_tokens_need_no_lock_on_the_account(
    race: Race, pair: tuple[Cast, Cast], monkeypatch: pytest.MonkeyPatch
) -> None:
    for replacement in PROTECTIONS["account lock"]:
        monkeypatch.setattr(*replacement)
    # the lock puts those who take a number in order; whether two cross without it is chance
    await repeat(race, pair, ROUNDS, apart_from=("rise with their ids",))
