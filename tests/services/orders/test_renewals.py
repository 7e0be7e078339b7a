"""Renewals through imports: another period, with its own order, date, price and refund."""

from typing import Any

import pytest

from tests.conftest import Cast
from tests.support.days import pass_on
from tests.support.factories import (
    copies_of,
    import_cells,
    import_row,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)
from tests.support.subscribers import require_sound, subscriber

PATH = "/v1/subscriptions/"
RENEWAL = {"order_id": "1002", "renews": "1001", "order_date": "2027-01-15", "price": "50"}


async def shown(cast: Cast, subscription_id: str) -> dict[str, Any]:
    """The subscription, as GET returns it."""
    answer: dict[str, Any] = (await cast.get(f"{PATH}{subscription_id}/")).json()
    return answer


async def refusal(cast: Cast, **columns: str) -> str:
    """The invalid column in a row that the importer refuses."""
    summary, rejects = await import_cells(cast, [columns])
    assert (summary.imported, summary.rejected) == (0, 1)
    (reject,) = rejects
    return reject.column


async def test_an_issue_renewal_starts_after_the_last_issue(acme: Cast) -> None:
    await make_issue(acme, number=3)
    created = await make_subscription(acme, order_id="1001", start_issue=3, length=2)
    renewed = await import_row(acme, **RENEWAL, length="3")
    assert renewed["id"] == created["id"]
    assert renewed["issue_list"] == [3, 4, 5, 6, 7]
    assert renewed["total_length"] == 5
    assert renewed["length"] == 3
    assert renewed["start_issue"] == created["start_issue"]
    assert [period["issue_list"] for period in renewed["periods"]] == [[3, 4], [5, 6, 7]]


async def test_a_renewal_creates_the_copies_of_existing_issues(acme: Cast) -> None:
    await make_issues(acme, 1, 3)
    created = await make_subscription(acme, order_id="1001", length=1)
    await import_row(acme, **RENEWAL, length="4")
    numbers = [copy["issue"]["number"] for copy in await copies_of(acme, created["id"])]
    assert numbers == [1, 2, 3]


async def test_each_period_has_the_order_date_price_and_refund_of_one_order(acme: Cast) -> None:
    await make_issue(acme)
    email = "ada@example.test"
    created = await make_subscription(acme, order_id="1001", email=email, price="42.00")
    renewed = await import_row(
        acme, **RENEWAL, length="2", refunded="5", discount_amount="1", currency="EUR"
    )
    assert (renewed["price"], renewed["refunded"]) == ("50.00", "5.00")
    assert renewed["discount_amount"] == "1.00"
    assert renewed["order_date"] == created["order_date"] == "2026-01-15"
    assert [period["order_date"] for period in renewed["periods"]] == ["2026-01-15", "2027-01-15"]
    subscriber = await acme.get(f"/v1/subscribers/{created['subscriber']['id']}/")
    assert subscriber.json()["ltv"] == "87.00"
    assert subscriber.json()["latest_order_date"] == "2027-01-15"
    assert subscriber.json()["subscription_count"] == 1


