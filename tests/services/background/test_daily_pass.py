"""The daily pass: the changes that depend on the date, made once even if it is repeated."""

from typing import Any

import pytest

from tests.conftest import Cast
from tests.support.days import pass_on
from tests.support.factories import copies_of, make_issue, make_membership, make_subscription

PATH = "/v1/subscriptions/"
LAST_DAY, DAY_AFTER = "2099-12-31", "2100-01-01"


async def shown(cast: Cast, subscription_id: str) -> dict[str, Any]:
    """The subscription, as GET returns it."""
    answer: dict[str, Any] = (await cast.get(f"{PATH}{subscription_id}/")).json()
    return answer


async def renew(cast: Cast, renewed: str, **columns: str) -> dict[str, Any]:
    """Renew a membership for another period."""
    dates = {"period_start": "", "period_end": "", "interval_months": ""}
    return await make_membership(cast, renews=renewed, **{**dates, **columns})


async def test_a_membership_is_active_through_its_last_day(acme: Cast) -> None:
    member = await make_membership(acme, is_recurring="false")
    await pass_on(acme, LAST_DAY)
    assert await shown(acme, member["id"]) == member
    assert member["status"] == "Active"
    assert member["periods"][0]["is_complete"] is False


async def test_a_membership_that_does_not_recur_completes_on_the_day_after_its_end(
    acme: Cast,
) -> None:
    member = await make_membership(acme, is_recurring="false")
    await pass_on(acme, DAY_AFTER)
    after = await shown(acme, member["id"])
    assert after["status"] == "Complete"
    assert after["periods"][0]["is_complete"] is True
    assert after["next_charge_date"] is None


async def test_a_recurring_membership_is_past_due_on_the_day_after_its_end(acme: Cast) -> None:
    member = await make_membership(acme, is_recurring="true")
    assert member["next_charge_date"] == DAY_AFTER
    await pass_on(acme, DAY_AFTER)
    after = await shown(acme, member["id"])
    assert after["status"] == "Past due"
    assert after["periods"][0]["is_complete"] is True
    assert after["next_charge_date"] == DAY_AFTER


async def test_a_stopped_membership_completes_on_the_day_after_its_end(acme: Cast) -> None:
    member = await make_membership(acme, is_recurring="true")
    await acme.post(f"{PATH}{member['id']}/cancel/", {"mode": "stop_renewals"})
    await pass_on(acme, LAST_DAY)
    assert (await shown(acme, member["id"]))["status"] == "Active - Renewals stopped"
    await pass_on(acme, DAY_AFTER)
    assert (await shown(acme, member["id"]))["status"] == "Complete"


async def test_a_cancelled_membership_stays_cancelled(acme: Cast) -> None:
    member = await make_membership(acme, is_recurring="true")
    await acme.post(f"{PATH}{member['id']}/cancel/", {"mode": "cancel"})
    await pass_on(acme, DAY_AFTER)
    after = await shown(acme, member["id"])
    assert after["status"] == "Cancelled"
    assert after["periods"][0]["is_complete"] is True


async def test_a_membership_that_was_renewed_in_time_stays_active(acme: Cast) -> None:
    member = await make_membership(acme, order_id="2001", is_recurring="true")
    await renew(acme, "2001")
    await pass_on(acme, DAY_AFTER)
    after = await shown(acme, member["id"])
    assert after["status"] == "Active"
    assert [period["is_complete"] for period in after["periods"]] == [True, False]
    assert after["next_charge_date"] == "2101-01-01"


async def test_a_membership_in_a_gap_between_its_periods_is_not_past_due(acme: Cast) -> None:
    member = await make_membership(acme, order_id="2001", is_recurring="true")
    await renew(acme, "2001", period_start="2100-03-01", period_end="2100-12-31")
    await pass_on(acme, "2100-02-01")
    assert (await shown(acme, member["id"]))["status"] == "Active"


