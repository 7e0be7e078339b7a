"""POST /v1/issues/: the issue, the copies it creates, and the memberships that get it."""

import asyncio
from typing import Any

import pytest

from tests.conftest import Cast, Client
from tests.support.cases import for_each
from tests.support.days import pass_on
from tests.support.expect import BAD_DATES, refused
from tests.support.factories import (
    copies_of,
    import_row,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)

PATH = "/v1/issues/"
YEAR = {"interval_months": "12", "period_start": "2099-01-01", "period_end": "2099-12-31"}
TEXTS = ("name", "release_date_fuzzy", "newsstand_ean")
DATES = ("release_date_actual", "date_as_start_issue", "recurring_charge_date")


async def subscription(cast: Cast, subscription_id: str) -> dict[str, Any]:
    """The subscription, as GET returns it."""
    answer: dict[str, Any] = (await cast.get(f"/v1/subscriptions/{subscription_id}/")).json()
    return answer


async def numbers_of(cast: Cast, subscription_id: str) -> list[int]:
    """The numbers of the issues that a subscription has copies of."""
    return sorted(copy["issue"]["number"] for copy in await copies_of(cast, subscription_id))


async def test_create_returns_201_and_the_issue_as_get_shows_it(acme: Cast) -> None:
    body = {"number": 4, "name": "Autumn", "release_date_actual": "2026-09-01"}
    response = await acme.post(PATH, body)
    assert response.status_code == 201
    created = response.json()
    assert {**created, **body} == created
    assert (await acme.get(f"{PATH}{created['id']}/")).json() == created


@pytest.mark.parametrize("field", [*TEXTS, *DATES])
async def test_every_field_is_stored(acme: Cast, field: str) -> None:
    value = "2026-09-01" if field in DATES else "some text"
    response = await acme.post(PATH, {"number": 1, field: value})
    assert response.json()[field] == value


@pytest.mark.parametrize("body", [{}, {"name": None}, {"name": ""}, {"name": "  "}])
async def test_the_name_defaults_to_the_number(acme: Cast, body: dict[str, object]) -> None:
    response = await acme.post(PATH, {"number": 7, **body})
    assert response.json()["name"] == "Issue 7"


@pytest.mark.parametrize("field", [*TEXTS, *DATES])
async def test_null_counts_as_absent(acme: Cast, field: str) -> None:
    plain = (await acme.post(PATH, {"number": 1})).json()
    nulled = (await acme.post(PATH, {"number": 2, field: None})).json()
    expected = {**plain, "id": nulled["id"], "number": 2, "name": "Issue 2"}
    assert nulled == expected


@pytest.mark.parametrize("field", ["release_date_fuzzy", "newsstand_ean"])
async def test_a_blank_text_counts_as_absent(acme: Cast, field: str) -> None:
    response = await acme.post(PATH, {"number": 1, field: "  "})
    assert response.json()[field] is None


async def test_texts_are_trimmed(acme: Cast) -> None:
    response = await acme.post(PATH, {"number": 1, "name": " Spring ", "newsstand_ean": " 12 "})
    assert response.json()["name"] == "Spring"
    assert response.json()["newsstand_ean"] == "12"


async def test_the_newsstand_ean_is_text_and_is_not_validated(acme: Cast) -> None:
    response = await acme.post(PATH, {"number": 1, "newsstand_ean": "no ean at all"})
    assert response.json()["newsstand_ean"] == "no ean at all"


@pytest.mark.parametrize("number", [1, 2147483647, 3.0])
async def test_a_number_from_1_to_2147483647_is_accepted(acme: Cast, number: float) -> None:
    response = await acme.post(PATH, {"number": number})
    assert response.status_code == 201
    assert response.json()["number"] == number
    assert type(response.json()["number"]) is int


@for_each("number", [0, -1, 2147483648, 1.5, "1", True, None, [], 10**30])
async def test_any_other_number_is_refused(acme: Cast, number: object) -> None:
    assert "number" in refused(await acme.post(PATH, {"number": number}), "validation_error")
    assert (await acme.get(PATH)).json()["items"] == []


async def test_the_number_is_required(acme: Cast) -> None:
    assert "number" in refused(await acme.post(PATH, {"name": "Spring"}), "validation_error")


async def test_a_number_must_be_unique_within_the_account(acme: Cast, rival: Cast) -> None:
    await make_issue(rival, number=1)
    taken = await make_issue(acme, number=1)
    response = await acme.post(PATH, {"number": 1, "name": "Again"})
    assert "1" in refused(response, "duplicate_issue_number", id=taken["id"])
    assert [issue["name"] for issue in (await acme.get(PATH)).json()["items"]] != ["Again"]


