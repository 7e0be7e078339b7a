"""Two workers at one copy: the same report twice, and a new address beside a PATCH."""

import asyncio
from typing import Any

import pytest

from tests.conftest import Cast
from tests.races.support.races import Race, at_once
from tests.races.test_races import CONTROL_ROUNDS, ROUNDS, repeat, run
from tests.support.factories import copies_of, make_issue, make_subscription
from tests.support.protections import REFUSED_OR_BROKEN
from tests.support.walk import walk

pytestmark = pytest.mark.races
PATH = "/v1/delivery-reports/"
NEW = {"address1": "Neuer Weg 7", "city": "Wien", "postcode": "1010", "country": "AT"}


async def send_twice(one: Cast, two: Cast, reports: list[dict[str, Any]]) -> list[str]:
    """Send the same reports through both workers; all results."""
    body = {"reports": reports}
    answers = await at_once(one.post(PATH, body), two.post(PATH, body))
    return sorted(item["result"] for answer in answers for item in answer["items"])


async def same_reports(one: Cast, two: Cast, number: int) -> None:
    """A shipped copy is marked once, and an undeliverable one is recorded once."""
    await make_issue(one, number)
    made = [await make_subscription(one, start_issue=number) for _ in range(2)]
    shipped, returned = [(await copies_of(one, each["id"]))[0]["id"] for each in made]
    results = await send_twice(
        one,
        two,
        [
            {"copy": shipped, "kind": "shipped", "date": "2026-05-01"},
            {"copy": returned, "kind": "undeliverable", "reason": "refused"},
        ],
    )
    assert results == ["already_sent", "marked", "recorded", "unchanged"]
    assert len(await walk(one, PATH, subscription=made[1]["id"])) == 1


async def accept_against_patch(one: Cast, two: Cast, number: int) -> None:
    """The address that the subscriber gives is kept, before and after the accepted one."""
    await make_issue(one, number)
    subscription = await make_subscription(one, start_issue=number, address1="Weg 1", city="Bonn")
    copy = (await copies_of(one, subscription["id"]))[0]
    reports = [{"copy": copy["id"], "kind": "moved", **NEW}]
    (result,) = (await at_once(one.post(PATH, {"reports": reports})))[0]["items"]
    path = f"/v1/subscriptions/{subscription['id']}/"
    own = {"address1": "Eigener Weg 1", "city": "Köln", "postcode": "50667", "country": "DE"}
    accepted, patched = await asyncio.gather(
        one.post(f"{PATH}{result['id']}/accept/"), two.patch(path, own)
    )
    assert patched.is_success, patched.text
    assert accepted.is_success or accepted.json()["code"] == "not_open", accepted.text
    address = (await one.get(path)).json()["shipping_address"]
    assert {name: address[name] for name in own} == own
    (report,) = await walk(one, PATH, subscription=subscription["id"])
    assert report["status"] == ("accepted" if accepted.is_success else "outdated")


@pytest.mark.parametrize("race", [same_reports, accept_against_patch])
async def test_the_data_is_correct_after_every_race(race: Race, pair: tuple[Cast, Cast]) -> None:
    await repeat(race, pair, ROUNDS)


@pytest.mark.slow
@pytest.mark.parametrize("race", [same_reports, accept_against_patch])
async def test_without_its_protection_a_race_fails(race: Race, unlocked_url: str) -> None:
    with pytest.raises(REFUSED_OR_BROKEN):
        await run(race, unlocked_url, CONTROL_ROUNDS)
