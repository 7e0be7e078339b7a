"""Two workers in one process: each race, and its control without the protection."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from masthead.services.check.accounts import check
from masthead.settings import Settings
from tests.conftest import Cast, make_account, serving
from tests.races.support.races import RACES, UNIQUE, Race
from tests.support.protections import PROTECTIONS
from tests.support.rounds import rounds

pytestmark = pytest.mark.races

ROUNDS = rounds(4)
CONTROL_ROUNDS = 200  # in which a race without its protection fails; usually within ten


@asynccontextmanager
async def two_workers(url: str) -> AsyncIterator[tuple[Cast, Cast]]:
    """An account through either of two workers; each has its own connections."""
    settings = Settings(database_url=url)
    async with serving(settings) as (app, client), serving(settings) as (other, other_client):
        cast = await make_account(client, app.state.db, "Acme")
        yield cast, replace(cast, client=other_client, db=other.state.db)


async def run(race: Race, url: str, times: int, *, apart_from: tuple[str, ...] = ()) -> None:
    """Run a race repeatedly, and check that the data is consistent afterwards.

    apart_from: the ends of rules that may be broken.
    """
    async with two_workers(url) as (one, two):
        for number in range(1, times + 1):
            await race(one, two, 10 * number)
        found = [fault async for fault in check(one.db)]
        assert [each for each in found if not each.invariant.endswith(apart_from)] == []


@pytest.mark.parametrize("race", RACES)
async def test_the_data_is_correct_after_every_race(race: Race, scratch_url: str) -> None:
    await run(race, scratch_url, ROUNDS)


@pytest.mark.slow
@pytest.mark.parametrize("race", RACES)
async def test_without_its_protection_a_race_fails(
    race: Race, scratch_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for replacement in PROTECTIONS["locks"]:
        monkeypatch.setattr(*replacement)
    with pytest.raises(AssertionError):
        await run(race, scratch_url, CONTROL_ROUNDS)


@pytest.mark.parametrize("race", UNIQUE)
async def test_single_use_tokens_need_no_lock_on_the_account(
    race: Race, scratch_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for replacement in PROTECTIONS["account lock"]:
        monkeypatch.setattr(*replacement)
    # the lock puts those who take a number in order; whether two cross without it is chance
    await run(race, scratch_url, ROUNDS, apart_from=("rise with their ids",))
