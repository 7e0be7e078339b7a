"""Addresses that are planned for days follow the release dates of issues."""

from datetime import timedelta
from typing import Any

import pytest

from masthead.model.inputs import IssueUpdate
from masthead.services.issues.numbers import delete_issue
from masthead.services.issues.records import update_issue
from tests.conftest import BY, Cast
from tests.services.addresses.test_splits import OWN, at, shown, stored, streets
from tests.services.test_accounts import trail
from tests.support.addresses import HOME, TODAY, move, move_for_days
from tests.support.checks import execute, faults
from tests.support.days import pass_on
from tests.support.factories import make_issue, make_subscription

FIRST = TODAY + timedelta(days=5)  # the release date of issue 1
MONTH = timedelta(days=30)


@pytest.fixture
async def dated(acme: Cast) -> list[dict[str, Any]]:
    """The issues 1 to 5, a month from each to the next; none is out."""
    return [
        await make_issue(acme, number, release_date_actual=str(FIRST + (number - 1) * MONTH))
        for number in range(1, 6)
    ]


@pytest.fixture
async def ada(acme: Cast, dated: list[dict[str, Any]]) -> dict[str, Any]:
    return await make_subscription(acme, start_issue=1, length=9, **HOME)


async def put_on(cast: Cast, issue: dict[str, Any], days: int) -> None:
    """Change the release date of an issue by some days."""
    day = FIRST + (issue["number"] - 1) * MONTH + timedelta(days=days)
    await update_issue(
        cast.db, cast.account_id, issue["id"], IssueUpdate(release_date_actual=day), by=BY
    )


async def test_a_move_begins_with_another_issue_if_the_first_one_comes_out_before_it(
    acme: Cast, ada: dict[str, Any], dated: list[dict[str, Any]]
) -> None:
    day = FIRST + MONTH - timedelta(days=5)
    await move_for_days(acme, ada, day, to=at("New 1"))
    assert await streets(acme, ada) == [OWN] + ["New 1"] * 8
    await put_on(acme, dated[1], -10)  # five days before the reader is there
    assert await streets(acme, ada) == [OWN] * 2 + ["New 1"] * 7
    await put_on(acme, dated[1], 0)
    assert await streets(acme, ada) == [OWN] + ["New 1"] * 8
    assert await faults(acme) == []


async def test_a_holiday_has_the_issues_of_its_days(
    acme: Cast, ada: dict[str, Any], dated: list[dict[str, Any]]
) -> None:
    week = timedelta(days=7)
    second = FIRST + MONTH
    await move_for_days(acme, ada, second - week, second + MONTH + week, to=at("Sea 1"))
    assert await stored(acme) == [(2, 3, "Sea 1")]
    await put_on(acme, dated[2], 10)
    assert await stored(acme) == [(2, 2, "Sea 1")]
    await put_on(acme, dated[1], -10)
    assert await stored(acme) == [(2, 1, "Sea 1")]  # no issue comes out in these days
    assert await streets(acme, ada) == [OWN] * 9
    assert await faults(acme) == []
    await put_on(acme, dated[1], 0)  # the date was wrong
    assert await stored(acme) == [(2, 2, "Sea 1")]
    assert await faults(acme) == []


async def test_a_holiday_without_issues_leaves_them_to_others_and_ends_with_its_days(
    acme: Cast, ada: dict[str, Any], dated: list[dict[str, Any]]
) -> None:
    week, second = timedelta(days=7), FIRST + MONTH
    await move_for_days(acme, ada, second - week, second + week, to=at("Sea 1"))
    await put_on(acme, dated[1], 10)
    await move(acme, ada, first=1, last=3, to=at("Inn 1"))
    assert await stored(acme) == [(1, 3, "Inn 1"), (2, 1, "Sea 1")]
    await put_on(acme, dated[1], 0)
    assert await stored(acme) == [(1, 3, "Inn 1"), (2, 1, "Sea 1")]  # Inn 1 was planned later
    await pass_on(acme, str(second - week))
    assert await stored(acme) == [(1, 3, "Inn 1"), (2, 1, "Sea 1")]
    await pass_on(acme, str(second + 2 * week))
    assert (2, 1, "Sea 1") not in await stored(acme)
    assert await faults(acme) == []


