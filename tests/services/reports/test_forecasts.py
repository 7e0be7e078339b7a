"""Print runs of coming issues, and the issue that subscriptions begin with now."""

from datetime import date
from typing import Any

import pytest

from masthead.model.reports.forecasts import PrintRun, Total
from masthead.model.resources import Issue
from masthead.model.types.fields import MAX_NUMBER
from masthead.store import issues
from masthead.store.reports import forecasts, fulfilment
from tests.conftest import Cast
from tests.support.factories import (
    copies_of,
    import_row,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)

TODAY = date(2026, 6, 15)


async def current(cast: Cast) -> int | None:
    issue = await issues.find_current(cast.db, cast.account_id, TODAY)
    return issue.number if issue else None


async def coming(cast: Cast) -> list[int]:
    return [number for number, _ in await list_coming_issues(cast)]


async def list_coming_issues(cast: Cast) -> list[tuple[int, Issue | None]]:
    return await forecasts.list_coming_issues(cast.db, cast.account_id, TODAY)


async def runs(cast: Cast) -> dict[int, PrintRun]:
    async with cast.db.read(aside=True) as connection:
        numbers = await forecasts.list_coming_issues(connection, cast.account_id, TODAY)
        found = await forecasts.list_print_runs(connection, cast.account_id, numbers)
    return {run.number: run for run in found}


async def mark_sent(cast: Cast, subscription: dict[str, Any]) -> None:
    ids = [copy["id"] for copy in await copies_of(cast, subscription["id"])]
    await cast.post("/v1/copies/mark-sent/", {"ids": ids})


# --- The current issue ---------------------------------------------------------------------------


async def test_the_current_issue_is_the_last_whose_day_as_start_issue_has_come(acme: Cast) -> None:
    await make_issue(acme, 1, date_as_start_issue="2026-01-01")
    await make_issue(acme, 2, date_as_start_issue="2026-06-15")
    await make_issue(acme, 3, date_as_start_issue="2026-06-16", release_date_actual="2026-06-01")
    assert await current(acme) == 2


async def test_of_two_with_one_day_the_higher_number_is_current(acme: Cast) -> None:
    for number in (4, 3):
        await make_issue(acme, number, date_as_start_issue="2026-01-01")
    assert await current(acme) == 4


async def test_without_such_a_day_the_last_released_issue_is_current(acme: Cast) -> None:
    await make_issue(acme, 1, release_date_actual="2026-05-01")
    await make_issue(acme, 2, release_date_actual="2026-07-01")
    assert await current(acme) == 1


async def test_nothing_is_current_where_nothing_has_a_day(acme: Cast, rival: Cast) -> None:
    await make_issue(rival, 1, release_date_actual="2026-05-01")
    await make_issue(acme, 1)
    assert await current(acme) is None


async def test_a_lower_number_with_a_later_release_is_found(acme: Cast, rival: Cast) -> None:
    for number, day in ((1, "2026-01-01"), (2, "2026-03-01"), (3, "2026-04-01")):
        await make_issue(acme, number, release_date_actual=day)
    await make_issue(rival, 1, release_date_actual="2027-01-01")

    async def found(number: int, day: date) -> int | None:
        issue = await issues.find_released_later(acme.db, acme.account_id, number, day)
        return issue.number if issue else None

    assert await found(4, date(2026, 2, 1)) == 2
    assert await found(4, date(2026, 4, 1)) is None
    assert await found(2, date(2026, 1, 1)) is None


# --- What is to come -----------------------------------------------------------------------------


async def test_six_numbers_are_to_come_those_that_exist_and_the_next(acme: Cast) -> None:
    await make_issue(acme, 1, release_date_actual="2026-06-15")
    await make_issue(acme, 2, release_date_actual="2026-06-16")
    await make_issue(acme, 4)
    numbers = await list_coming_issues(acme)
    assert [number for number, _ in numbers] == [2, 4, 5, 6, 7, 8]
    assert [issue.name if issue else None for _, issue in numbers[:3]] == [
        "Issue 2",
        "Issue 4",
        None,
    ]


