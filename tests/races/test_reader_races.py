"""Two workers that correct and merge readers at once: each race, and its control without lock."""

import pytest

from tests.races.races import Race
from tests.races.reader_races import READER_RACES, merge_against_freeze
from tests.races.test_races import CONTROL_ROUNDS, run
from tests.support.protections import PROTECTIONS
from tests.support.rounds import rounds

pytestmark = pytest.mark.races

ROUNDS = rounds(4)


@pytest.mark.parametrize("race", READER_RACES)
async def test_each_record_has_one_reader_after_every_race(race: Race, scratch_url: str) -> None:
    await run(race, scratch_url, ROUNDS)


@pytest.mark.parametrize("race", READER_RACES)
async def test_without_the_lock_a_race_of_readers_fails(
    race: Race, scratch_url: str, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if backend == "postgres" and race is merge_against_freeze:
        pytest.skip("each statement of PostgreSQL sees one moment, which is enough for a freeze")
    for replacement in PROTECTIONS["locks"]:
        monkeypatch.setattr(*replacement)
    with pytest.raises(AssertionError):
        await run(race, scratch_url, CONTROL_ROUNDS)
