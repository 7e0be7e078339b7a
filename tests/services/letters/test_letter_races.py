"""Two people and the daily rule send the same letters at once: each subscriber gets one."""

import asyncio
from datetime import UTC, datetime

import pytest

from masthead.model.errors import Invalid
from masthead.model.letters.outcomes import LetterChannel
from masthead.model.renewals.lapsed import RenewalStage
from masthead.services.letters import printing, texts
from masthead.services.letters.rounds import Confirmed, Selection, send_round
from masthead.services.letters.write import WrittenBatch, write_automatic
from tests.conftest import BY, Cast
from tests.races.support.races import Race
from tests.races.test_races import CONTROL_ROUNDS, run
from tests.support.factories import make_issue
from tests.support.letters import ADDRESS, add_subscribers, emails_of, letters_of, write
from tests.support.own_service import SITE
from tests.support.protections import PROTECTIONS, REFUSED_OR_BROKEN
from tests.support.rounds import rounds

pytestmark = pytest.mark.races

ROUNDS = rounds(4)
SUBSCRIBERS = 5


async def begin(cast: Cast, number: int, **columns: str) -> None:
    """Make an issue current with which the subscriptions of new subscribers end."""
    await make_issue(cast, number, date_as_start_issue=datetime.now(UTC).date().isoformat())
    await add_subscribers(
        cast, SUBSCRIBERS, start_issue=str(number), length=1, prefix=f"r{number}x", **columns
    )


async def same_letters(one: Cast, two: Cast, number: int) -> None:
    """Three people and the rule send a stage: all letters are in one batch."""
    await begin(one, number)
    await texts.update_text(
        one.db,
        one.account_id,
        RenewalStage.LAST,
        subject="S",
        text="T {name}",
        is_automatic=True,
        by=BY,
    )
    before = len(await emails_of(one))
    rule = write_automatic(two.db, two.account_id, RenewalStage.LAST, site=SITE, by=BY)
    outcomes = await asyncio.gather(
        write(one), write(two), rule, write(one), return_exceptions=True
    )
    done = [each for each in outcomes if each is not None and not isinstance(each, Invalid)]
    assert len(done) == 1, outcomes
    assert not isinstance(done[0], BaseException), outcomes
    assert done[0].letters == SUBSCRIBERS
    assert len(await emails_of(one)) == before + SUBSCRIBERS


async def same_print(one: Cast, two: Cast, number: int) -> None:
    """Two people prepare and mark the same printed letters: they are printed once."""
    await begin(one, number, email="", **ADDRESS)
    before = len(await letters_of(one))
    outcomes = await asyncio.gather(
        *(write(cast, channel=LetterChannel.PRINT) for cast in (one, two, one, two)),
        return_exceptions=True,
    )
    done = [each for each in outcomes if not isinstance(each, Invalid)]
    assert len(done) == 1, outcomes
    assert not isinstance(done[0], BaseException), outcomes
    assert len(await letters_of(one)) == before + SUBSCRIBERS
    counts = await asyncio.gather(
        *(
            printing.mark_printed(cast.db, cast.account_id, done[0].id, by=BY)
            for cast in (one, two, one)
        )
    )
    assert sorted(counts) == [0, 0, SUBSCRIBERS]


async def same_round(one: Cast, two: Cast, number: int) -> None:
    """Two people confirm the same page: one sends it, and each subscriber gets one email."""
    await begin(one, number)
    before = len(await emails_of(one))
    ready = asyncio.Barrier(4)

    async def confirm(cast: Cast) -> list[WrittenBatch]:
        confirmed = Confirmed({LetterChannel.EMAIL: SUBSCRIBERS}, Selection())
        await ready.wait()
        return await send_round(
            cast.db, cast.account_id, RenewalStage.LAST, confirmed, site=SITE, by=BY
        )

    outcomes = await asyncio.gather(
        *(confirm(cast) for cast in (one, two, one, two)), return_exceptions=True
    )
    done = [each for each in outcomes if not isinstance(each, Invalid)]
    assert len(done) == 1, outcomes
    assert not isinstance(done[0], BaseException), outcomes
    assert len(await emails_of(one)) == before + SUBSCRIBERS


RACES: list[Race] = [same_letters, same_print, same_round]


@pytest.mark.parametrize("race", RACES)
async def test_each_subscriber_gets_one_letter_after_every_race(
    race: Race, scratch_url: str
) -> None:
    await run(race, scratch_url, ROUNDS)


@pytest.mark.parametrize("race", RACES)
async def test_without_the_lock_a_race_of_letters_fails(
    race: Race, scratch_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for replacement in PROTECTIONS["locks"]:
        monkeypatch.setattr(*replacement)
    with pytest.raises(REFUSED_OR_BROKEN):
        await run(race, scratch_url, CONTROL_ROUNDS)
