"""A repeated daily pass: changes of a wrong clock are reverted."""

from collections.abc import AsyncIterator
from datetime import date
from typing import Any

import pytest

from masthead.model.subscriptions.lifecycle import status_before_completion
from masthead.model.types.enums import SubscriptionStatus
from masthead.services.background.daily import RepeatedPass, redo_daily_pass
from masthead.services.check.accounts import check
from masthead.settings import Settings
from tests.conftest import BY, Cast, make_account, serving
from tests.support.audit import list_entries
from tests.support.days import pass_on
from tests.support.factories import make_issue, make_membership, make_subscription

PATH = "/v1/subscriptions/"
TODAY, WRONG = date(2099, 12, 1), "2101-01-05"


@pytest.fixture
async def acme(scratch_url: str) -> AsyncIterator[Cast]:
    """The only account of a database, so that a check is fast."""
    async with serving(Settings(database_url=scratch_url)) as (app, client):
        yield await make_account(client, app.state.db, "Acme")


async def shown(cast: Cast, id: str) -> dict[str, Any]:
    answer: dict[str, Any] = (await cast.get(f"{PATH}{id}/")).json()
    return answer


async def redo(cast: Cast, day: date = TODAY) -> RepeatedPass:
    return await redo_daily_pass(cast.db, cast.account_id, day, by=BY)


async def faults_of(cast: Cast) -> list[str]:
    return [each.invariant async for each in check(cast.db) if each.account == cast.subdomain]


@pytest.mark.parametrize(
    "is_recurring, stops, right, wrong",
    [
        (True, False, "Active", "Past due"),
        (False, False, "Active", "Complete"),
        (True, True, "Active - Renewals stopped", "Complete"),
    ],
)
async def test_a_membership_is_restored_to_its_state_before_the_wrong_day(
    acme: Cast, is_recurring: bool, stops: bool, right: str, wrong: str
) -> None:
    member = await make_membership(
        acme, is_recurring=str(is_recurring).lower(), email="ada@example.test"
    )
    if stops:
        await acme.post(f"{PATH}{member['id']}/cancel/", {"mode": "stop_renewals"})
    await pass_on(acme, TODAY.isoformat())
    before = await shown(acme, member["id"])
    path = f"/v1/subscribers/{member['subscriber']['id']}/"
    subscriber = (await acme.get(path)).json()
    await pass_on(acme, WRONG)
    assert (await shown(acme, member["id"]))["status"] == wrong
    assert await redo(acme) == RepeatedPass(date.fromisoformat(WRONG), 1)
    assert before["status"] == right
    assert await shown(acme, member["id"]) == before
    assert (await acme.get(path)).json() == subscriber
    assert await faults_of(acme) == []
    entries = await list_entries(acme.db, acme.account_id, "subscription", member["id"])
    assert (entries[-1]["action"], entries[-1]["before"], entries[-1]["after"]) == (
        "subscription.reopen",
        {"status": wrong},
        {"status": right},
    )


async def test_memberships_that_ended_by_the_right_day_stay_ended(acme: Cast) -> None:
    ended = {"period_start": "2020-01-01", "period_end": "2099-11-30"}
    over = await make_membership(acme, is_recurring="true", **ended)
    cancelled = await make_membership(acme, is_recurring="true")
    await acme.post(f"{PATH}{cancelled['id']}/cancel/", {"mode": "cancel"})
    await make_issue(acme)
    issues = await make_subscription(acme)
    await pass_on(acme, WRONG)
    assert (await redo(acme)).reopened == 0
    states = [(await shown(acme, each["id"]))["status"] for each in (over, cancelled, issues)]
    assert states == ["Past due", "Cancelled", "Active"]
    assert await faults_of(acme) == []


async def test_repeating_the_daily_pass_with_a_later_date_is_a_normal_daily_pass(
    acme: Cast,
) -> None:
    member = await make_membership(acme, is_recurring="true")
    assert (await redo(acme, date.fromisoformat(WRONG))).reopened == 0
    assert (await shown(acme, member["id"]))["status"] == "Past due"
    assert await faults_of(acme) == []


async def test_a_repeated_daily_pass_can_run_twice_and_the_next_one_continues_from_its_date(
    acme: Cast,
) -> None:
    member = await make_membership(acme, is_recurring="true")
    await pass_on(acme, WRONG)
    await redo(acme)
    assert await redo(acme) == RepeatedPass(TODAY, 0)
    assert await pass_on(acme, "2099-12-31")
    assert (await shown(acme, member["id"]))["status"] == "Active"
    assert await pass_on(acme, "2100-01-01")
    assert (await shown(acme, member["id"]))["status"] == "Past due"


async def test_a_membership_renewed_on_the_wrong_day_stays_active(acme: Cast) -> None:
    member = await make_membership(acme, order_id="3001", is_recurring="true")
    await pass_on(acme, WRONG)
    dates = {"period_start": "", "period_end": "", "interval_months": ""}
    await make_membership(acme, renews="3001", **dates)
    await redo(acme)
    after = await shown(acme, member["id"])
    assert after["status"] == "Active"
    assert [period["is_complete"] for period in after["periods"]] == [False, False]
    assert await faults_of(acme) == []


async def test_a_repeated_daily_pass_is_recorded(acme: Cast) -> None:
    await pass_on(acme, WRONG)
    await redo(acme)
    id = acme.account_id
    entry = (await list_entries(acme.db, id, "account", str(id)))[-1]
    assert (entry["action"], entry["before"], entry["after"]) == (
        "account.redo_daily_pass",
        {"daily_date": WRONG},
        {"daily_date": TODAY.isoformat()},
    )


async def test_other_accounts_are_unchanged(acme: Cast, rival: Cast) -> None:
    theirs = await make_membership(rival, is_recurring="true")
    await pass_on(rival, WRONG)
    await redo(acme)
    assert (await shown(rival, theirs["id"]))["status"] == "Past due"


@pytest.mark.parametrize("status", list(SubscriptionStatus))
@pytest.mark.parametrize("is_recurring", [True, False])
def test_only_changes_of_a_daily_pass_are_reverted(
    status: SubscriptionStatus, is_recurring: bool
) -> None:
    after = status_before_completion(status, is_recurring=is_recurring)
    if status is SubscriptionStatus.PAST_DUE:
        assert after is SubscriptionStatus.ACTIVE
    elif status is SubscriptionStatus.COMPLETE:
        assert after.startswith("Active")
        assert (after is SubscriptionStatus.RENEWALS_STOPPED) == is_recurring
    else:
        assert after is status
