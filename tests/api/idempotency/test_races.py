"""Repetitions with an `Idempotency-Key` at once, on two workers, and the control without it."""

import asyncio

import httpx
import pytest

from tests.conftest import Cast
from tests.races.support.races import Race
from tests.races.test_races import CONTROL_ROUNDS, run
from tests.support.factories import make_issue, manual
from tests.support.keyed_requests import new_key, send
from tests.support.protections import PROTECTIONS
from tests.support.rounds import rounds
from tests.support.walk import walk

pytestmark = pytest.mark.races

ROUNDS = rounds(8)
SUBSCRIPTIONS = "/v1/subscriptions/"


async def until_answered(cast: Cast, body: object, key: str) -> httpx.Response:
    """Repeat a request while it is in progress, as a program does."""
    while True:
        answer = await send(cast, "POST", SUBSCRIPTIONS, body, key)
        if answer.status_code != 409:
            return answer
        assert answer.json()["code"] == "request_in_progress"
        await asyncio.sleep(0.01)  # less than Retry-After, so that more of them race


async def same_key(one: Cast, two: Cast, number: int) -> None:
    """Of repetitions at once one writes, and all get its answer."""
    await make_issue(one, number)
    body, key = manual(one, start_issue=number, order_id=f"RETRY-{number}"), new_key()
    answers = await asyncio.gather(
        *(until_answered(cast, body, key) for cast in (one, two, one, two))
    )
    assert {(each.status_code, each.content) for each in answers} == {(201, answers[0].content)}
    assert sum("Idempotent-Replayed" not in each.headers for each in answers) == 1
    assert len(await walk(one, SUBSCRIPTIONS, search=f"RETRY-{number}")) == 1


async def same_key_of_others(one: Cast, two: Cast, number: int) -> None:
    """Of two requests with one key, one is done and the other is refused."""
    await make_issue(one, number)
    key = new_key()
    answers = await asyncio.gather(
        *(
            until_answered(cast, manual(one, start_issue=number, first_name=name), key)
            for cast, name in ((one, "Ada"), (two, "Bob"))
        )
    )
    assert sorted(each.status_code for each in answers) == [201, 422]


@pytest.mark.parametrize("race", [same_key, same_key_of_others])
async def test_a_request_is_done_once(race: Race, scratch_url: str) -> None:
    await run(race, scratch_url, ROUNDS)


@pytest.mark.parametrize("race", [same_key, same_key_of_others])
async def test_without_the_stored_answer_it_is_done_twice(
    race: Race, scratch_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for replacement in PROTECTIONS["idempotency keys"]:
        monkeypatch.setattr(*replacement)
    with pytest.raises(AssertionError):
        await run(race, scratch_url, CONTROL_ROUNDS)
