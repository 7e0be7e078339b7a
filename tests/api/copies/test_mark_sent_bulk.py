"""POST /v1/copies/mark-sent/: many copies at once; repeating it changes nothing."""

import asyncio
import json
from typing import Any

import pytest

from tests.conftest import Cast, Client
from tests.support.cases import for_each
from tests.support.expect import BAD_DATES, refused
from tests.support.factories import (
    copies_of,
    import_row,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)

PATH = "/v1/copies/mark-sent/"
DAY = "2026-03-01"


async def marked(cast: Cast, **body: object) -> list[dict[str, Any]]:
    """Check the shape of the response; return the copies that the request marked."""
    response = await cast.post(PATH, body)
    assert response.status_code == 200, response.text
    answer = response.json()
    assert set(answer) == {"error", "updated_count", "items"}
    assert answer["error"] is False
    items: list[dict[str, Any]] = answer["items"]
    assert type(answer["updated_count"]) is int
    assert answer["updated_count"] == len(items)
    return items


async def three_copies(cast: Cast) -> list[dict[str, Any]]:
    """The copies of one subscription to four issues, three of which exist."""
    await make_issues(cast, 1, 3)
    return await copies_of(cast, (await make_subscription(cast))["id"])


@pytest.fixture
async def copies(acme: Cast) -> list[dict[str, Any]]:
    """The copies of one subscription of Acme."""
    return await three_copies(acme)


def ids_of(copies: list[dict[str, Any]]) -> list[int]:
    """Their ids."""
    return [copy["id"] for copy in copies]


async def test_copies_are_marked_as_sent_on_the_given_date(acme: Cast) -> None:
    copies = await three_copies(acme)
    items = await marked(acme, ids=ids_of(copies[:2]), date=DAY)
    assert items == [{**copy, "status": "Sent", "date_sent": DAY} for copy in copies[:2]]
    assert await copies_of(acme, copies[0]["subscription_id"]) == [*items, copies[2]]


async def test_a_single_id_is_enough(acme: Cast) -> None:
    copies = await three_copies(acme)
    assert ids_of(await marked(acme, ids=[copies[1]["id"]])) == [copies[1]["id"]]


async def test_without_a_date_copies_are_marked_without_a_date(acme: Cast) -> None:
    copies = await three_copies(acme)
    (item,) = await marked(acme, ids=[copies[0]["id"]])
    assert (item["status"], item["date_sent"]) == ("Sent", None)


async def test_with_a_null_date_copies_are_marked_without_a_date(acme: Cast) -> None:
    copies = await three_copies(acme)
    (item,) = await marked(acme, ids=[copies[0]["id"]], date=None)
    assert (item["status"], item["date_sent"]) == ("Sent", None)


async def test_a_given_date_replaces_the_date_of_a_sent_copy(acme: Cast) -> None:
    copies = await three_copies(acme)
    for day in (DAY, "2026-04-02"):
        (item,) = await marked(acme, ids=[copies[0]["id"]], date=day)
        assert item["date_sent"] == day


async def test_null_removes_the_date_of_a_sent_copy(acme: Cast) -> None:
    copies = await three_copies(acme)
    await marked(acme, ids=[copies[0]["id"]], date=DAY)
    (item,) = await marked(acme, ids=[copies[0]["id"]], date=None)
    assert (item["status"], item["date_sent"]) == ("Sent", None)


async def test_without_a_date_a_sent_copy_keeps_its_date(acme: Cast) -> None:
    copies = await three_copies(acme)
    first = await marked(acme, ids=ids_of(copies), date=DAY)
    assert await marked(acme, ids=ids_of(copies)) == first


async def test_a_repeated_request_changes_nothing(acme: Cast) -> None:
    copies = await three_copies(acme)
    first = await marked(acme, ids=ids_of(copies), date=DAY)
    assert await marked(acme, ids=ids_of(copies), date=DAY) == first


async def test_items_are_sorted_by_id_without_duplicates(acme: Cast) -> None:
    ids = ids_of(await three_copies(acme))
    items = await marked(acme, ids=[ids[2], ids[0], ids[2], ids[1], ids[0]])
    assert ids_of(items) == ids


async def test_unknown_ids_are_skipped(acme: Cast) -> None:
    ids = ids_of(await three_copies(acme))
    unknown = [0, -1, 1, ids[-1] + 1000, 2**53, 2**63, -(2**63) - 1, 10**30]
    assert ids_of(await marked(acme, ids=[*unknown, ids[0]])) == [ids[0]]
    assert await marked(acme, ids=unknown) == []


async def test_whole_numbers_of_any_size_and_form_are_skipped(acme: Cast) -> None:
    for number in ("1e30", "-1E+30", "1e308", "1e400", "-1e400", "1.5e3", "9" * 5000):
        body = f'{{"ids": [{number}]}}'
        response = await acme.client.post(PATH, key=acme.key, content=body)
        assert (response.status_code, response.json()["updated_count"]) == (200, 0), number


async def test_an_id_may_be_written_as_a_float(acme: Cast) -> None:
    ids = ids_of(await three_copies(acme))
    assert ids_of(await marked(acme, ids=[float(ids[0])])) == [ids[0]]


async def test_copies_of_another_account_are_skipped(acme: Cast, rival: Cast) -> None:
    ours, theirs = await three_copies(acme), await three_copies(rival)
    items = await marked(acme, ids=[*ids_of(theirs), ours[0]["id"]], date=DAY)
    assert ids_of(items) == [ours[0]["id"]]
    assert await copies_of(rival, theirs[0]["subscription_id"]) == theirs


