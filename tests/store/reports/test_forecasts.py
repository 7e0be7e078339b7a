"""Forecasts: print runs of coming issues, and the current issue."""

from datetime import date
from typing import Any

import pytest

from masthead.model.reports.forecasts import PrintRun, Total
from masthead.model.resources import Issue
from masthead.model.types.fields import MAX_NUMBER
from masthead.store.issues import records as issues
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


async def test_the_current_issue_is_the_last_one_whose_start_date_has_passed(acme: Cast) -> None:
    await make_issue(acme, 1, date_as_start_issue="2026-01-01")
    await make_issue(acme, 2, date_as_start_issue="2026-06-15")
    await make_issue(acme, 3, date_as_start_issue="2026-06-16", release_date_actual="2026-06-01")
    assert await current(acme) == 2


async def test_of_two_issues_with_the_same_date_the_one_with_the_higher_number_is_current(
    acme: Cast,
) -> None:
    for number in (4, 3):
        await make_issue(acme, number, date_as_start_issue="2026-01-01")
    assert await current(acme) == 4


async def test_without_a_start_date_the_last_released_issue_is_current(acme: Cast) -> None:
    await make_issue(acme, 1, release_date_actual="2026-05-01")
    await make_issue(acme, 2, release_date_actual="2026-07-01")
    assert await current(acme) == 1


async def test_without_any_date_no_issue_is_current(acme: Cast, rival: Cast) -> None:
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


# --- Coming issues -------------------------------------------------------------------------------


async def test_six_issue_numbers_are_coming_and_existing_issues_are_listed_first(
    acme: Cast,
) -> None:
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


async def test_at_most_six_coming_issues_are_listed(acme: Cast) -> None:
    await make_issues(acme, 1, 8)
    assert await coming(acme) == [1, 2, 3, 4, 5, 6]


async def test_an_issue_without_a_date_is_out_once_all_its_copies_are_sent(acme: Cast) -> None:
    await make_issues(acme, 1, 3)
    first, second = [await make_subscription(acme, start_issue=2, length=1) for _ in range(2)]
    await mark_sent(acme, first)
    assert await coming(acme) == [1, 2, 3, 4, 5, 6]
    await mark_sent(acme, second)
    assert await coming(acme) == [1, 3, 4, 5, 6, 7]


async def test_a_copy_sent_early_does_not_hide_other_issues(acme: Cast) -> None:
    await make_issue(acme, 1, release_date_actual="2026-07-01")
    await make_issue(acme, 2, release_date_actual="2026-08-01")
    await make_issue(acme, 3)
    await mark_sent(acme, await make_subscription(acme, start_issue=2, length=1))
    await mark_sent(acme, await make_subscription(acme, start_issue=3, length=1))
    assert await coming(acme) == [1, 2, 4, 5, 6, 7]


async def test_each_issue_is_judged_by_its_own_date(acme: Cast) -> None:
    await make_issue(acme, 1, release_date_actual="2026-06-01")
    await make_issue(acme, 2)
    await make_issue(acme, 3, release_date_actual="2026-08-01")
    await make_issue(acme, 4, release_date_actual="2020-01-01")
    assert await coming(acme) == [2, 3, 5, 6, 7, 8]


async def test_an_issue_without_a_date_is_out_once_a_later_one_is_current(acme: Cast) -> None:
    await make_issue(acme, 1)
    await make_issue(acme, 2, date_as_start_issue="2026-06-01")
    await make_subscription(acme, start_issue=1, length=1)
    assert await coming(acme) == [2, 3, 4, 5, 6, 7]


async def test_without_any_issue_no_issues_are_coming(acme: Cast, rival: Cast) -> None:
    await make_issue(rival)
    assert await coming(acme) == []
    assert await runs(acme) == {}


async def test_coming_issue_numbers_do_not_exceed_the_maximum(acme: Cast) -> None:
    await make_issue(acme, MAX_NUMBER - 1)
    assert await coming(acme) == [MAX_NUMBER - 1, MAX_NUMBER]


# --- Print runs ----------------------------------------------------------------------------------


async def test_a_print_run_has_one_copy_for_each_subscription_that_includes_the_issue(
    acme: Cast,
) -> None:
    await make_issue(acme, 1)
    await make_subscription(acme, length=2, country="DE", medium="Print")
    await make_subscription(acme, length=3, country="AT", medium="Digital")
    await make_subscription(acme, length=3, country="DE", medium="Print + digital")
    found = await runs(acme)
    assert list(found) == [1, 2, 3, 4, 5, 6]
    assert found[2].total == Total(copies=3, printed=2, digital=2, renewals=0)
    assert found[3].by_country == {"AT": Total(1, 0, 1, 0), "DE": Total(1, 1, 1, 0)}
    assert found[4].parts == []


async def test_a_cancelled_subscription_is_not_in_the_print_run(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    await acme.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "cancel"})
    assert (await runs(acme))[2].parts == []


async def test_the_print_run_of_an_existing_issue_is_the_number_of_its_copies(acme: Cast) -> None:
    await make_issue(acme, 1, release_date_actual="2026-07-01")
    await make_membership(acme, period_start="2026-01-01", period_end="2026-12-31", country="FR")
    await make_membership(acme, period_start="2025-01-01", period_end="2025-12-31")
    await make_subscription(acme)
    run = (await runs(acme))[1]
    waiting = await fulfilment.count_unsent(acme.db, acme.account_id, [1, 2])
    assert waiting == {1: 2, 2: 0}
    assert run.total.copies == 2
    assert list(run.by_country) == ["DE", "FR"]


async def test_an_issue_with_a_new_date_keeps_its_membership_copies(acme: Cast) -> None:
    made = await make_issue(acme, 1, release_date_actual="2026-07-01")
    await make_membership(acme, period_start="2026-01-01", period_end="2026-12-31")
    await acme.patch(f"/v1/issues/{made['id']}/", {"release_date_actual": "2027-07-01"})
    assert (await runs(acme))[1].total.copies == 1


async def test_possible_renewals_are_added_to_the_print_run(acme: Cast) -> None:
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


async def test_subscriptions_that_ended_earlier_are_not_counted_as_renewals(acme: Cast) -> None:
    await make_issue(acme, 1, release_date_actual="2026-01-01")
    await make_issue(acme, 2, release_date_actual="2026-02-01")
    await make_issue(acme, 3, release_date_actual="2026-07-01")
    await make_subscription(acme, length=1, is_recurring=True)
    assert (await runs(acme))[3].parts == []


async def test_a_recurring_membership_counts_as_a_possible_renewal_for_an_issue_with_a_date(
    acme: Cast,
) -> None:
    await make_issue(acme, 1, release_date_actual="2098-07-01")
    await make_issue(acme, 2, release_date_actual="2099-07-01")
    await make_issue(acme, 3)
    await make_membership(
        acme, period_start="2098-01-01", period_end="2098-12-31", is_recurring="true"
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
    """Issue 1 with a copy of each status."""
    await make_issue(acme)
    await make_subscription(acme, country="AT")
    await import_row(acme, start_issue="1", length="4", sent_issues="1")
    gone = await make_subscription(acme)
    await acme.post(f"/v1/subscriptions/{gone['id']}/cancel/", {"mode": "cancel"})
    return acme


async def test_copies_are_counted_by_status(counted: Cast) -> None:
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
