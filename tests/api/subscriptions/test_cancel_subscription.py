"""POST /v1/subscriptions/{id}/cancel/: what each mode does, and what is refused."""

from typing import Any

import pytest

from tests.conftest import Cast, Client
from tests.support.cases import for_each
from tests.support.expect import refused
from tests.support.factories import (
    copies_of,
    import_row,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)

PATH = "/v1/subscriptions/"
STOPPED = "Active - Renewals stopped"


async def cancelled(cast: Cast, subscription_id: str, mode: str) -> dict[str, Any]:
    """The subscription in the response to a cancel."""
    response = await cast.post(f"{PATH}{subscription_id}/cancel/", {"mode": mode})
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


async def shown(cast: Cast, subscription_id: str) -> dict[str, Any]:
    """The subscription, as GET returns it."""
    answer: dict[str, Any] = (await cast.get(f"{PATH}{subscription_id}/")).json()
    return answer


async def test_stop_renewals_completes_a_subscription_whose_copies_are_all_sent(acme: Cast) -> None:
    await make_issue(acme)
    created = await import_row(
        acme, start_issue="1", length="1", is_recurring="true", sent_issues="1"
    )
    assert created["status"] == "Active"
    assert (await cancelled(acme, created["id"], "stop_renewals"))["status"] == "Complete"


async def test_stop_renewals_completes_a_past_due_subscription_whose_copies_are_all_sent(
    acme: Cast,
) -> None:
    await make_issue(acme)
    created = await import_row(
        acme, start_issue="1", length="1", is_recurring="true", status="Past due", sent_issues="1"
    )
    assert created["status"] == "Past due"
    assert (await cancelled(acme, created["id"], "stop_renewals"))["status"] == "Complete"


async def test_stop_renewals_does_not_complete_a_subscription_while_an_issue_is_missing(
    acme: Cast,
) -> None:
    await make_issue(acme)
    created = await import_row(
        acme, start_issue="1", length="2", is_recurring="true", sent_issues="1"
    )
    assert (await cancelled(acme, created["id"], "stop_renewals"))["status"] == STOPPED


async def test_after_stop_renewals_sending_the_last_copy_completes_the_subscription(
    acme: Cast,
) -> None:
    await make_issue(acme)
    created = await make_subscription(acme, length=1, is_recurring=True)
    await cancelled(acme, created["id"], "stop_renewals")
    (copy,) = await copies_of(acme, created["id"])
    await acme.post(f"/v1/copies/{copy['id']}/mark-sent/")
    assert (await shown(acme, created["id"]))["status"] == "Complete"


async def test_after_stop_renewals_missing_issues_still_get_their_copies(acme: Cast) -> None:
    await make_issue(acme, number=1)
    created = await make_subscription(acme, length=2, is_recurring=True)
    await cancelled(acme, created["id"], "stop_renewals")
    await make_issue(acme, number=2)
    numbers = [copy["issue"]["number"] for copy in await copies_of(acme, created["id"])]
    assert numbers == [1, 2]


async def test_stop_renewals_clears_the_next_charge_date(acme: Cast) -> None:
    await make_issue(acme, number=1)
    await make_issue(acme, number=2, recurring_charge_date="2026-09-01")
    created = await make_subscription(acme, length=1, is_recurring=True)
    assert created["next_charge_date"] == "2026-09-01"
    assert (await cancelled(acme, created["id"], "stop_renewals"))["next_charge_date"] is None


async def test_a_stopped_subscription_can_be_cancelled_but_a_cancelled_one_stays_cancelled(
    acme: Cast,
) -> None:
    await make_issue(acme)
    created = await make_subscription(acme, is_recurring=True)
    await cancelled(acme, created["id"], "stop_renewals")
    assert (await cancelled(acme, created["id"], "cancel"))["status"] == "Cancelled"
    assert (await cancelled(acme, created["id"], "stop_renewals"))["status"] == "Cancelled"