async def test_a_renewal_keeps_the_names_the_address_and_the_subscriber(acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(
        acme, order_id="1001", email="ada@example.test", city="London", country="GB"
    )
    renewed = await import_row(
        acme, **RENEWAL, length="1", email="bob@example.test", city="Paris", country="FR"
    )
    for name in ("first_name", "shipping_address", "subscriber", "source"):
        assert renewed[name] == created[name]


async def test_a_renewal_makes_a_complete_subscription_active(acme: Cast) -> None:
    await make_issue(acme)
    row = {"start_issue": "1", "length": "1", "sent_issues": "1"}
    created = await import_row(acme, **row, order_id="1001")
    assert created["status"] == "Complete"
    renewed = await import_row(acme, **RENEWAL, length="1")
    assert renewed["status"] == "Active"
    assert [period["is_complete"] for period in renewed["periods"]] == [True, False]


async def test_a_renewal_makes_a_past_due_subscription_active(acme: Cast) -> None:
    await make_issue(acme)
    row = {"start_issue": "1", "length": "1", "is_recurring": "true", "status": "Past due"}
    assert (await import_row(acme, **row, order_id="1001"))["status"] == "Past due"
    assert (await import_row(acme, **RENEWAL, length="1"))["status"] == "Active"


async def test_a_cancelled_subscription_cannot_be_renewed(acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(acme, order_id="1001")
    await acme.post(f"{PATH}{created['id']}/cancel/", {"mode": "cancel"})
    before = await shown(acme, created["id"])
    assert await refusal(acme, **RENEWAL, length="1") == "renews"
    assert await shown(acme, created["id"]) == before


async def test_a_renewal_that_arrives_as_cancelled_ends_the_whole_subscription(acme: Cast) -> None:
    await make_issues(acme, 1, 3)
    created = await make_subscription(acme, order_id="1001", length=2, email="ada@example.test")
    first, _ = await copies_of(acme, created["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [first["id"]]})
    renewed = await import_row(acme, **RENEWAL, length="1", status="Cancelled")
    assert (renewed["id"], renewed["status"]) == (created["id"], "Cancelled")
    statuses = [copy["status"] for copy in await copies_of(acme, created["id"])]
    assert statuses == ["Sent", "Cancelled", "Cancelled"]
    assert not (await subscriber(acme, created["subscriber"]["id"]))["has_active_subscription"]
    await require_sound(acme)


async def test_an_unknown_order_cannot_be_renewed(acme: Cast, rival: Cast) -> None:
    await make_issue(rival)
    await make_subscription(rival, order_id="1001")
    assert await refusal(acme, **RENEWAL, length="1") == "renews"
    assert (await acme.get(PATH)).json()["items"] == []


async def test_a_renewal_moves_the_next_charge_date(acme: Cast) -> None:
    await make_issue(acme, number=1)
    await make_issue(acme, number=2, recurring_charge_date="2026-06-01")
    await make_issue(acme, number=3, recurring_charge_date="2026-09-01")
    created = await make_subscription(acme, order_id="1001", length=1, is_recurring=True)
    assert created["next_charge_date"] == "2026-06-01"
    renewed = await import_row(acme, **RENEWAL, length="1")
    assert renewed["next_charge_date"] == "2026-09-01"


async def test_a_renewal_of_a_renewal_can_name_either_order(acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(acme, order_id="1001", length=1)
    await import_row(acme, **RENEWAL, length="1")
    third = {**RENEWAL, "order_id": "1003", "renews": "1002"}
    again = await import_row(acme, **third, length="1")
    assert again["id"] == created["id"]
    assert again["issue_list"] == [1, 2, 3]


async def test_a_membership_renewal_starts_the_day_after_the_last_period(acme: Cast) -> None:
    member = await make_membership(acme, order_id="1001", is_recurring="true")
    renewed = await import_row(acme, **RENEWAL)
    assert renewed["id"] == member["id"]
    assert renewed["interval_months"] == 12
    assert renewed["current_period_start"] == "2100-01-01"
    assert renewed["current_period_end"] == "2100-12-31"
    assert renewed["next_charge_date"] == "2101-01-01"
    windows = [(period["period_start"], period["period_end"]) for period in renewed["periods"]]
    assert windows == [("2099-01-01", "2099-12-31"), ("2100-01-01", "2100-12-31")]


async def test_a_membership_renewal_can_have_its_own_dates(acme: Cast) -> None:
    await make_membership(acme, order_id="1001")
    dates = {"period_start": "2100-03-01", "period_end": "2100-05-31", "interval_months": "3"}
    renewed = await import_row(acme, **RENEWAL, **dates)
    assert renewed["current_period_start"] == "2100-03-01"
    assert renewed["current_period_end"] == "2100-05-31"
    assert renewed["interval_months"] == 3


@pytest.mark.parametrize("start", ["2099-06-01", "2099-12-31", "2098-01-01"])
async def test_membership_periods_do_not_overlap(acme: Cast, start: str) -> None:
    member = await make_membership(acme, order_id="1001")
    dates = {"period_start": start, "period_end": "2100-12-31", "interval_months": "12"}
    assert await refusal(acme, **RENEWAL, **dates) == "period_start"
    assert await shown(acme, member["id"]) == member


async def test_a_membership_cannot_be_renewed_beyond_the_last_day_of_the_calendar(
    acme: Cast,
) -> None:
    await make_membership(acme, order_id="1001", period_end="9999-12-30")
    renewed = await import_row(acme, **RENEWAL, interval_months="1200")
    assert renewed["current_period_start"] == renewed["current_period_end"] == "9999-12-31"
    again = {**RENEWAL, "order_id": "1003", "renews": "1002"}
    assert await refusal(acme, **again) == "period_start"


async def test_a_membership_renewal_gets_the_issues_released_during_its_period(acme: Cast) -> None:
    await make_issue(acme, number=1, release_date_actual="2099-12-31")
    await make_issue(acme, number=2, release_date_actual="2100-01-01")
    await make_issue(acme, number=3, release_date_actual="2101-01-01")
    member = await make_membership(acme, order_id="1001")
    assert member["issue_list"] == [1]
    renewed = await import_row(acme, **RENEWAL)
    assert renewed["issue_list"] == [1, 2]
    assert renewed["total_length"] == 2
    assert [period["issue_list"] for period in renewed["periods"]] == [[1], [2]]


async def test_an_imported_membership_gets_the_issues_released_during_its_period(
    acme: Cast,
) -> None:
    await make_issue(acme, number=1, release_date_actual="2098-12-31")
    await make_issue(acme, number=2, release_date_actual="2099-01-01")
    await make_issue(acme, number=3)
    member = await make_membership(acme)
    assert member["issue_list"] == [2]
    assert [copy["issue"]["number"] for copy in await copies_of(acme, member["id"])] == [2]


async def test_a_renewal_makes_a_past_due_membership_active(acme: Cast) -> None:
    member = await make_membership(acme, order_id="1001", is_recurring="true")
    await pass_on(acme, "2100-02-01")
    assert (await shown(acme, member["id"]))["status"] == "Past due"
    assert (await import_row(acme, **RENEWAL))["status"] == "Active"


async def test_a_renewal_makes_a_complete_membership_active(acme: Cast) -> None:
    member = await make_membership(acme, order_id="1001", is_recurring="false")
    await pass_on(acme, "2100-02-01")
    assert (await shown(acme, member["id"]))["status"] == "Complete"
    renewed = await import_row(acme, **RENEWAL)
    assert renewed["status"] == "Active"
    assert [period["is_complete"] for period in renewed["periods"]] == [True, False]


async def test_a_renewal_that_has_already_ended_leaves_a_membership_past_due(acme: Cast) -> None:
    await make_membership(acme, order_id="1001", is_recurring="true")
    await pass_on(acme, "2102-02-01")
    renewed = await import_row(acme, **RENEWAL)
    assert renewed["current_period_end"] == "2100-12-31"
    assert renewed["status"] == "Past due"


async def test_a_membership_does_not_get_the_same_issue_twice(acme: Cast) -> None:
    issue = await make_issue(acme, number=1, release_date_actual="2098-06-01")
    member = await make_membership(
        acme, order_id="1001", period_start="2098-01-01", period_end="2098-12-31"
    )
    await acme.patch(f"/v1/issues/{issue['id']}/", {"release_date_actual": "2099-06-01"})
    await make_issue(acme, number=2, release_date_actual="2099-07-01")
    renewed = await import_row(acme, **RENEWAL, period_end="2099-12-31")
    assert renewed["id"] == member["id"]
    assert (renewed["issue_list"], renewed["total_length"]) == ([1, 2], 2)
    assert [period["issue_list"] for period in renewed["periods"]] == [[1], [2]]