async def test_no_more_than_six_are_looked_at(acme: Cast) -> None:
    await make_issues(acme, 1, 8)
    assert await coming(acme) == [1, 2, 3, 4, 5, 6]


async def test_an_issue_without_a_day_is_out_once_its_copies_are_sent_and_none_waits(
    acme: Cast,
) -> None:
    await make_issues(acme, 1, 3)
    first, second = [await make_subscription(acme, start_issue=2, length=1) for _ in range(2)]
    await mark_sent(acme, first)
    assert await coming(acme) == [1, 2, 3, 4, 5, 6]
    await mark_sent(acme, second)
    assert await coming(acme) == [1, 3, 4, 5, 6, 7]


async def test_a_copy_that_goes_out_early_hides_no_other_issue(acme: Cast) -> None:
    await make_issue(acme, 1, release_date_actual="2026-07-01")
    await make_issue(acme, 2, release_date_actual="2026-08-01")
    await make_issue(acme, 3)
    await mark_sent(acme, await make_subscription(acme, start_issue=2, length=1))
    await mark_sent(acme, await make_subscription(acme, start_issue=3, length=1))
    assert await coming(acme) == [1, 2, 4, 5, 6, 7]


async def test_each_issue_counts_by_its_own_day(acme: Cast) -> None:
    await make_issue(acme, 1, release_date_actual="2026-06-01")
    await make_issue(acme, 2)
    await make_issue(acme, 3, release_date_actual="2026-08-01")
    await make_issue(acme, 4, release_date_actual="2020-01-01")
    assert await coming(acme) == [2, 3, 5, 6, 7, 8]


async def test_an_issue_without_a_day_is_out_once_a_later_one_is_current(acme: Cast) -> None:
    await make_issue(acme, 1)
    await make_issue(acme, 2, date_as_start_issue="2026-06-01")
    await make_subscription(acme, start_issue=1, length=1)
    assert await coming(acme) == [2, 3, 4, 5, 6, 7]


async def test_without_any_issue_nothing_is_to_come(acme: Cast, rival: Cast) -> None:
    await make_issue(rival)
    assert await coming(acme) == []
    assert await runs(acme) == {}


async def test_no_number_is_beyond_the_highest_there_can_be(acme: Cast) -> None:
    await make_issue(acme, MAX_NUMBER - 1)
    assert await coming(acme) == [MAX_NUMBER - 1, MAX_NUMBER]


# --- How many ------------------------------------------------------------------------------------


async def test_a_print_run_is_a_copy_for_each_subscription_that_includes_it(acme: Cast) -> None:
    await make_issue(acme, 1)
    await make_subscription(acme, length=2, country="DE", medium="Print")
    await make_subscription(acme, length=3, country="AT", medium="Digital")
    await make_subscription(acme, length=3, country="DE", medium="Print + digital")
    found = await runs(acme)
    assert list(found) == [1, 2, 3, 4, 5, 6]
    assert found[2].total == Total(copies=3, printed=2, digital=2, renewals=0)
    assert found[3].by_country == {"AT": Total(1, 0, 1, 0), "DE": Total(1, 1, 1, 0)}
    assert found[4].parts == []


async def test_a_cancelled_subscription_needs_no_copy(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    await acme.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "cancel"})
    assert (await runs(acme))[2].parts == []


async def test_the_run_of_an_issue_that_exists_is_that_of_its_copies(acme: Cast) -> None:
    await make_issue(acme, 1, release_date_actual="2026-07-01")
    await make_membership(acme, period_start="2026-01-01", period_end="2026-12-31", country="FR")
    await make_membership(acme, period_start="2025-01-01", period_end="2025-12-31")
    await make_subscription(acme)
    run = (await runs(acme))[1]
    waiting = await fulfilment.count_unsent(acme.db, acme.account_id, [1, 2])
    assert waiting == {1: 2, 2: 0}
    assert run.total.copies == 2
    assert list(run.by_country) == ["DE", "FR"]


