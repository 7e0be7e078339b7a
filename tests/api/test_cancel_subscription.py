"""POST /v1/subscriptions/{id}/cancel/: both modes, from every state."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.conftest import Cast, Client
from tests.days import pass_on
from tests.expect import refused
from tests.factories import (
    copies_of,
    import_row,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)

PATH = "/v1/subscriptions/"
FUTURE = {"interval_months": "12", "period_start": "2099-01-01", "period_end": "2099-12-31"}
PAST = {"interval_months": "12", "period_start": "2020-01-01", "period_end": "2020-12-31"}


async def cancelled(cast: Cast, subscription_id: str, mode: str) -> dict[str, Any]:
    """The subscription that a cancel answers."""
    response = await cast.post(f"{PATH}{subscription_id}/cancel/", {"mode": mode})
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


async def issue_active(cast: Cast, *, recurring: bool) -> dict[str, Any]:
    """Two issues of four, the first one sent."""
    await make_issues(cast, 1, 2)
    created = await make_subscription(cast, is_recurring=recurring)
    first = (await copies_of(cast, created["id"]))[0]
    await cast.post(f"/v1/copies/{first['id']}/mark-sent/", {"date": "2026-03-01"})
    return await shown(cast, created["id"])


async def issue_stopped(cast: Cast, *, recurring: bool) -> dict[str, Any]:
    """An active one with its renewals stopped."""
    created = await issue_active(cast, recurring=True)
    return await cancelled(cast, created["id"], "stop_renewals")


async def issue_past_due(cast: Cast, *, recurring: bool) -> dict[str, Any]:
    """An unpaid one, as imported."""
    await make_issues(cast, 1, 2)
    return await import_row(
        cast, start_issue="1", length="4", is_recurring="true", status="Past due", sent_issues="1"
    )


async def issue_complete(cast: Cast, *, recurring: bool) -> dict[str, Any]:
    """All sent; a recurring one has its renewals stopped first."""
    await make_issue(cast, number=1)
    status = {"status": "Active - Renewals stopped"} if recurring else {}
    flag = "true" if recurring else "false"
    return await import_row(
        cast, start_issue="1", length="1", is_recurring=flag, sent_issues="1", **status
    )


async def issue_cancelled(cast: Cast, *, recurring: bool) -> dict[str, Any]:
    """An active one, cancelled."""
    created = await issue_active(cast, recurring=recurring)
    return await cancelled(cast, created["id"], "cancel")


async def member_active(cast: Cast, *, recurring: bool) -> dict[str, Any]:
    """A paid membership with a copy granted."""
    await make_issue(cast, release_date_actual="2099-06-01")
    return await make_membership(cast, **FUTURE, is_recurring=str(recurring).lower())


async def member_stopped(cast: Cast, *, recurring: bool) -> dict[str, Any]:
    """A paid membership that will not renew."""
    created = await member_active(cast, recurring=True)
    return await cancelled(cast, created["id"], "stop_renewals")


async def member_past_due(cast: Cast, *, recurring: bool) -> dict[str, Any]:
    """A recurring membership whose period has ended unpaid."""
    created = await member_active(cast, recurring=True)
    await pass_on(cast, "2100-01-01")
    return await shown(cast, created["id"])


async def member_complete(cast: Cast, *, recurring: bool) -> dict[str, Any]:
    """A membership that has ended, with one copy still to be sent."""
    created = await member_active(cast, recurring=recurring)
    if recurring:
        await cancelled(cast, created["id"], "stop_renewals")
    await pass_on(cast, "2100-01-01")
    return await shown(cast, created["id"])


async def member_cancelled(cast: Cast, *, recurring: bool) -> dict[str, Any]:
    """A membership, cancelled."""
    created = await member_active(cast, recurring=recurring)
    return await cancelled(cast, created["id"], "cancel")


async def shown(cast: Cast, subscription_id: str) -> dict[str, Any]:
    """The subscription as GET shows it."""
    answer: dict[str, Any] = (await cast.get(f"{PATH}{subscription_id}/")).json()
    return answer


Maker = Callable[..., Awaitable[dict[str, Any]]]
STOPPED = "Active - Renewals stopped"
STATES: list[tuple[Maker, bool, str, str | None]] = [
    # maker, is_recurring, its status, its status after stop_renewals (None: refused)
    (issue_active, True, "Active", STOPPED),
    (issue_active, False, "Active", None),
    (issue_stopped, True, STOPPED, STOPPED),
    (issue_past_due, True, "Past due", STOPPED),
    (issue_complete, True, "Complete", "Complete"),
    (issue_complete, False, "Complete", None),
    (issue_cancelled, True, "Cancelled", "Cancelled"),
    (issue_cancelled, False, "Cancelled", None),
    (member_active, True, "Active", STOPPED),
    (member_active, False, "Active", None),
    (member_stopped, True, STOPPED, STOPPED),
    (member_past_due, True, "Past due", "Complete"),
    (member_complete, True, "Complete", "Complete"),
    (member_complete, False, "Complete", None),
    (member_cancelled, True, "Cancelled", "Cancelled"),
    (member_cancelled, False, "Cancelled", None),
]
every_state = pytest.mark.parametrize(
    "make, recurring, status, after_stop",
    STATES,
    ids=[f"{make.__name__}-{'recurring' if flag else 'once'}" for make, flag, _, _ in STATES],
)


@every_state
async def test_cancel_ends_a_subscription_in_any_state(
    acme: Cast, make: Maker, recurring: bool, status: str, after_stop: str | None
) -> None:
    before = await make(acme, recurring=recurring)
    assert before["status"] == status
    copies = await copies_of(acme, before["id"])
    answer = await cancelled(acme, before["id"], "cancel")
    assert answer["status"] == "Cancelled"
    assert answer["next_charge_date"] is None
    assert answer == await shown(acme, before["id"])
    changing = {"status", "next_charge_date", "periods"}
    for name in before.keys() - changing:
        assert answer[name] == before[name]
    assert await copies_of(acme, before["id"]) == [
        {**copy, "status": "Cancelled"} if copy["status"] == "Not sent" else copy for copy in copies
    ]


@every_state
async def test_cancel_can_be_repeated(
    acme: Cast, make: Maker, recurring: bool, status: str, after_stop: str | None
) -> None:
    before = await make(acme, recurring=recurring)
    first = await cancelled(acme, before["id"], "cancel")
    copies = await copies_of(acme, before["id"])
    assert await cancelled(acme, before["id"], "cancel") == first
    assert await copies_of(acme, before["id"]) == copies


@every_state
async def test_stop_renewals_from_every_state(
    acme: Cast, make: Maker, recurring: bool, status: str, after_stop: str | None
) -> None:
    before = await make(acme, recurring=recurring)
    copies = await copies_of(acme, before["id"])
    if after_stop is None:
        response = await acme.post(f"{PATH}{before['id']}/cancel/", {"mode": "stop_renewals"})
        assert "cancel" in refused(response, "not_recurring")
        assert await shown(acme, before["id"]) == before
    else:
        answer = await cancelled(acme, before["id"], "stop_renewals")
        assert answer == {**before, "status": after_stop, "next_charge_date": None}
        assert answer["is_recurring"] is True
        assert answer == await shown(acme, before["id"])
    assert await copies_of(acme, before["id"]) == copies


async def test_stop_renewals_completes_when_all_is_sent_already(acme: Cast) -> None:
    await make_issue(acme)
    created = await import_row(
        acme, start_issue="1", length="1", is_recurring="true", sent_issues="1"
    )
    assert created["status"] == "Active"
    assert (await cancelled(acme, created["id"], "stop_renewals"))["status"] == "Complete"


async def test_stop_renewals_does_not_complete_while_an_issue_is_missing(acme: Cast) -> None:
    await make_issue(acme)
    created = await import_row(
        acme, start_issue="1", length="2", is_recurring="true", sent_issues="1"
    )
    assert (await cancelled(acme, created["id"], "stop_renewals"))["status"] == STOPPED


async def test_after_stop_renewals_the_last_copy_sent_completes(acme: Cast) -> None:
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


async def test_a_stopped_one_can_still_be_cancelled_but_not_the_other_way(acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(acme, is_recurring=True)
    await cancelled(acme, created["id"], "stop_renewals")
    assert (await cancelled(acme, created["id"], "cancel"))["status"] == "Cancelled"
    assert (await cancelled(acme, created["id"], "stop_renewals"))["status"] == "Cancelled"


async def test_cancel_leaves_sent_copies_sent(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    created = await make_subscription(acme)
    sent, _unsent = await copies_of(acme, created["id"])
    await acme.post(f"/v1/copies/{sent['id']}/mark-sent/", {"date": "2026-03-01"})
    await cancelled(acme, created["id"], "cancel")
    first, second = await copies_of(acme, created["id"])
    assert (first["status"], first["date_sent"]) == ("Sent", "2026-03-01")
    assert (second["status"], second["date_sent"]) == ("Cancelled", None)


async def test_cancel_touches_no_other_subscription(acme: Cast) -> None:
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


async def test_a_cancelled_membership_is_granted_nothing_more(acme: Cast) -> None:
    created = await member_cancelled(acme, recurring=True)
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


async def test_a_cancel_ends_the_activity_of_the_subscriber(acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(acme)
    path = f"/v1/subscribers/{created['subscriber']['id']}/"
    assert (await acme.get(path)).json()["has_active_subscription"] is True
    await cancelled(acme, created["id"], "cancel")
    assert (await acme.get(path)).json()["has_active_subscription"] is False


@pytest.mark.parametrize(
    "body", [{}, {"mode": None}, {"mode": ""}, {"mode": "pause"}, {"mode": "Cancel"}, {"mode": 1}]
)
async def test_mode_is_one_of_two(acme: Cast, body: dict[str, object]) -> None:
    await make_issue(acme)
    created = await make_subscription(acme)
    response = await acme.post(f"{PATH}{created['id']}/cancel/", body)
    assert "mode" in refused(response, "validation_error")
    assert await shown(acme, created["id"]) == created


async def test_the_body_is_required(client: Client, acme: Cast) -> None:
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


async def test_a_read_only_key_cancels_nothing(client: Client, acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(acme)
    path = f"{PATH}{created['id']}/cancel/"
    response = await client.post(path, key=acme.read_only_key, json={"mode": "cancel"})
    refused(response, "read_only_key", status=403)
    assert await shown(acme, created["id"]) == created
