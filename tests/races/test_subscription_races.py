"""Two people change one subscription at once: each race, and its control without the locks."""

import pytest

from masthead.services.check.accounts import check
from tests.races.support.subscription_races import PAGE_RACES, PageRace
from tests.races.test_pages import two_people
from tests.races.test_races import CONTROL_ROUNDS, ROUNDS
from tests.support.protections import REFUSED_OR_BROKEN

pytestmark = pytest.mark.races


async def run(race: PageRace, url: str, times: int) -> None:
    """Run a race repeatedly, and check that the data is consistent afterwards."""
    async with two_people(url) as (cast, one, two):
        for number in range(1, times + 1):
            await race(cast, one, two, 10 * number)
        assert [fault async for fault in check(cast.db)] == []


@pytest.mark.parametrize("race", PAGE_RACES)
async def test_two_people_at_one_subscription_have_one_outcome_each(
    race: PageRace, scratch_url: str
) -> None:
    await run(race, scratch_url, ROUNDS)


@pytest.mark.slow
@pytest.mark.parametrize("race", PAGE_RACES)
async def test_without_the_locks_a_race_at_a_subscription_fails(
    race: PageRace, unlocked_url: str
) -> None:
    with pytest.raises(REFUSED_OR_BROKEN):
        await run(race, unlocked_url, CONTROL_ROUNDS)
