"""PATCH /v1/issues/{id}/: the issue, and the effect of a date that is added later."""

from typing import Any

import pytest

from tests.conftest import Cast, Client
from tests.support.cases import for_each
from tests.support.days import pass_on
from tests.support.expect import BAD_DATES, refused
from tests.support.factories import (
    copies_of,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)

PATH = "/v1/issues/"
YEAR = {"interval_months": "12", "period_start": "2099-01-01", "period_end": "2099-12-31"}
TEXTS = ("release_date_fuzzy", "newsstand_ean")
DATES = ("release_date_actual", "date_as_start_issue", "recurring_charge_date")
FULL: dict[str, Any] = {**dict.fromkeys(TEXTS, "old"), **dict.fromkeys(DATES, "2026-01-01")}


async def patched(cast: Cast, issue_id: str, **changes: object) -> dict[str, Any]:
    """The issue in the response to a PATCH."""
    response = await cast.patch(f"{PATH}{issue_id}/", changes)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


async def subscription(cast: Cast, subscription_id: str) -> dict[str, Any]:
    """The subscription, as GET returns it."""
    answer: dict[str, Any] = (await cast.get(f"/v1/subscriptions/{subscription_id}/")).json()
    return answer


@pytest.fixture
async def created(acme: Cast) -> dict[str, Any]:
    """An issue of Acme with a value in every field."""
    return await make_issue(acme, **FULL)


@pytest.mark.parametrize("field", ["name", *TEXTS, *DATES])
async def test_a_patch_changes_only_the_fields_that_it_includes(acme: Cast, field: str) -> None:
    created = await make_issue(acme, name="Old", **FULL)
    value = "2027-02-03" if field in DATES else "new"
    answer = await patched(acme, created["id"], **{field: value})
    assert answer == {**created, field: value}
    assert (await acme.get(f"{PATH}{created['id']}/")).json() == answer


@pytest.mark.parametrize("field", [*TEXTS, *DATES])
async def test_null_removes_the_value(acme: Cast, field: str) -> None:
    created = await make_issue(acme, **FULL)
    assert await patched(acme, created["id"], **{field: None}) == {**created, field: None}


async def test_an_empty_patch_changes_nothing(acme: Cast) -> None:
    created = await make_issue(acme, **FULL)
    assert await patched(acme, created["id"]) == created


@for_each("name", [None, "", "   ", 7, "x" * 256])
async def test_a_name_must_be_a_string_that_is_not_empty(
    acme: Cast, created: dict[str, Any], name: object
) -> None:
    response = await acme.patch(f"{PATH}{created['id']}/", {"name": name})
    assert "name" in refused(response, "validation_error")
    assert (await acme.get(f"{PATH}{created['id']}/")).json() == created


async def test_texts_are_trimmed(acme: Cast) -> None:
    created = await make_issue(acme)
    answer = await patched(acme, created["id"], name="  Spring ", release_date_fuzzy=" May ")
    assert answer["name"] == "Spring"
    assert answer["release_date_fuzzy"] == "May"


@for_each("field", DATES)
@for_each("day", BAD_DATES)
async def test_a_date_must_be_a_calendar_date_or_null(
    acme: Cast, created: dict[str, Any], field: str, day: object
) -> None:
    response = await acme.patch(f"{PATH}{created['id']}/", {field: day})
    assert field in refused(response, "validation_error")
    assert (await acme.get(f"{PATH}{created['id']}/")).json() == created


@for_each("field", TEXTS)
@for_each("value", [7, True, [], "x" * 256])
async def test_a_text_field_must_be_a_string_or_null(
    acme: Cast, created: dict[str, Any], field: str, value: object
) -> None:
    response = await acme.patch(f"{PATH}{created['id']}/", {field: value})
    assert field in refused(response, "validation_error")


@for_each("field", ["number", "id", "Name"])
async def test_a_patch_of_a_read_only_field_is_refused_and_changes_nothing(
    acme: Cast, created: dict[str, Any], field: str
) -> None:
    response = await acme.patch(f"{PATH}{created['id']}/", {"name": "New", field: 9})
    assert field in refused(response, "unknown_field")
    assert (await acme.get(f"{PATH}{created['id']}/")).json() == created


async def test_all_references_to_the_issue_show_its_new_name(acme: Cast) -> None:
    issue = await make_issue(acme, name="Old")
    created = await make_subscription(acme)
    await patched(acme, issue["id"], name="New")
    reference = {"id": issue["id"], "number": 1, "name": "New"}
    assert (await subscription(acme, created["id"]))["start_issue"] == reference
    listed = (await acme.get("/v1/subscriptions/")).json()["items"]
    assert [each["start_issue"] for each in listed] == [reference]
    assert [copy["issue"] for copy in await copies_of(acme, created["id"])] == [reference]


async def test_a_new_changed_or_removed_charge_date_changes_the_next_charge(acme: Cast) -> None:
    await make_issue(acme, number=1)
    following = await make_issue(acme, number=2)
    created = await make_subscription(acme, length=1, is_recurring=True)
    for day in ("2026-09-01", "2026-10-01", None):
        await patched(acme, following["id"], recurring_charge_date=day)
        assert (await subscription(acme, created["id"]))["next_charge_date"] == day