async def test_an_issue_dated_otherwise_later_keeps_the_members_that_it_was_granted_to(
    acme: Cast,
) -> None:
    made = await make_issue(acme, 1, release_date_actual="2026-07-01")
    await make_membership(acme, period_start="2026-01-01", period_end="2026-12-31")
    await acme.patch(f"/v1/issues/{made['id']}/", {"release_date_actual": "2027-07-01"})
    assert (await runs(acme))[1].total.copies == 1


async def test_what_may_be_renewed_comes_on_top(acme: Cast) -> None:
    await make_issue(acme, 1, release_date_actual="2026-01-01")
    await make_issue(acme, 2, release_date_actual="2026-07-01")
    await make_subscription(acme, length=1, is_recurring=True)
    await make_subscription(acme, length=2, is_recurring=True)
    await make_subscription(acme, length=1)
    stopped = await make_subscription(acme, length=1, is_recurring=True)
    await acme.post(f"/v1/subscriptions/{stopped['id']}/cancel/", {"mode": "stop_renewals"})
    found = await runs(acme)
    assert [(run.total.copies, run.total.renewals) for run in found.values()][:3] == [
        (1, 1),
        (0, 2),
        (0, 2),
    ]


async def test_who_ended_earlier_without_renewing_is_not_counted_on(acme: Cast) -> None:
    await make_issue(acme, 1, release_date_actual="2026-01-01")
    await make_issue(acme, 2, release_date_actual="2026-02-01")
    await make_issue(acme, 3, release_date_actual="2026-07-01")
    await make_subscription(acme, length=1, is_recurring=True)
    assert (await runs(acme))[3].parts == []


async def test_a_recurring_member_may_renew_for_an_issue_with_a_day(acme: Cast) -> None:
    await make_issue(acme, 1, release_date_actual="2026-07-01")
    await make_issue(acme, 2, release_date_actual="2027-07-01")
    await make_issue(acme, 3)
    await make_membership(
        acme, period_start="2026-01-01", period_end="2026-12-31", is_recurring="true"
    )
    found = await runs(acme)
    assert [(run.total.copies, run.total.renewals) for run in found.values()][:4] == [
        (1, 0),
        (0, 1),
        (0, 0),
        (0, 0),
    ]


async def test_other_accounts_do_not_count(acme: Cast, rival: Cast) -> None:
    await make_issue(rival)
    await make_subscription(rival)
    await make_issue(acme)
    assert (await runs(acme))[1].parts == []


# --- Copies of one issue -------------------------------------------------------------------------


@pytest.fixture
async def counted(acme: Cast) -> Cast:
    """Issue 1 with a copy in each state."""
    await make_issue(acme)
    await make_subscription(acme, country="AT")
    await import_row(acme, start_issue="1", length="4", sent_issues="1")
    gone = await make_subscription(acme)
    await acme.post(f"/v1/subscriptions/{gone['id']}/cancel/", {"mode": "cancel"})
    return acme


async def test_copies_are_counted_by_state(counted: Cast) -> None:
    found = await fulfilment.count_by_status(counted.db, counted.account_id, 1)
    assert found == {"Sent": 1, "Cancelled": 1, "Not sent": 1}
    assert set((await fulfilment.count_by_status(counted.db, counted.account_id, 2)).values()) == {
        0
    }


async def test_copies_are_counted_by_country_most_first(counted: Cast) -> None:
    found = await fulfilment.count_by_country(counted.db, counted.account_id, 1)
    assert list(found) == ["DE", "AT"]
    assert found["DE"] == {"Sent": 1, "Cancelled": 1, "Not sent": 0}
    assert found["AT"] == {"Sent": 0, "Cancelled": 0, "Not sent": 1}


async def test_copies_are_counted_by_medium(counted: Cast) -> None:
    await make_subscription(counted, medium="Digital")
    found = await fulfilment.count_by_medium(counted.db, counted.account_id, 1)
    assert list(found) == ["Print", "Digital"]
    assert found["Print"] == {"Sent": 1, "Cancelled": 1, "Not sent": 1}
    assert found["Digital"] == {"Sent": 0, "Cancelled": 0, "Not sent": 1}
