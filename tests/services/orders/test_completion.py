"""Periods and subscriptions become complete when everything that was bought has been sent."""

from typing import Any

from tests.conftest import Cast
from tests.support.factories import import_row, make_issue, make_issues, make_subscription

PATH = "/v1/subscriptions/"


async def get(cast: Cast, subscription_id: str) -> dict[str, Any]:
    """The subscription, as GET returns it."""
    shown: dict[str, Any] = (await cast.get(f"{PATH}{subscription_id}/")).json()
    return shown


async def send_all(cast: Cast, subscription_id: str) -> None:
    """Mark every copy that a subscription has as sent."""
    copies = (await cast.get("/v1/copies/", subscription=subscription_id)).json()["items"]
    ids = [copy["id"] for copy in copies]
    response = await cast.post("/v1/copies/mark-sent/", {"ids": ids, "date": "2026-03-01"})
    assert response.json()["updated_count"] == len(ids)


async def test_a_period_is_complete_when_its_issues_exist_and_are_sent(acme: Cast) -> None:
    await make_issue(acme, number=1)
    created = await make_subscription(acme, length=2, is_recurring=True)
    assert (await get(acme, created["id"]))["periods"][0]["is_complete"] is False
    await send_all(acme, created["id"])
    assert (await get(acme, created["id"]))["periods"][0]["is_complete"] is False
    await make_issue(acme, number=2)
    assert (await get(acme, created["id"]))["periods"][0]["is_complete"] is False
    await send_all(acme, created["id"])
    assert (await get(acme, created["id"]))["periods"][0]["is_complete"] is True


async def test_one_period_can_be_complete_while_the_next_is_not(acme: Cast) -> None:
    await make_issues(acme, 1, 3)
    created = await make_subscription(acme, order_id="1001", length=2)
    await send_all(acme, created["id"])
    await import_row(acme, order_id="1002", renews="1001", start_issue="", length="1")
    shown = await get(acme, created["id"])
    assert [period["is_complete"] for period in shown["periods"]] == [True, False]
    assert shown["status"] == "Active"


async def test_a_recurring_subscription_never_completes(acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(acme, length=1, is_recurring=True)
    await send_all(acme, created["id"])
    assert (await get(acme, created["id"]))["status"] == "Active"


async def test_a_subscription_that_does_not_recur_completes_when_its_last_copy_is_sent(
    acme: Cast,
) -> None:
    await make_issue(acme, number=1)
    created = await make_subscription(acme, length=2)
    await send_all(acme, created["id"])
    assert (await get(acme, created["id"]))["status"] == "Active"
    await make_issue(acme, number=2)
    assert (await get(acme, created["id"]))["status"] == "Active"
    await send_all(acme, created["id"])
    assert (await get(acme, created["id"]))["status"] == "Complete"


async def test_a_subscription_imported_with_all_copies_sent_is_complete(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    created = await import_row(
        acme, start_issue="1", length="2", sent_issues="1|2", sent_dates="2026-01-01|2026-02-01"
    )
    assert created["status"] == "Complete"
    assert created["periods"][0]["is_complete"] is True


async def test_a_subscription_imported_with_some_copies_sent_is_active(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    created = await import_row(acme, start_issue="1", length="2", sent_issues="1")
    assert created["status"] == "Active"
    assert created["periods"][0]["is_complete"] is False


async def test_a_complete_subscription_does_not_make_its_subscriber_active(acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(acme, length=1)
    path = f"/v1/subscribers/{created['subscriber']['id']}/"
    assert (await acme.get(path)).json()["has_active_subscription"] is True
    await send_all(acme, created["id"])
    assert (await acme.get(path)).json()["has_active_subscription"] is False


async def test_an_issue_outside_the_issue_list_keeps_a_subscription_complete(acme: Cast) -> None:
    await make_issue(acme, number=1)
    created = await make_subscription(acme, length=1)
    await send_all(acme, created["id"])
    await make_issue(acme, number=2)
    assert (await get(acme, created["id"]))["status"] == "Complete"


async def test_a_past_due_subscription_has_a_next_charge_like_an_active_one(acme: Cast) -> None:
    await make_issue(acme, number=1)
    await make_issue(acme, number=2, recurring_charge_date="2026-09-01")
    created = await import_row(
        acme, start_issue="1", length="1", is_recurring="true", status="Past due"
    )
    assert created["next_charge_date"] == "2026-09-01"