async def test_only_one_of_several_concurrent_requests_with_the_same_number_succeeds(
    acme: Cast,
) -> None:
    answers = await asyncio.gather(*(acme.post(PATH, {"number": 1}) for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [201, 400, 400, 400]


@for_each("field", DATES)
@for_each("day", BAD_DATES)
async def test_a_date_must_be_a_calendar_date(acme: Cast, field: str, day: object) -> None:
    response = await acme.post(PATH, {"number": 1, field: day})
    assert field in refused(response, "validation_error")
    assert (await acme.get(PATH)).json()["items"] == []


@pytest.mark.parametrize("field", TEXTS)
@pytest.mark.parametrize("text", ["x", "é" * 255])
async def test_a_text_has_at_most_255_characters(acme: Cast, field: str, text: str) -> None:
    assert (await acme.post(PATH, {"number": 1, field: text})).json()[field] == text


@for_each("field", TEXTS)
@for_each("value", ["é" * 256, 7, True, []])
async def test_any_other_text_is_refused(acme: Cast, field: str, value: object) -> None:
    response = await acme.post(PATH, {"number": 1, field: value})
    assert field in refused(response, "validation_error")
    assert (await acme.get(PATH)).json()["items"] == []


@for_each("field", ["id", "Number", "release_date"])
async def test_the_error_for_an_unknown_field_names_it(acme: Cast, field: str) -> None:
    assert field in refused(await acme.post(PATH, {"number": 1, field: "x"}), "unknown_field")
    assert (await acme.get(PATH)).json()["items"] == []


async def test_a_read_only_key_cannot_create_an_issue(client: Client, acme: Cast) -> None:
    response = await client.post(PATH, key=acme.read_only_key, json={"number": 1})
    refused(response, "read_only_key", status=403)
    assert (await acme.get(PATH)).json()["items"] == []


async def test_an_issue_creates_a_copy_for_every_subscription_that_includes_its_number(
    acme: Cast,
) -> None:
    await make_issues(acme, 1, 2)
    includes = await make_subscription(acme, start_issue=2, length=2, country="FR")
    begins = await make_subscription(acme, start_issue=1, length=3)
    ends_before = await make_subscription(acme, start_issue=1, length=2)
    issue = await make_issue(acme, number=3, name="Third")
    copies = (await acme.get(f"{PATH}{issue['id']}/copies/")).json()["items"]
    assert {copy["subscription_id"] for copy in copies} == {includes["id"], begins["id"]}
    copy = next(copy for copy in copies if copy["subscription_id"] == includes["id"])
    assert copy == {
        "id": copy["id"],
        "date_sent": None,
        "status": "Not sent",
        "country": "FR",
        "issue": {"id": issue["id"], "number": 3, "name": "Third"},
        "subscriber_id": includes["subscriber"]["id"],
        "subscription_id": includes["id"],
    }
    assert await numbers_of(acme, ends_before["id"]) == [1, 2]


async def test_an_issue_does_not_change_the_issue_list_of_an_issue_subscription(acme: Cast) -> None:
    await make_issue(acme, number=1)
    created = await make_subscription(acme, length=3)
    await make_issue(acme, number=2, release_date_actual="2026-01-20")
    assert await subscription(acme, created["id"]) == created


async def test_an_issue_may_fill_a_gap_in_the_numbers_later(acme: Cast) -> None:
    await make_issue(acme, number=1)
    await make_issue(acme, number=3)
    created = await make_subscription(acme, length=3)
    assert await numbers_of(acme, created["id"]) == [1, 3]
    await make_issue(acme, number=2)
    assert await numbers_of(acme, created["id"]) == [1, 2, 3]


async def test_an_issue_creates_a_copy_in_a_renewed_period_too(acme: Cast) -> None:
    await make_issue(acme, number=1)
    created = await make_subscription(acme, order_id="1001", length=1)
    await import_row(acme, order_id="1002", renews="1001", start_issue="", length="1")
    await make_issue(acme, number=2)
    assert await numbers_of(acme, created["id"]) == [1, 2]


async def test_an_issue_creates_copies_for_stopped_and_past_due_subscriptions(acme: Cast) -> None:
    await make_issue(acme, number=1)
    row = {"start_issue": "1", "length": "2", "is_recurring": "true"}
    stopped = await import_row(acme, **row, status="Active - Renewals stopped")
    past_due = await import_row(acme, **row, status="Past due")
    await make_issue(acme, number=2)
    assert await numbers_of(acme, stopped["id"]) == [1, 2]
    assert await numbers_of(acme, past_due["id"]) == [1, 2]


async def test_an_issue_creates_no_copy_in_another_account(acme: Cast, rival: Cast) -> None:
    await make_issue(rival, number=1)
    theirs = await make_subscription(rival, length=2)
    await make_issue(acme, number=2)
    assert await numbers_of(rival, theirs["id"]) == [1]


async def test_the_charge_date_of_an_issue_becomes_the_next_charge_of_earlier_subscriptions(
    acme: Cast,
) -> None:
    await make_issue(acme, number=1)
    created = await make_subscription(acme, length=2, is_recurring=True)
    assert created["next_charge_date"] is None
    await make_issue(acme, number=2, recurring_charge_date="2026-06-01")
    assert (await subscription(acme, created["id"]))["next_charge_date"] is None
    await make_issue(acme, number=3, recurring_charge_date="2026-09-01")
    assert (await subscription(acme, created["id"]))["next_charge_date"] == "2026-09-01"


@pytest.mark.parametrize("day", ["2099-01-01", "2099-06-15", "2099-12-31"])
async def test_a_membership_gets_an_issue_released_in_its_paid_period(acme: Cast, day: str) -> None:
    member = await make_membership(acme, **YEAR, country="FR")
    assert member["issue_list"] == []
    assert member["total_length"] == 0
    await make_issue(acme, number=8, release_date_actual=day)
    shown = await subscription(acme, member["id"])
    assert shown["issue_list"] == [8]
    assert shown["total_length"] == 1
    assert shown["periods"][0]["issue_list"] == [8]
    (copy,) = await copies_of(acme, member["id"])
    assert (copy["issue"]["number"], copy["status"], copy["country"]) == (8, "Not sent", "FR")


@pytest.mark.parametrize("day", ["2098-12-31", "2100-01-01", None])
async def test_a_membership_gets_no_issue_without_a_date_or_outside_its_periods(
    acme: Cast, day: str | None
) -> None:
    member = await make_membership(acme, **YEAR)
    await make_issue(acme, number=8, release_date_actual=day)
    assert await copies_of(acme, member["id"]) == []
    assert await subscription(acme, member["id"]) == member


async def test_only_the_actual_release_date_counts_for_memberships(acme: Cast) -> None:
    member = await make_membership(acme, **YEAR)
    await make_issue(
        acme,
        number=8,
        release_date_fuzzy="2099-06-01",
        date_as_start_issue="2099-06-01",
        recurring_charge_date="2099-06-01",
    )
    assert await copies_of(acme, member["id"]) == []


async def test_a_membership_gets_an_issue_in_the_period_of_its_release(acme: Cast) -> None:
    member = await make_membership(acme, **YEAR, order_id="2001")
    await make_membership(
        acme,
        order_id="2002",
        renews="2001",
        interval_months="12",
        period_start="2100-01-01",
        period_end="2100-12-31",
    )
    await make_issue(acme, number=2, release_date_actual="2100-03-01")
    await make_issue(acme, number=1, release_date_actual="2099-03-01")
    shown = await subscription(acme, member["id"])
    assert [period["issue_list"] for period in shown["periods"]] == [[1], [2]]
    assert shown["issue_list"] == [1, 2]
    assert shown["total_length"] == 2


async def test_a_complete_membership_gets_an_issue_and_stays_complete(acme: Cast) -> None:
    member = await make_membership(acme, **YEAR, is_recurring="false")
    await pass_on(acme, "2100-01-01")
    assert (await subscription(acme, member["id"]))["status"] == "Complete"
    await make_issue(acme, number=8, release_date_actual="2099-12-31")
    shown = await subscription(acme, member["id"])
    assert shown["status"] == "Complete"
    assert shown["issue_list"] == [8]
    assert shown["periods"][0]["is_complete"] is True
    (copy,) = await copies_of(acme, member["id"])
    assert copy["status"] == "Not sent"


async def test_a_past_due_membership_gets_the_issues_of_its_paid_periods(acme: Cast) -> None:
    member = await make_membership(acme, **YEAR, is_recurring="true")
    await pass_on(acme, "2100-01-01")
    await make_issue(acme, number=8, release_date_actual="2099-12-31")
    await make_issue(acme, number=9, release_date_actual="2100-01-01")
    assert await numbers_of(acme, member["id"]) == [8]


async def test_the_release_date_does_not_matter_for_issue_subscriptions(acme: Cast) -> None:
    await make_issue(acme, number=1)
    created = await make_subscription(acme, length=1)
    await make_issue(acme, number=8, release_date_actual="2099-06-01")
    assert await numbers_of(acme, created["id"]) == [1]
