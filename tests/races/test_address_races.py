"""Two people who change an address at once: each race, and its control without the lock."""

import pytest

from tests.conftest import Cast
from tests.races.support.address_races import ADDRESS_RACES
from tests.races.support.races import Race
from tests.races.test_races import CONTROL_ROUNDS, repeat, run
from tests.support.protections import REFUSED_OR_BROKEN
from tests.support.rounds import rounds

pytestmark = pytest.mark.races

ROUNDS = rounds(4)


@pytest.mark.parametrize("race", ADDRESS_RACES)
async def test_an_address_has_one_outcome_after_every_race(
    race: Race, pair: tuple[Cast, Cast]
) -> None:
    await repeat(race, pair, ROUNDS)


@pytest.mark.slow
@pytest.mark.parametrize("race", ADDRESS_RACES)
async def test_without_the_lock_a_race_of_addresses_fails(race: Race, unlocked_url: str) -> None:
    with pytest.raises(REFUSED_OR_BROKEN):
        await run(race, unlocked_url, CONTROL_ROUNDS)