async def test_cancel_does_not_change_sent_copies(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    created = await make_subscription(acme)
    sent, _unsent = await copies_of(acme, created["id"])
    await acme.post(f"/v1/copies/{sent['id']}/mark-sent/", {"date": "2026-03-01"})
    await cancelled(acme, created["id"], "cancel")
    first, second = await copies_of(acme, created["id"])
    assert (first["status"], first["date_sent"]) == ("Sent", "2026-03-01")
    assert (second["status"], second["date_sent"]) == ("Cancelled", None)


async def test_cancel_does_not_change_other_subscriptions(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    created = await make_subscription(acme, email="ada@example.test")
    other = await make_subscription(acme, email="ada@example.test")
    copies = await copies_of(acme, other["id"])
    await cancelled(acme, created["id"], "cancel")
    assert await shown(acme, other["id"]) == other
    assert await copies_of(acme, other["id"]) == copies


async def test_a_cancelled_subscription_keeps_its_issue_list_and_gets_no_new_copies(
    acme: Cast,
) -> None:
    await make_issues(acme, 1, 2)
    created = await make_subscription(acme)
    answer = await cancelled(acme, created["id"], "cancel")
    assert answer["issue_list"] == [1, 2, 3, 4]
    await make_issue(acme, number=3)
    numbers = [copy["issue"]["number"] for copy in await copies_of(acme, created["id"])]
    assert numbers == [1, 2]


async def test_a_cancelled_membership_gets_no_new_copies(acme: Cast) -> None:
    await make_issue(acme, number=1, release_date_actual="2099-06-01")
    created = await make_membership(acme, is_recurring="true")
    await cancelled(acme, created["id"], "cancel")
    await make_issue(acme, number=2, release_date_actual="2099-07-01")
    assert len(await copies_of(acme, created["id"])) == 1
    assert (await shown(acme, created["id"]))["issue_list"] == [1]


async def test_a_cancelled_period_is_complete_once_its_issues_exist(acme: Cast) -> None:
    await make_issue(acme, number=1)
    created = await make_subscription(acme, length=2)
    answer = await cancelled(acme, created["id"], "cancel")
    assert answer["periods"][0]["is_complete"] is False
    await make_issue(acme, number=2)
    assert (await shown(acme, created["id"]))["periods"][0]["is_complete"] is True


async def test_after_a_cancel_the_subscriber_is_not_active(acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(acme)
    path = f"/v1/subscribers/{created['subscriber']['id']}/"
    assert (await acme.get(path)).json()["has_active_subscription"] is True
    await cancelled(acme, created["id"], "cancel")
    assert (await acme.get(path)).json()["has_active_subscription"] is False


@pytest.fixture
async def created(acme: Cast) -> dict[str, Any]:
    """A subscription of Acme."""
    await make_issue(acme)
    return await make_subscription(acme)


@for_each(
    "body", [{}, {"mode": None}, {"mode": ""}, {"mode": "pause"}, {"mode": "Cancel"}, {"mode": 1}]
)
async def test_mode_must_be_one_of_two_values(
    acme: Cast, created: dict[str, Any], body: dict[str, object]
) -> None:
    response = await acme.post(f"{PATH}{created['id']}/cancel/", body)
    assert "mode" in refused(response, "validation_error")
    assert await shown(acme, created["id"]) == created


async def test_a_missing_body_is_refused(client: Client, acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(acme)
    response = await client.post(f"{PATH}{created['id']}/cancel/", key=acme.key)
    assert response.status_code == 400
    assert response.json()["code"] in {"invalid_json", "validation_error"}
    assert await shown(acme, created["id"]) == created


async def test_an_unknown_field_is_refused(acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(acme)
    body = {"mode": "cancel", "reason": "moved"}
    response = await acme.post(f"{PATH}{created['id']}/cancel/", body)
    assert "reason" in refused(response, "unknown_field")
    assert await shown(acme, created["id"]) == created


async def test_an_unknown_id_is_not_found_after_the_body_is_checked(acme: Cast) -> None:
    path = f"{PATH}NOSUCH/cancel/"
    refused(await acme.post(path, {"mode": "cancel"}), "not_found", status=404)
    refused(await acme.post(path, {"mode": "stop_renewals"}), "not_found", status=404)
    refused(await acme.post(path, {"mode": "pause"}), "validation_error")


async def test_a_subscription_of_another_account_is_not_found(acme: Cast, rival: Cast) -> None:
    await make_issue(rival)
    theirs = await make_subscription(rival)
    response = await acme.post(f"{PATH}{theirs['id']}/cancel/", {"mode": "cancel"})
    refused(response, "not_found", status=404)
    assert await shown(rival, theirs["id"]) == theirs


async def test_a_read_only_key_cannot_cancel_a_subscription(client: Client, acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(acme)
    path = f"{PATH}{created['id']}/cancel/"
    response = await client.post(path, key=acme.read_only_key, json={"mode": "cancel"})
    refused(response, "read_only_key", status=403)
    assert await shown(acme, created["id"]) == created