async def test_a_holiday_stays_while_the_next_issue_is_only_expected(
    acme: Cast, ada: dict[str, Any], dated: list[dict[str, Any]]
) -> None:
    sixth, week = FIRST + 5 * MONTH, timedelta(days=7)  # issue 6 does not exist yet
    await move_for_days(acme, ada, sixth - week, sixth + week, to=at("Sea 1"))
    assert await stored(acme) == [(6, 6, "Sea 1")]
    await put_on(acme, dated[4], 10)  # so that issue 6 is expected after the holiday
    assert await stored(acme) == [(6, 6, "Sea 1")]
    await make_issue(acme, 6, release_date_actual=str(sixth))
    assert await stored(acme) == [(6, 6, "Sea 1")]


async def test_a_move_with_a_holiday_within_it_stays_divided(
    acme: Cast, ada: dict[str, Any], dated: list[dict[str, Any]]
) -> None:
    week = timedelta(days=7)
    await move_for_days(acme, ada, FIRST + MONTH - week, to=at("New 1"))
    third = FIRST + 2 * MONTH
    await move_for_days(acme, ada, third - week, third + week, to=at("Sea 1"))
    assert await streets(acme, ada) == [OWN, "New 1", "Sea 1"] + ["New 1"] * 6
    await put_on(acme, dated[1], -10)
    assert await streets(acme, ada) == [OWN, OWN, "Sea 1"] + ["New 1"] * 6
    assert await shown(acme, ada) == [(3, 3, "Sea 1"), (3, None, "New 1")]
    await put_on(acme, dated[2], 10)
    assert await streets(acme, ada) == [OWN, OWN] + ["New 1"] * 7
    assert (3, 2, "Sea 1") in await stored(acme)
    assert await faults(acme) == []


async def test_issues_that_were_chosen_as_issues_stay(
    acme: Cast, ada: dict[str, Any], dated: list[dict[str, Any]]
) -> None:
    await move(acme, ada, first=2, last=2, to=at("Inn 1"))
    await move_for_days(
        acme, ada, FIRST + 2 * MONTH, FIRST + 2 * MONTH + timedelta(days=3), to=at("Sea 1")
    )
    await put_on(acme, dated[1], 31)  # now in the days of the other one, which would overlap
    assert await stored(acme) == [(2, 2, "Inn 1"), (3, 3, "Sea 1")]
    assert await faults(acme) == []


async def test_a_change_that_stays_keeps_its_issues_from_the_others(
    acme: Cast, ada: dict[str, Any], dated: list[dict[str, Any]]
) -> None:
    await move(acme, ada, first=4, last=4, to=at("Inn 1"))
    for day, street in ((FIRST + MONTH, "Sea 1"), (FIRST + 2 * MONTH, "Lake 1")):
        await move_for_days(acme, ada, day, day, to=at(street))
    sql = "UPDATE issue SET release_date_actual = :day WHERE {own} AND number = :number"
    await execute(acme, sql, number=2, day=FIRST + timedelta(days=20))
    await execute(acme, sql, number=3, day=FIRST + MONTH)
    await put_on(acme, dated[3], -30)  # Lake 1 cannot get it, so Sea 1 cannot get issue 3
    assert await stored(acme) == [(2, 2, "Sea 1"), (3, 3, "Lake 1"), (4, 4, "Inn 1")]
    assert await faults(acme) == []


async def test_an_issue_that_is_deleted_is_expected_on_its_day(
    acme: Cast, ada: dict[str, Any], dated: list[dict[str, Any]]
) -> None:
    other = await make_subscription(acme, start_issue=1, length=9, **HOME)
    await move_for_days(acme, other, FIRST + 3 * MONTH, to=at("New 1"))
    await delete_issue(acme.db, acme.account_id, dated[3]["id"], by=BY)
    assert await stored(acme) == [(4, None, "New 1")]


async def test_the_history_has_the_issues_before_and_after(
    acme: Cast, ada: dict[str, Any], dated: list[dict[str, Any]]
) -> None:
    await move_for_days(acme, ada, FIRST + MONTH, to=at("New 1"))
    await put_on(acme, dated[1], -1)
    planned = [
        (before, after)
        for _actor, action, before, after in await trail(acme, "subscription", ada["id"])
        if action == "subscription.plan_address"
    ]
    assert planned[0][1]["first_day"] == str(FIRST + MONTH)
    before, after = ({"first_issue": each, "last_issue": None} for each in (2, 3))
    assert planned[1:] == [(before, after)]
