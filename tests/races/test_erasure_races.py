"""An erasure beside orders on another worker: the race, and its control without lock."""

import asyncio

import pytest

from masthead.store.privacy import erasures
from tests.conftest import Cast
from tests.races.support.races import Race
from tests.races.test_races import CONTROL_ROUNDS, repeat, run
from tests.support.factories import make_issue, manual
from tests.support.privacy import erase, find_traces
from tests.support.protections import REFUSED_OR_BROKEN
from tests.support.rounds import rounds
from tests.support.subscribers import make_subscriber, rows

pytestmark = pytest.mark.races


async def erase_against_orders(one: Cast, two: Cast, number: int) -> None:
    """An order at the same moment is erased too, or is that of a new subscriber."""
    await make_issue(one, number)
    email = f"zebedee{number}@example.test"
    id = await make_subscriber(one, email, start_issue=number, length=1)
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


async def erase_against_edits(one: Cast, two: Cast, number: int) -> None:
    """An edit at the same moment is erased too, or refused."""
    await make_issue(one, number)
    id = await make_subscriber(one, f"zoe{number}@example.test", start_issue=number, length=1)
    (own,) = await rows(
        one,
        "SELECT id FROM subscription WHERE account_id = :account_id AND subscriber_id = :id",
        id=id,
    )
    path, body = f"/v1/subscriptions/{own['id']}/", {"address1": f"Xylophonweg {number}"}
    before, _, after = await asyncio.gather(
        two.patch(path, body), erase(one, id), two.patch(path, {**body, "city": "Otherville"})
    )
    assert {before.status_code, after.status_code} <= {200, 410}
    await two.patch(path, body)  # of a form that was open all the time
    assert await find_traces(one, ["xylophon", "otherville"]) == []


RACES: list[Race] = [erase_against_orders, erase_against_edits]


@pytest.mark.parametrize("race", RACES)
async def test_an_order_beside_an_erasure_is_erased_or_new(
    race: Race, pair: tuple[Cast, Cast]
) -> None:
    await repeat(race, pair, rounds(4))


async def test_without_the_guard_an_erased_subscriber_gets_an_address(
    scratch_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def find_nobody(*_: object) -> list[str]:
        return []

    monkeypatch.setattr(erasures, "list_erased", find_nobody)
    with pytest.raises(AssertionError):
        await run(erase_against_edits, scratch_url, CONTROL_ROUNDS)


@pytest.mark.slow
@pytest.mark.parametrize("race", [erase_against_orders])
async def test_without_the_lock_an_erased_subscriber_gets_an_address(
    race: Race, unlocked_url: str
) -> None:
    with pytest.raises(REFUSED_OR_BROKEN):
        await run(race, unlocked_url, CONTROL_ROUNDS)
