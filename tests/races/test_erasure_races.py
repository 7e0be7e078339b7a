"""An erasure beside orders on another worker: the race, and its control without lock."""

import asyncio

import pytest

from masthead.model.errors import Unavailable
from tests.conftest import Cast
from tests.races.support.races import Race
from tests.races.test_races import CONTROL_ROUNDS, run
from tests.support.factories import make_issue, manual
from tests.support.privacy import erase
from tests.support.protections import PROTECTIONS
from tests.support.readers import make_reader, rows
from tests.support.rounds import rounds

pytestmark = pytest.mark.races


async def erase_against_orders(one: Cast, two: Cast, number: int) -> None:
    """An order at the same moment is erased too, or is that of a new subscriber."""
    await make_issue(one, number)
    email = f"zebedee{number}@example.test"
    id = await make_reader(one, email, start_issue=number, length=1)
    body = {"email": email, "start_issue": number, "length": 1, "address1": f"Weg {number}"}
    answers = await asyncio.gather(
        two.post("/v1/subscriptions/", manual(two, **body)),
        erase(one, id),
        two.post("/v1/subscriptions/", manual(two, **body)),
    )
    assert answers[0].status_code == 201, answers[0].text
    left = await rows(
        one,
        "SELECT id FROM subscription WHERE account_id = :account_id AND subscriber_id = :id"
        " AND address1 IS NOT NULL",
        id=id,
    )
    assert not left
    (erased,) = await rows(
        one, "SELECT email FROM subscriber WHERE account_id = :account_id AND id = :id", id=id
    )
    assert erased["email"] != email


RACES: list[Race] = [erase_against_orders]


@pytest.mark.parametrize("race", RACES)
async def test_an_order_beside_an_erasure_is_erased_or_new(race: Race, scratch_url: str) -> None:
    await run(race, scratch_url, rounds(4))


@pytest.mark.slow
@pytest.mark.parametrize("race", RACES)
async def test_without_the_lock_an_erased_subscriber_gets_an_address(
    race: Race, scratch_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for replacement in PROTECTIONS["locks"]:
        monkeypatch.setattr(*replacement)
    with pytest.raises((AssertionError, Unavailable)):  # SQLite's own lock may refuse to wait
        await run(race, scratch_url, CONTROL_ROUNDS)