async def test_cancelled_copies_are_not_marked_as_sent(acme: Cast) -> None:
    copies = await three_copies(acme)
    await marked(acme, ids=[copies[0]["id"]], date=DAY)
    path = f"/v1/subscriptions/{copies[0]['subscription_id']}/cancel/"
    await acme.post(path, {"mode": "cancel"})
    items = await marked(acme, ids=ids_of(copies), date="2026-05-05")
    assert ids_of(items) == [copies[0]["id"]]
    statuses = [copy["status"] for copy in await copies_of(acme, copies[0]["subscription_id"])]
    assert statuses == ["Sent", "Cancelled", "Cancelled"]


async def test_copies_of_several_subscriptions_can_be_marked_together(acme: Cast) -> None:
    await make_issue(acme)
    made = [await make_subscription(acme, length=1) for _ in range(3)]
    ids = [copy["id"] for each in made for copy in await copies_of(acme, each["id"])]
    assert ids_of(await marked(acme, ids=ids, date=DAY)) == sorted(ids)
    for each in made:
        shown = (await acme.get(f"/v1/subscriptions/{each['id']}/")).json()
        assert shown["status"] == "Complete"
        assert shown["periods"][0]["is_complete"] is True


async def test_the_last_copy_completes_only_a_subscription_that_will_not_renew(acme: Cast) -> None:
    await make_issue(acme)
    row = {"start_issue": "1", "length": "1", "is_recurring": "true"}
    expected = {
        (await make_subscription(acme, length=1))["id"]: "Complete",
        (await make_subscription(acme, length=2))["id"]: "Active",
        (await import_row(acme, **row))["id"]: "Active",
        (await import_row(acme, **row, status="Past due"))["id"]: "Past due",
        (await import_row(acme, **row, status="Active - Renewals stopped"))["id"]: "Complete",
    }
    everything = (await acme.get("/v1/copies/")).json()["items"]
    await marked(acme, ids=ids_of(everything))
    listed = (await acme.get("/v1/subscriptions/")).json()["items"]
    assert {each["id"]: each["status"] for each in listed} == expected


async def test_marking_copies_does_not_complete_a_membership(acme: Cast) -> None:
    await make_issue(acme, release_date_actual="2099-06-01")
    member = await make_membership(acme, is_recurring="false")
    await marked(acme, ids=ids_of(await copies_of(acme, member["id"])))
    shown = (await acme.get(f"/v1/subscriptions/{member['id']}/")).json()
    assert shown["status"] == "Active"
    assert shown["periods"][0]["is_complete"] is False


async def test_overlapping_requests_in_opposite_order_both_succeed(acme: Cast) -> None:
    ids = ids_of(await three_copies(acme))
    answers = await asyncio.gather(
        *(marked(acme, ids=each, date=DAY) for each in (ids, ids[::-1], ids, ids[::-1]))
    )
    assert [ids_of(items) for items in answers] == [ids] * 4


@for_each("body", [{}, {"ids": []}, {"ids": None}, {"date": DAY}, {"ids": 7}, {"ids": {}}])
async def test_at_least_one_id_is_required(acme: Cast, body: dict[str, object]) -> None:
    assert "ids" in refused(await acme.post(PATH, body), "validation_error")


@for_each("bad", ["12", True, None, 12.5, [], {}])
async def test_an_id_that_is_not_a_whole_number_is_refused_and_nothing_is_marked(
    acme: Cast, copies: list[dict[str, Any]], bad: object
) -> None:
    response = await acme.post(PATH, {"ids": [copies[0]["id"], bad], "date": DAY})
    assert "ids" in refused(response, "validation_error")
    assert await copies_of(acme, copies[0]["subscription_id"]) == copies


async def test_at_most_10000_ids_are_accepted(acme: Cast) -> None:
    ids = ids_of(await three_copies(acme))
    many = [*range(9_997), *ids]
    assert len(many) == 10_000
    assert ids_of(await marked(acme, ids=many)) == ids
    assert "10000" in refused(
        await acme.post(PATH, {"ids": [*many, 0]}), "validation_error"
    ).replace(",", "")


@for_each("day", BAD_DATES)
async def test_a_date_must_be_a_calendar_date_or_null(
    acme: Cast, copies: list[dict[str, Any]], day: object
) -> None:
    response = await acme.post(PATH, {"ids": [copies[0]["id"]], "date": day})
    assert "date" in refused(response, "validation_error")
    assert await copies_of(acme, copies[0]["subscription_id"]) == copies


@for_each("field", ["status", "id", "Date", "date_sent"])
async def test_the_error_for_an_unknown_field_names_it(
    acme: Cast, copies: list[dict[str, Any]], field: str
) -> None:
    response = await acme.post(PATH, {"ids": ids_of(copies), field: DAY})
    assert field in refused(response, "unknown_field")
    assert await copies_of(acme, copies[0]["subscription_id"]) == copies


async def test_a_missing_body_is_refused(client: Client, acme: Cast) -> None:
    response = await client.post(PATH, key=acme.key)
    assert response.status_code == 400
    assert response.json()["code"] in {"invalid_json", "validation_error"}


async def test_a_read_only_key_cannot_mark_copies(client: Client, acme: Cast) -> None:
    copies = await three_copies(acme)
    response = await client.post(
        PATH,
        key=acme.read_only_key,
        content=json.dumps({"ids": ids_of(copies)}),
        headers={"Content-Type": "application/json"},
    )
    refused(response, "read_only_key", status=403)
    assert await copies_of(acme, copies[0]["subscription_id"]) == copies
