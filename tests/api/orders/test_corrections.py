"""Corrections of an order, reopening and refunds, by the services of the pages."""

import json
from typing import Any

import pytest

from tests.conftest import Cast
from tests.support.factories import (
    copies_of,
    made,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)
from tests.support.privacy import erase
from tests.support.subscribers import make_subscriber

PLACE = {"address1": "2 Oak Road", "city": "Ulm", "country": "DE"}


async def bought(cast: Cast) -> str:
    await make_issues(cast, 1, 3)
    return str((await make_subscription(cast, length=3, order_id="O-1"))["id"])


async def test_the_length_changes_the_copies_that_are_not_sent(acme: Cast) -> None:
    id = await bought(acme)
    shorter = made(await acme.post(f"/v1/subscriptions/{id}/terms/", {"length": 2}))
    assert (shorter["length"], shorter["issue_list"]) == (2, [1, 2])
    assert len(await copies_of(acme, id)) == 2
    moved = made(await acme.post(f"/v1/subscriptions/{id}/terms/", {"start_issue": 2}))
    assert moved["issue_list"] == [2, 3]
    digital = made(await acme.post(f"/v1/subscriptions/{id}/terms/", {"medium": "Digital"}))
    assert (digital["medium"], digital["issue_list"]) == ("Digital", [2, 3])
    assert made(await acme.post(f"/v1/subscriptions/{id}/terms/", {})) == digital


@pytest.mark.parametrize(
    "body, code",
    [
        ({"length": 1}, "already_sent"),
        ({"start_issue": 2}, "already_sent"),
        ({"length": 0}, "validation_error"),
        ({"medium": None}, "validation_error"),
        ({"length": None}, "validation_error"),
        ({"price": "1"}, "unknown_field"),
    ],
    ids=str,
)
async def test_what_was_sent_stays(acme: Cast, body: dict[str, Any], code: str) -> None:
    id = await bought(acme)
    [_, second, _] = await copies_of(acme, id)
    await acme.post(f"/v1/copies/{second['id']}/mark-sent/")
    before = (await acme.get(f"/v1/subscriptions/{id}/")).json()
    refused = await acme.post(f"/v1/subscriptions/{id}/terms/", body)
    assert (refused.status_code, refused.json()["code"]) == (400, code)
    assert (await acme.get(f"/v1/subscriptions/{id}/")).json() == before


async def test_a_membership_has_no_length(acme: Cast) -> None:
    member = await make_membership(acme)
    refused = await acme.post(f"/v1/subscriptions/{member['id']}/terms/", {"length": 3})
    assert refused.status_code == 400
    assert "membership" in refused.json()["message"]


async def test_a_cancelled_subscription_is_reopened_with_its_copies(acme: Cast) -> None:
    id = await bought(acme)
    before = (await acme.get(f"/v1/subscriptions/{id}/")).json()
    path = f"/v1/subscriptions/{id}/reopen/"
    refused = await acme.post(path)
    assert (refused.status_code, refused.json()["code"]) == (400, "not_cancelled")
    await acme.post(f"/v1/subscriptions/{id}/cancel/", {"mode": "cancel"})
    await make_issue(acme, 4)
    assert made(await acme.post(path)) == before
    assert {copy["status"] for copy in await copies_of(acme, id)} == {"Not sent"}


async def test_refunds_add_up_to_the_price(acme: Cast) -> None:
    id = await bought(acme)
    path = f"/v1/subscriptions/{id}/refunds/"
    assert made(await acme.get(path)) == {"items": []}
    body = {"order_id": "O-1", "amount": "10.50", "refund_date": "2026-01-20", "reason": "Late"}
    [first] = made(await acme.post(path, body))["items"]
    assert first == {**body, "currency": acme.currency}
    assert (await acme.get(f"/v1/subscriptions/{id}/")).json()["refunded"] == "10.50"
    refused = await acme.post(path, {"order_id": "O-1", "amount": "31.51"})
    assert (refused.status_code, refused.json()["code"]) == (400, "refund_too_high")
    rest = made(await acme.post(path, {"order_id": "O-1", "amount": "31.50"}))["items"]
    assert [each["amount"] for each in rest] == ["10.50", "31.50"]
    assert made(await acme.get(path))["items"] == rest


@pytest.mark.parametrize(
    "body, word",
    [
        ({"order_id": "O-2", "amount": "1"}, "`O-1`"),
        ({"order_id": "O-1", "amount": "0"}, "amount"),
        ({"order_id": "O-1", "amount": "1", "refund_date": "2026-01-14"}, "before its order"),
        ({"order_id": "O-1", "amount": "1", "refund_date": "2099-01-01"}, "future"),
        ({"order_id": "O-1"}, "amount"),
    ],
    ids=str,
)
async def test_a_refused_refund_says_why(acme: Cast, body: dict[str, Any], word: str) -> None:
    path = f"/v1/subscriptions/{await bought(acme)}/refunds/"
    refused = await acme.post(path, body)
    assert refused.status_code == 400
    assert word in refused.json()["message"]
    assert made(await acme.get(path)) == {"items": []}


async def test_an_unknown_subscription_is_not_found(acme: Cast) -> None:
    body = {"order_id": "O-1", "amount": "1"}
    for path, sent in [("terms", {"length": 2}), ("reopen", None), ("refunds", body)]:
        answer = await acme.post(f"/v1/subscriptions/NOSUCH/{path}/", sent)
        assert answer.status_code == 404
    assert (await acme.get("/v1/subscriptions/NOSUCH/refunds/")).status_code == 404


@pytest.mark.parametrize(
    "path, body",
    [
        ("/v1/subscriptions/{id}/terms/", {"length": 2}),
        ("/v1/subscriptions/{id}/reopen/", {}),
        ("/v1/subscriptions/{id}/move/", {"subscriber": "{other}"}),
        ("/v1/subscriptions/{id}/price/", {"order_id": "O-1", "price": "1.00"}),
        ("/v1/subscriptions/{id}/refunds/", {"order_id": "O-1", "amount": "1.00"}),
        ("/v1/address-changes/", {"subscriptions": ["{id}"], "first_issue": 3, **PLACE}),
    ],
)
async def test_nothing_of_an_erased_subscriber_changes(
    acme: Cast, path: str, body: dict[str, Any]
) -> None:
    id = await bought(acme)
    owner = (await acme.get(f"/v1/subscriptions/{id}/")).json()["subscriber"]["id"]
    other = await make_subscriber(acme, "other@x.test")
    await erase(acme, owner)
    before = (await acme.get(f"/v1/subscriptions/{id}/")).json()
    text = json.dumps(body).replace("{id}", id).replace("{other}", other)
    refused = await acme.post(path.format(id=id), json.loads(text))
    assert (refused.status_code, refused.json()["code"]) == (410, "erased")
    assert (await acme.get(f"/v1/subscriptions/{id}/")).json() == before
