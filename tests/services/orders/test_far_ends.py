"""Extreme values: the highest issue number, and the last day of the calendar."""

import pytest

from tests.conftest import Cast
from tests.support.days import pass_on
from tests.support.factories import (
    copies_of,
    import_row,
    make_issue,
    make_membership,
    make_subscription,
)

LAST_NUMBER = 2147483647
LAST_DAY = "9999-12-31"


@pytest.mark.parametrize("length", [1, 1000])
async def test_a_subscription_can_start_with_the_highest_issue_number(
    acme: Cast, length: int
) -> None:
    await make_issue(acme, number=LAST_NUMBER)
    created = await make_subscription(
        acme, start_issue=LAST_NUMBER, length=length, is_recurring=True
    )
    assert created["issue_list"] == list(range(LAST_NUMBER, LAST_NUMBER + length))
    assert created["next_charge_date"] is None
    assert len(await copies_of(acme, created["id"])) == 1


async def test_a_renewal_can_go_beyond_the_highest_issue_number(acme: Cast) -> None:
    await make_issue(acme, number=LAST_NUMBER)
    await make_subscription(acme, order_id="1001", start_issue=LAST_NUMBER, length=1000)
    renewed = await import_row(acme, renews="1001", length="1000")
    assert renewed["total_length"] == 2000


async def test_no_issue_can_follow_the_highest_issue_number(acme: Cast) -> None:
    await make_issue(acme, number=LAST_NUMBER - 1)
    created = await make_subscription(acme, start_issue=LAST_NUMBER - 1, length=1)
    await make_issue(acme, number=LAST_NUMBER)
    shown = await acme.get(f"/v1/subscriptions/{created['id']}/")
    assert shown.json()["issue_list"] == [LAST_NUMBER - 1]


async def test_a_membership_can_last_to_the_last_day_and_is_not_charged_again(acme: Cast) -> None:
    member = await make_membership(acme, period_end=LAST_DAY, is_recurring="true")
    assert member["current_period_end"] == LAST_DAY
    assert member["next_charge_date"] is None
    await pass_on(acme, LAST_DAY)
    listed = await acme.get("/v1/subscriptions/")
    assert listed.json()["items"] == [member]


async def test_a_membership_gets_an_issue_released_on_the_last_day(acme: Cast) -> None:
    member = await make_membership(acme, period_end=LAST_DAY)
    await make_issue(acme, release_date_actual=LAST_DAY)
    assert len(await copies_of(acme, member["id"])) == 1
