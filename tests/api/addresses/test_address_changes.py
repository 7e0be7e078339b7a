"""Addresses that programs change now, or plan, and cancel."""

from typing import Any

import pytest

from tests.conftest import Cast
from tests.support.factories import ABSENT, made, make_issue, make_issues, make_subscription
from tests.support.walk import walk

PATH = "/v1/address-changes/"
NEW = {"address1": "2 Oak Road", "city": "Ulm", "postcode": "89073", "country": "DE"}


async def subscribed(cast: Cast) -> str:
    await make_issues(cast, 1, 4)
    address = {"address1": "1 Mill Lane", "city": "Bonn", "postcode": "53111"}
    return str((await make_subscription(cast, **address))["id"])


async def shipping_of(cast: Cast, id: str) -> Any:
    return (await cast.get(f"/v1/subscriptions/{id}/")).json()["shipping_address"]


async def test_without_issues_the_address_changes_now(acme: Cast) -> None:
    id = await subscribed(acme)
    answer = made(await acme.post(PATH, {"subscriptions": [id], **NEW}))
    assert answer == {"changed": 1, "items": []}
    assert (await shipping_of(acme, id))["address1"] == "2 Oak Road"
    again = await acme.post(PATH, {"subscriptions": [id], **NEW})
    assert again.json()["code"] == "same_address"


async def test_an_address_is_planned_listed_and_cancelled(acme: Cast) -> None:
    id = await subscribed(acme)
    before = await shipping_of(acme, id)
    issues = {"first_issue": 3, "last_issue": 4}
    answer = made(await acme.post(PATH, {"subscriptions": [id], **issues, **NEW}))
    [planned] = answer["items"]
    assert answer["changed"] == 0
    assert (planned["status"], planned["first_issue"], planned["last_issue"]) == ("planned", 3, 4)
    assert {name: planned["address"][name] for name in NEW} == NEW
    assert await shipping_of(acme, id) == before
    assert await walk(acme, PATH) == [planned]
    assert await walk(acme, PATH, subscription=id) == [planned]
    assert await walk(acme, PATH, subscriber=planned["subscriber_id"]) == [planned]
    overlapping = await acme.post(
        PATH, {"subscriptions": [id], "first_issue": 4, "last_issue": 4, **NEW}
    )
    assert overlapping.json()["code"] == "address_change_overlaps"
    cancelled = made(await acme.post(f"{PATH}{planned['id']}/cancel/"))
    assert (cancelled["status"], cancelled["id"]) == ("cancelled", planned["id"])
    again = await acme.post(f"{PATH}{planned['id']}/cancel/")
    assert again.json()["code"] == "already_cancelled"


async def test_a_holiday_within_a_move_is_one_change_of_two(acme: Cast) -> None:
    id = await subscribed(acme)
    away = {**NEW, "address1": "3 Sea Road"}
    body = {"subscriptions": [id], "first_issue": 6, **NEW}
    [moved] = made(await acme.post(PATH, body))["items"]
    body = {"subscriptions": [id], "first_issue": 7, "last_issue": 8, **away}
    [holiday] = made(await acme.post(PATH, body))["items"]
    assert await walk(acme, PATH) == [holiday, moved]
    assert made(await acme.get(f"{PATH}{moved['id']}/")) == moved
    asked = (await acme.post(f"{PATH}{moved['id']}/cancel/")).json()
    assert (asked["code"], asked["field"]) == ("temporary_address_planned", "temporary_addresses")
    refused = await acme.post(f"{PATH}{moved['id']}/cancel/", {"temporary_addresses": "lose"})
    assert (refused.status_code, refused.json()["field"]) == (400, "temporary_addresses")
    choice = {"temporary_addresses": "cancel"}
    made(await acme.post(f"{PATH}{moved['id']}/cancel/", choice))
    assert [each["status"] for each in await walk(acme, PATH)] == ["cancelled", "cancelled"]


async def test_days_become_the_issues_that_come_out_then(acme: Cast) -> None:
    for number, day in ((1, "2035-01-01"), (2, "2035-02-01"), (3, "2035-03-01")):
        await make_issue(acme, number, release_date_actual=day)
    id = (await make_subscription(acme))["id"]
    days = {"first_day": "2035-01-15", "last_day": "2035-02-15"}
    [planned] = made(await acme.post(PATH, {"subscriptions": [id], **days, **NEW}))["items"]
    assert (planned["first_issue"], planned["last_issue"]) == (2, 2)


@pytest.mark.parametrize(
    "fields, word",
    [
        ({"subscriptions": []}, "subscriptions"),
        ({"subscriptions": [7]}, "subscriptions"),
        ({"first_issue": 4, "last_issue": 3}, "`last_issue` is 3, before `first_issue`"),
        ({"last_issue": 3}, "`first_issue` is missing"),
        ({"first_day": "2027-01-01", "first_issue": 3}, "not both"),
        ({"first_day": "2027-01-02", "last_day": "2027-01-01"}, "`last_day` is 2027-01-01"),
        ({"last_day": "2027-01-01"}, "`first_day` is missing"),
        ({"first_day": "2027-01-01"}, "too few issues have a release date"),
        ({"address1": ABSENT}, "address1"),
        ({"city": ABSENT, "postcode": ABSENT}, "`city` and `postcode` are both missing"),
        ({"country": "Germany"}, "country"),
        ({"last_name": "Bell"}, "`first_name` and `company` are both missing"),
    ],
    ids=str,
)
async def test_a_refused_change_says_why(acme: Cast, fields: dict[str, Any], word: str) -> None:
    id = await subscribed(acme)
    body = {"subscriptions": [id], **NEW, **fields}
    sent = {name: value for name, value in body.items() if value is not ABSENT}
    refused = await acme.post(PATH, sent)
    assert refused.status_code == 400, refused.text
    assert word in refused.json()["message"]
    assert await walk(acme, PATH) == []


async def test_unknown_records_are_not_found(acme: Cast, rival: Cast) -> None:
    other = await subscribed(rival)
    for id in ("NOSUCH", other):
        refused = await acme.post(PATH, {"subscriptions": [id], **NEW})
        assert (refused.status_code, refused.json()["code"]) == (400, "unknown_subscription")
    assert (await acme.post(f"{PATH}NOSUCH/cancel/")).status_code == 404
