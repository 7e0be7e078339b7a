"""Two people who enter orders at once, on two workers: each race, and its control without lock."""

import asyncio

import pytest

from masthead.services.maintenance.check import check
from tests.races.order_races import ORDER_RACES
from tests.races.races import Race
from tests.races.test_pages import two_people
from tests.races.test_races import CONTROL_ROUNDS, run
from tests.support.factories import make_issue
from tests.support.protections import PROTECTIONS
from tests.support.rounds import rounds
from tests.support.walk import walk
from tests.web.conftest import fields_of
from tests.web.orders.conftest import TYPED

pytestmark = pytest.mark.races

ROUNDS = rounds(4)


@pytest.mark.parametrize("race", ORDER_RACES)
async def test_an_order_and_a_reader_are_entered_once(race: Race, scratch_url: str) -> None:
    await run(race, scratch_url, ROUNDS)


@pytest.mark.parametrize("race", ORDER_RACES)
async def test_without_the_lock_a_race_of_orders_fails(
    race: Race, scratch_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for replacement in PROTECTIONS["locks"]:
        monkeypatch.setattr(*replacement)
    with pytest.raises(AssertionError):
        await run(race, scratch_url, CONTROL_ROUNDS)


async def enter_on_two_workers(url: str, times: int, *, is_keyed: bool) -> None:
    """Send the same form to two workers at once. is_keyed: with its idempotency key."""
    async with two_people(url) as (cast, *people):
        await make_issue(cast)
        for number in range(1, times + 1):
            address = people[0].address("subscriptions", "new")
            page = fields_of((await people[0].http.get(address)).text)
            typed = {**page, **TYPED, "email": f"a{number}@example.test", "postcode": str(number)}
            if not is_keyed:
                typed["idempotency_key"] = ""
            answers = await asyncio.gather(*(each.post(address, typed) for each in people))
            assert [each.status_code for each in answers] == [303, 303]
            assert len({each.headers["Location"] for each in answers}) == 1
            assert len(await walk(cast, "/v1/subscriptions/", search=page["order_id"])) == 1
        assert [fault async for fault in check(cast.db)] == []


async def test_the_same_form_on_two_workers_makes_one_order(scratch_url: str) -> None:
    await enter_on_two_workers(scratch_url, ROUNDS, is_keyed=True)


async def test_without_its_idempotency_key_the_second_form_is_refused(scratch_url: str) -> None:
    with pytest.raises(AssertionError):
        await enter_on_two_workers(scratch_url, 1, is_keyed=False)