async def test_copies_of_an_ended_membership_are_still_sent(acme: Cast) -> None:
    await make_issue(acme, release_date_actual="2099-06-01")
    member = await make_membership(acme, is_recurring="false")
    await pass_on(acme, DAY_AFTER)
    (copy,) = await copies_of(acme, member["id"])
    assert copy["status"] == "Not sent"
    await acme.post(f"/v1/copies/{copy['id']}/mark-sent/", {})
    assert (await copies_of(acme, member["id"]))[0]["status"] == "Sent"
    assert (await shown(acme, member["id"]))["status"] == "Complete"


@pytest.mark.parametrize("is_recurring", [True, False])
async def test_the_daily_pass_does_not_change_issue_subscriptions(
    acme: Cast, is_recurring: bool
) -> None:
    await make_issue(acme)
    created = await make_subscription(acme, is_recurring=is_recurring)
    await pass_on(acme, DAY_AFTER)
    assert await shown(acme, created["id"]) == created


async def test_the_daily_pass_of_a_date_can_be_repeated(acme: Cast) -> None:
    member = await make_membership(acme, is_recurring="true")
    await pass_on(acme, DAY_AFTER)
    after = await shown(acme, member["id"])
    await pass_on(acme, DAY_AFTER)
    assert await shown(acme, member["id"]) == after


async def test_a_daily_pass_does_the_work_of_missed_days(acme: Cast) -> None:
    member = await make_membership(acme, is_recurring="false")
    await pass_on(acme, "2150-06-01")
    assert (await shown(acme, member["id"]))["status"] == "Complete"


async def test_an_account_never_moves_back_to_an_earlier_day(acme: Cast) -> None:
    member = await make_membership(acme, is_recurring="true")
    assert await pass_on(acme, DAY_AFTER) is True
    assert await pass_on(acme, LAST_DAY) is False
    assert (await shown(acme, member["id"]))["status"] == "Past due"


async def test_the_daily_pass_of_one_account_does_not_change_another(
    acme: Cast, rival: Cast
) -> None:
    theirs = await make_membership(rival, is_recurring="true")
    await pass_on(acme, DAY_AFTER)
    assert await shown(rival, theirs["id"]) == theirs


async def test_the_status_depends_on_the_date_of_the_last_daily_pass(acme: Cast) -> None:
    """A membership imported after a pass gets the status of that day."""
    await pass_on(acme, DAY_AFTER)
    ended = await make_membership(acme, is_recurring="true")
    assert ended["status"] == "Past due"
    assert ended["periods"][0]["is_complete"] is True
    running = await make_membership(
        acme, is_recurring="true", period_start="2100-01-01", period_end="2100-12-31"
    )
    assert running["status"] == "Active"


async def test_a_membership_that_ended_long_ago_is_imported_as_ended(acme: Cast) -> None:
    year = {"period_start": "2020-01-01", "period_end": "2020-12-31"}
    assert (await make_membership(acme, **year, is_recurring="true"))["status"] == "Past due"
    assert (await make_membership(acme, **year, is_recurring="false"))["status"] == "Complete"


async def test_a_subscriber_is_inactive_once_all_subscriptions_are_complete(acme: Cast) -> None:
    member = await make_membership(acme, is_recurring="false", email="ada@example.test")
    path = f"/v1/subscribers/{member['subscriber']['id']}/"
    assert (await acme.get(path)).json()["has_active_subscription"] is True
    await pass_on(acme, DAY_AFTER)
    assert (await acme.get(path)).json()["has_active_subscription"] is False


async def test_a_subscriber_with_a_past_due_subscription_is_active(acme: Cast) -> None:
    member = await make_membership(acme, is_recurring="true")
    await pass_on(acme, DAY_AFTER)
    subscriber = await acme.get(f"/v1/subscribers/{member['subscriber']['id']}/")
    assert subscriber.json()["has_active_subscription"] is True
