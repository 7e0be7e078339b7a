"""POST /v1/subscriptions/{id}/cancel/: both modes from every state, as a table."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.conftest import Cast
from tests.support.days import pass_on
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


async def issue_active(cast: Cast, *, recurring: bool) -> dict[str, Any]:
    """A subscription with four issues, of which two exist and the first is sent."""
    await make_issues(cast, 1, 2)
    created = await make_subscription(cast, is_recurring=recurring)
    first = (await copies_of(cast, created["id"]))[0]
    await cast.post(f"/v1/copies/{first['id']}/mark-sent/", {"date": "2026-03-01"})
    return await shown(cast, created["id"])


async def issue_stopped(cast: Cast, *, recurring: bool) -> dict[str, Any]:
    """An active subscription with its renewals stopped."""
    created = await issue_active(cast, recurring=True)
    return await cancelled(cast, created["id"], "stop_renewals")


async def issue_past_due(cast: Cast, *, recurring: bool) -> dict[str, Any]:
    """An unpaid subscription, as imported."""
    await make_issues(cast, 1, 2)
    return await import_row(
        cast, start_issue="1", length="4", is_recurring="true", status="Past due", sent_issues="1"
    )


async def issue_complete(cast: Cast, *, recurring: bool) -> dict[str, Any]:
    """A subscription with all copies sent; if it recurs, its renewals are stopped first."""
    await make_issue(cast, number=1)
    status = {"status": "Active - Renewals stopped"} if recurring else {}
    flag = "true" if recurring else "false"
    return await import_row(
        cast, start_issue="1", length="1", is_recurring=flag, sent_issues="1", **status
    )


async def issue_cancelled(cast: Cast, *, recurring: bool) -> dict[str, Any]:
    """An active subscription that is cancelled."""
    created = await issue_active(cast, recurring=recurring)
    return await cancelled(cast, created["id"], "cancel")


async def member_active(cast: Cast, *, recurring: bool) -> dict[str, Any]:
    """A paid membership with a copy."""
    await make_issue(cast, release_date_actual="2099-06-01")
    return await make_membership(cast, is_recurring=str(recurring).lower())


async def member_stopped(cast: Cast, *, recurring: bool) -> dict[str, Any]:
    """A paid membership that will not renew."""
    created = await member_active(cast, recurring=True)
    return await cancelled(cast, created["id"], "stop_renewals")


async def member_past_due(cast: Cast, *, recurring: bool) -> dict[str, Any]:
    """A recurring membership whose period has ended unpaid."""
    created = await member_active(cast, recurring=True)
    await pass_on(cast, "2100-01-01")
    return await shown(cast, created["id"])


async def member_unpaid(cast: Cast, *, recurring: bool) -> dict[str, Any]:
    """A membership imported as past due, although its period has not ended."""
    await make_issue(cast, release_date_actual="2099-06-01")
    return await make_membership(cast, is_recurring="true", status="Past due")


async def member_complete(cast: Cast, *, recurring: bool) -> dict[str, Any]:
    """A membership that has ended, with one copy still to be sent."""
    created = await member_active(cast, recurring=recurring)
    if recurring:
        await cancelled(cast, created["id"], "stop_renewals")
    await pass_on(cast, "2100-01-01")
    return await shown(cast, created["id"])


async def member_cancelled(cast: Cast, *, recurring: bool) -> dict[str, Any]:
    """A membership that is cancelled."""
    created = await member_active(cast, recurring=recurring)
    return await cancelled(cast, created["id"], "cancel")


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
    (member_unpaid, True, "Past due", STOPPED),
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
async def test_stop_renewals_works_or_is_refused_in_each_state(
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
