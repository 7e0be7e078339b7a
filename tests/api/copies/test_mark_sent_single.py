"""POST /v1/copies/{copy_id}/mark-sent/: one copy, with or without a body."""

from typing import Any

import pytest

from tests.conftest import Cast, Client
from tests.support.cases import for_each
from tests.support.expect import BAD_DATES, refused
from tests.support.factories import copies_of, make_issue, make_subscription
from tests.support.keyed_requests import send

DAY = "2026-03-01"
NONE_MARKED = {"error": False, "updated_count": 0, "items": []}


def path_of(copy_id: object) -> str:
    """The address to mark a copy as sent."""
    return f"/v1/copies/{copy_id}/mark-sent/"


async def one_copy(cast: Cast) -> dict[str, Any]:
    """The only copy of a subscription."""
    await make_issue(cast)
    (copy,) = await copies_of(cast, (await make_subscription(cast, length=1))["id"])
    return copy


@pytest.fixture
async def copy(acme: Cast) -> dict[str, Any]:
    """The only copy of a subscription of Acme."""
    return await one_copy(acme)


async def now(cast: Cast, copy: dict[str, Any]) -> dict[str, Any]:
    """The copy, as the list shows it now."""
    (listed,) = await copies_of(cast, copy["subscription_id"])
    return listed


@pytest.mark.parametrize(
    "body, date_sent", [(None, None), ({}, None), ({"date": None}, None), ({"date": DAY}, DAY)]
)
async def test_a_copy_is_marked_with_or_without_a_body(
    acme: Cast, body: dict[str, object] | None, date_sent: str | None
) -> None:
    copy = await one_copy(acme)
    response = await acme.post(path_of(copy["id"]), body)
    assert response.status_code == 200
    sent = {**copy, "status": "Sent", "date_sent": date_sent}
    assert response.json() == {"error": False, "updated_count": 1, "items": [sent]}
    assert await now(acme, copy) == sent


@pytest.mark.parametrize(
    "body, date_sent",
    [(None, DAY), ({}, DAY), ({"date": None}, None), ({"date": "2026-04-02"}, "2026-04-02")],
)
async def test_a_sent_copy_keeps_its_date_unless_one_is_given(
    acme: Cast, body: dict[str, object] | None, date_sent: str | None
) -> None:
    copy = await one_copy(acme)
    await acme.post(path_of(copy["id"]), {"date": DAY})
    response = await acme.post(path_of(copy["id"]), body)
    assert response.json()["updated_count"] == 1
    assert response.json()["items"][0]["date_sent"] == date_sent
    assert (await now(acme, copy))["date_sent"] == date_sent


async def test_marking_the_last_copy_completes_the_subscription(acme: Cast) -> None:
    copy = await one_copy(acme)
    await acme.post(path_of(copy["id"]), {"date": DAY})
    shown = (await acme.get(f"/v1/subscriptions/{copy['subscription_id']}/")).json()
    assert shown["status"] == "Complete"


async def test_a_cancelled_copy_is_not_marked_as_sent(acme: Cast) -> None:
    copy = await one_copy(acme)
    cancel = f"/v1/subscriptions/{copy['subscription_id']}/cancel/"
    await acme.post(cancel, {"mode": "cancel"})
    response = await acme.post(path_of(copy["id"]), {"date": DAY})
    assert response.status_code == 200
    assert response.json() == NONE_MARKED
    assert (await now(acme, copy))["status"] == "Cancelled"


@for_each("copy_id", [0, 1, 2**53, 2**63, 10**30])
async def test_the_response_for_an_unknown_copy_is_a_200_without_items(
    acme: Cast, copy_id: int
) -> None:
    response = await acme.post(path_of(copy_id), {"date": DAY})
    assert response.status_code == 200
    assert response.json() == NONE_MARKED


async def test_a_copy_of_another_account_counts_as_unknown(acme: Cast, rival: Cast) -> None:
    theirs = await one_copy(rival)
    response = await acme.post(path_of(theirs["id"]), {"date": DAY})
    assert response.json() == NONE_MARKED
    assert await now(rival, theirs) == theirs


@for_each("copy_id", ["abc", "1.5", "1e3", "0x1", "١", "%20", "1_000", "-1", "-"])
async def test_a_copy_id_that_is_not_an_integer_is_refused(acme: Cast, copy_id: str) -> None:
    message = refused(await acme.post(path_of(copy_id), {"date": DAY}), "validation_error")
    assert "copy_id" in message


@for_each("day", BAD_DATES)
async def test_a_date_must_be_a_calendar_date_or_null(
    acme: Cast, copy: dict[str, Any], day: object
) -> None:
    response = await acme.post(path_of(copy["id"]), {"date": day})
    assert "date" in refused(response, "validation_error")
    assert await now(acme, copy) == copy


@for_each("field", ["ids", "status", "Date"])
async def test_the_error_for_an_unknown_field_names_it(
    acme: Cast, copy: dict[str, Any], field: str
) -> None:
    response = await acme.post(path_of(copy["id"]), {field: [copy["id"]]})
    assert field in refused(response, "unknown_field")
    assert await now(acme, copy) == copy


@for_each("body", [[], "2026-03-01", 7, False])
async def test_a_body_must_be_an_object(acme: Cast, copy: dict[str, Any], body: object) -> None:
    refused(await acme.post(path_of(copy["id"]), body), "invalid_json")
    assert await now(acme, copy) == copy


async def test_a_body_that_is_not_json_is_refused(client: Client, acme: Cast) -> None:
    copy = await one_copy(acme)
    response = await client.post(
        path_of(copy["id"]), key=acme.key, content="{", headers={"Content-Type": "application/json"}
    )
    refused(response, "invalid_json")
    assert await now(acme, copy) == copy


async def test_a_read_only_key_cannot_mark_a_copy(client: Client, acme: Cast) -> None:
    copy = await one_copy(acme)
    response = await client.post(path_of(copy["id"]), key=acme.read_only_key)
    refused(response, "read_only_key", status=403)
    assert await now(acme, copy) == copy


@for_each("id", [2**63 - 1, 2**63, 10**30])
async def test_no_copy_has_a_number_that_no_column_holds(acme: Cast, id: int) -> None:
    message = refused(await acme.get(f"/v1/copies/{id}/"), "not_found", status=404)
    assert f"`{id}`" in message
    answer = await send(acme, "POST", path_of(id), {}, None, **{"If-Match": "*"})
    refused(answer, "not_found", status=404)
    assert (await acme.post(path_of(id))).json()["updated_count"] == 0