async def test_a_charge_date_does_not_affect_subscriptions_that_do_not_renew(acme: Cast) -> None:
    await make_issue(acme, number=1)
    following = await make_issue(acme, number=2)
    once = await make_subscription(acme, length=1)
    stopped, cancelled = [
        await make_subscription(acme, length=1, is_recurring=True) for _ in range(2)
    ]
    await acme.post(f"/v1/subscriptions/{stopped['id']}/cancel/", {"mode": "stop_renewals"})
    await acme.post(f"/v1/subscriptions/{cancelled['id']}/cancel/", {"mode": "cancel"})
    await patched(acme, following["id"], recurring_charge_date="2026-09-01")
    for each in (once, stopped, cancelled):
        assert (await subscription(acme, each["id"]))["next_charge_date"] is None


async def test_a_release_date_added_later_gives_memberships_their_copies(acme: Cast) -> None:
    issue = await make_issue(acme, number=5)
    member = await make_membership(acme, **YEAR)
    assert member["issue_list"] == []
    await patched(acme, issue["id"], release_date_actual="2099-06-01")
    shown = await subscription(acme, member["id"])
    assert shown["issue_list"] == [5]
    assert shown["total_length"] == 1
    assert shown["periods"][0]["issue_list"] == [5]
    assert len(await copies_of(acme, member["id"])) == 1


async def test_the_same_release_date_again_creates_no_copies(acme: Cast) -> None:
    issue = await make_issue(acme, number=5, release_date_actual="2099-06-01")
    member = await make_membership(acme, **YEAR)
    for day in ("2099-06-01", "2099-06-02", "2099-06-01"):
        await patched(acme, issue["id"], release_date_actual=day)
    assert len(await copies_of(acme, member["id"])) == 1
    assert (await subscription(acme, member["id"]))["issue_list"] == [5]


@pytest.mark.parametrize("day", ["2098-06-01", None])
async def test_a_changed_release_date_removes_no_copies(acme: Cast, day: str | None) -> None:
    issue = await make_issue(acme, number=5, release_date_actual="2099-06-01")
    member = await make_membership(acme, **YEAR)
    copies = await copies_of(acme, member["id"])
    await patched(acme, issue["id"], release_date_actual=day)
    assert await copies_of(acme, member["id"]) == copies
    assert await subscription(acme, member["id"]) == member


async def test_a_release_date_added_later_counts_for_complete_memberships_too(acme: Cast) -> None:
    issue = await make_issue(acme, number=5)
    member = await make_membership(acme, **YEAR, is_recurring="false")
    await pass_on(acme, "2100-01-01")
    await patched(acme, issue["id"], release_date_actual="2099-06-01")
    shown = await subscription(acme, member["id"])
    assert shown["status"] == "Complete"
    assert shown["issue_list"] == [5]
    (copy,) = await copies_of(acme, member["id"])
    response = await acme.post(f"/v1/copies/{copy['id']}/mark-sent/", {"date": "2026-02-01"})
    assert response.json()["updated_count"] == 1


async def test_a_release_date_added_later_does_not_count_for_cancelled_memberships(
    acme: Cast,
) -> None:
    issue = await make_issue(acme, number=5)
    member = await make_membership(acme, **YEAR)
    await acme.post(f"/v1/subscriptions/{member['id']}/cancel/", {"mode": "cancel"})
    await patched(acme, issue["id"], release_date_actual="2099-06-01")
    assert await copies_of(acme, member["id"]) == []


async def test_other_dates_create_no_copies(acme: Cast) -> None:
    issue = await make_issue(acme, number=5)
    member = await make_membership(acme, **YEAR)
    await patched(
        acme,
        issue["id"],
        date_as_start_issue="2099-06-01",
        recurring_charge_date="2099-06-01",
        release_date_fuzzy="2099-06-01",
    )
    assert await subscription(acme, member["id"]) == member


@for_each("unknown", ["NOSUCH", "1", "a-b"])
async def test_an_unknown_id_is_not_found_after_the_body_is_checked(
    shared: Cast, unknown: str
) -> None:
    path = f"{PATH}{unknown}/"
    refused(await shared.patch(path, {"name": "New"}), "not_found", status=404)
    refused(await shared.patch(path, {"name": ""}), "validation_error")
    refused(await shared.patch(path, {"number": 2}), "unknown_field")


async def test_an_issue_of_another_account_is_not_found(acme: Cast, rival: Cast) -> None:
    theirs = await make_issue(rival)
    response = await acme.patch(f"{PATH}{theirs['id']}/", {"name": "Ours"})
    refused(response, "not_found", status=404)
    assert (await rival.get(f"{PATH}{theirs['id']}/")).json() == theirs


async def test_a_patch_does_not_change_other_issues(acme: Cast) -> None:
    first, second = await make_issues(acme, 1, 2)
    await patched(acme, first["id"], name="New")
    assert (await acme.get(f"{PATH}{second['id']}/")).json() == second


async def test_a_read_only_key_cannot_patch_an_issue(client: Client, acme: Cast) -> None:
    created = await make_issue(acme)
    path = f"{PATH}{created['id']}/"
    response = await client.patch(path, key=acme.read_only_key, json={"name": "New"})
    refused(response, "read_only_key", status=403)
    assert (await acme.get(path)).json() == created
