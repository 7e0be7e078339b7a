"""`/v1/delivery-reports/`: what carriers report, one by one, and what becomes of it."""

from typing import Any

from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.returns import Sending

PATH = "/v1/delivery-reports/"
NEW = {"address1": "Neuer Weg 7", "city": "Wien", "postcode": "1010", "country": "AT"}


async def report(cast: Cast, *reports: dict[str, Any]) -> list[dict[str, Any]]:
    """Send reports; the results."""
    response = await cast.post(PATH, {"reports": list(reports)})
    assert response.status_code == 200, response.text
    assert response.json()["error"] is False
    items: list[dict[str, Any]] = response.json()["items"]
    return items


async def listed(cast: Cast, **filters: str) -> list[dict[str, Any]]:
    response = await cast.get(PATH, **filters)
    assert response.status_code == 200, response.text
    items: list[dict[str, Any]] = response.json()["items"]
    return items


async def test_shipped_copies_are_marked_once(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 3)
    keys = await sending.keys()
    line = (await sending.lines())[1]
    shipped = {"kind": "shipped", "date": "2026-05-01"}
    results = await report(
        acme,
        {"key": keys[0].lower(), **shipped},
        {"copy": line.copy_id, **shipped},
        {"key": keys[0], **shipped},
        {"key": "#K7M2Q4D9X#", **shipped},
    )
    assert [each["result"] for each in results] == ["marked", "marked", "unmatched", "unmatched"]
    assert results[2]["message"] == "The same copy is already in line 1."
    assert "wrong check digit" in results[3]["message"]
    assert await sending.copies() == [
        ("Sent", "2026-05-01"),
        ("Sent", "2026-05-01"),
        ("Not sent", None),
    ]
    (again,) = await report(acme, {"key": keys[0], "kind": "shipped", "date": "2026-05-09"})
    assert again["result"] == "already_sent"
    assert (await sending.copies())[0] == ("Sent", "2026-05-01")


async def test_an_undeliverable_address_is_on_hold_until_it_changes(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 1)
    (key,) = await sending.keys()
    problem = {"key": key, "kind": "undeliverable", "reason": "unbekannt", "date": "2026-05-01"}
    (result,) = await report(acme, problem)
    assert result["result"] == "recorded"
    (again,) = await report(acme, problem)
    assert again == {"result": "unchanged", "id": None, "message": None}
    (item,) = await listed(acme, status="open")
    assert item["id"] == result["id"]
    assert (item["kind"], item["key"], item["reason"]) == ("undeliverable", key, "unbekannt")
    assert item["old_address"]["city"] == "Berlin"
    assert item["new_address"] is None
    id = sending.subscriptions[0]["id"]
    await acme.patch(f"/v1/subscriptions/{id}/", {"address1": "Weg 99"})
    (item,) = await listed(acme, subscription=id)
    assert item["status"] == "corrected"
    assert item["resolved_at"] is not None


async def test_a_new_address_can_be_accepted(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 1)
    (key,) = await sending.keys()
    (result,) = await report(acme, {"key": key, "kind": "moved", **NEW})
    accepted = await acme.post(f"{PATH}{result['id']}/accept/")
    assert accepted.json()["status"] == "accepted", accepted.text
    id = sending.subscriptions[0]["id"]
    address = (await acme.get(f"/v1/subscriptions/{id}/")).json()["shipping_address"]
    assert (address["address1"], address["country"]) == ("Neuer Weg 7", "AT")
    refused = await acme.post(f"{PATH}{result['id']}/accept/")
    assert (refused.status_code, refused.json()["code"]) == (400, "not_open")


async def test_a_report_can_be_dismissed(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 1)
    (key,) = await sending.keys()
    (result,) = await report(acme, {"key": key, "kind": "undeliverable"})
    refused = await acme.post(f"{PATH}{result['id']}/accept/")
    assert (refused.status_code, refused.json()["code"]) == (400, "no_new_address")
    dismissed = await acme.post(f"{PATH}{result['id']}/dismiss/")
    assert dismissed.json()["status"] == "dismissed"
    assert await listed(acme, status="open") == []
    assert (await acme.post(f"{PATH}NOSUCH/dismiss/")).status_code == 404


@for_each(
    "body, message",
    [
        ({}, "`reports` is required"),
        ({"reports": []}, "`reports` has 0 elements; expected a list of 1 to 500 objects"),
        ({"reports": [3]}, "`reports[0]` is 3; expected an object"),
        ({"reports": 3}, "`reports` is 3; expected a list of 1 to 500 objects"),
        ({"reports": [{"kind": "lost"}]}, 'In `reports[0]`: `kind` is "lost"; expected one of'),
        ({"reports": [{"kind": "shipped"}]}, "In `reports[0]`: `key` and `copy` are both missing"),
        ({"reports": [{"kind": "shipped", "kye": "A"}]}, "In `reports[0]`: `kye` is not a field"),
        ({"reports": [{"kind": "moved", "key": "A"}]}, "In `reports[0]`: There is no new address"),
        ({"reports": [{"kind": "moved", "key": "A", "city": "B" * 256}]}, "has 256 characters"),
        ({"reports": [{"kind": "shipped", "copy": 1}] * 501}, "`reports` has 501 elements"),
    ],
)
async def test_a_malformed_request_is_refused_as_a_whole(
    acme: Cast, body: dict[str, Any], message: str
) -> None:
    response = await acme.post(PATH, body)
    assert response.status_code == 400
    assert message in response.json()["message"]


async def test_an_id_of_no_copy_is_said(acme: Cast) -> None:
    (result,) = await report(acme, {"copy": 1, "kind": "shipped"})
    assert result["message"] == "`1` is not the id of a copy of this account."


async def test_reports_of_other_accounts_do_not_exist(acme: Cast, rival: Cast) -> None:
    sending = await Sending.freeze(acme, 1)
    (key,) = await sending.keys()
    (result,) = await report(acme, {"key": key, "kind": "undeliverable"})
    assert (await rival.post(f"{PATH}{result['id']}/dismiss/")).status_code == 404
    copy = (await sending.lines())[0].copy_id
    results = await report(
        rival,
        {"key": key, "kind": "shipped"},
        {"copy": copy, "kind": "shipped"},
        {"copy": copy, "kind": "undeliverable"},
    )
    assert [each["result"] for each in results] == ["unmatched"] * 3
    assert await listed(rival) == []
    assert await sending.copies() == [("Not sent", None)]


async def test_dates_that_cannot_be_are_said(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 1)
    (key,) = await sending.keys()
    results = await report(
        acme,
        {"key": key, "kind": "shipped", "date": "2999-01-01"},
        {"key": key, "kind": "undeliverable", "date": "1999-12-31"},
    )
    assert "in the future" in results[0]["message"]
    assert "in the past" in results[1]["message"]


async def test_a_repeated_report_is_said(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 1)
    (key,) = await sending.keys()
    problem = {"key": key, "kind": "undeliverable"}
    results = await report(acme, problem, problem)
    assert [each["result"] for each in results] == ["recorded", "unmatched"]


async def test_a_report_of_an_old_address_is_only_recorded(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 1)
    (key,) = await sending.keys()
    path = f"/v1/subscriptions/{sending.subscriptions[0]['id']}/"
    await acme.patch(path, {"address1": "Weg 99"})
    (result,) = await report(acme, {"key": key, "kind": "undeliverable"})
    assert result["result"] == "outdated"
    assert await listed(acme, status="open") == []
