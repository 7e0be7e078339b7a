"""The pure rules of subscriptions, as tables."""

from datetime import date

import pytest

from masthead.model.subscriptions.lifecycle import (
    LIVE,
    derive_status,
    has_ended,
    is_covered,
    is_period_complete,
    is_released,
    issues_covered,
    next_charge_date,
    next_day,
    status_after_renewal,
    status_after_stop_renewals,
)
from masthead.model.types.enums import SubscriptionStatus, SubscriptionType
from tests.support.cases import for_each

ACTIVE = SubscriptionStatus.ACTIVE
STOPPED = SubscriptionStatus.RENEWALS_STOPPED
COMPLETE = SubscriptionStatus.COMPLETE
CANCELLED = SubscriptionStatus.CANCELLED
PAST_DUE = SubscriptionStatus.PAST_DUE
ISSUES = SubscriptionType.SUBSCRIPTION
MEMBERSHIP = SubscriptionType.MEMBERSHIP

TODAY = date(2026, 6, 30)
YESTERDAY = date(2026, 6, 29)
TOMORROW = date(2026, 7, 1)


@pytest.mark.parametrize(
    "start, length, numbers",
    [(1, 1, [1]), (3, 4, [3, 4, 5, 6]), (2147483647, 1, [2147483647])],
)
def test_a_period_covers_as_many_issues_as_its_length_from_its_start(
    start: int, length: int, numbers: list[int]
) -> None:
    assert list(issues_covered(start, length)) == numbers


def test_a_subscription_is_live_unless_it_is_complete_or_cancelled() -> None:
    assert set(SubscriptionStatus) - LIVE == {COMPLETE, CANCELLED}


def test_the_last_day_of_the_calendar_has_no_next_day() -> None:
    assert next_day(YESTERDAY) == TODAY
    assert next_day(date.max) is None


def test_a_period_has_ended_once_its_last_day_is_over() -> None:
    assert has_ended(YESTERDAY, TODAY)
    assert not has_ended(TODAY, TODAY)
    assert not has_ended(TOMORROW, TODAY)


@pytest.mark.parametrize(
    "released, covered",
    [
        (None, False),
        (date(2025, 12, 31), False),
        (date(2026, 1, 1), True),
        (date(2026, 3, 31), True),
        (date(2026, 4, 1), False),
    ],
)
def test_an_issue_is_covered_if_it_is_released_within_the_period(
    released: date | None, covered: bool
) -> None:
    assert is_covered(released, date(2026, 1, 1), date(2026, 3, 31)) is covered


@pytest.mark.parametrize(
    "release_date, number, current, is_out",
    [
        (YESTERDAY, 9, 1, True),
        (TODAY, 9, None, True),
        (TOMORROW, 9, None, False),
        (TOMORROW, 1, 1, False),  # current for new subscriptions, but not out
        (None, 1, 2, True),
        (None, 2, 2, True),
        (None, 3, 2, False),
        (None, 1, None, False),
    ],
)
def test_an_issue_is_out_after_its_release_date_or_once_it_is_current(
    release_date: date | None, number: int, current: int | None, is_out: bool
) -> None:
    assert is_released(release_date, number=number, day=TODAY, current=current) is is_out


@pytest.mark.parametrize(
    "missing, unsent, complete", [(0, 0, True), (1, 0, False), (0, 1, False), (2, 3, False)]
)
def test_an_issue_period_is_complete_when_its_issues_exist_and_none_is_unsent(
    missing: int, unsent: int, complete: bool
) -> None:
    for day in (date(1999, 1, 1), TODAY):
        assert complete is is_period_complete(
            period_end=None, day=day, missing_issues=missing, unsent_copies=unsent
        )


@pytest.mark.parametrize("unsent", [0, 1])
def test_a_membership_period_is_complete_when_it_has_ended(unsent: int) -> None:
    for end, complete in ((YESTERDAY, True), (TODAY, False), (TOMORROW, False)):
        assert complete is is_period_complete(
            period_end=end, day=TODAY, missing_issues=0, unsent_copies=unsent
        )


@for_each(
    "status, type, is_recurring, periods, after",
    [
        (ACTIVE, ISSUES, False, [True], COMPLETE),
        (ACTIVE, ISSUES, False, [True, True], COMPLETE),
        (ACTIVE, ISSUES, False, [True, False], ACTIVE),
        (ACTIVE, ISSUES, False, [False, True], ACTIVE),
        (ACTIVE, ISSUES, True, [True], ACTIVE),
        (STOPPED, ISSUES, True, [True], COMPLETE),
        (STOPPED, ISSUES, True, [False], STOPPED),
        (PAST_DUE, ISSUES, True, [True], PAST_DUE),
        (ACTIVE, MEMBERSHIP, False, [True], COMPLETE),
        (ACTIVE, MEMBERSHIP, False, [False], ACTIVE),
        (ACTIVE, MEMBERSHIP, True, [True], PAST_DUE),
        (ACTIVE, MEMBERSHIP, True, [True, False], ACTIVE),
        (STOPPED, MEMBERSHIP, True, [True], COMPLETE),
        (STOPPED, MEMBERSHIP, True, [True, False], STOPPED),
        (PAST_DUE, MEMBERSHIP, True, [True], PAST_DUE),
        (PAST_DUE, MEMBERSHIP, True, [False], PAST_DUE),
    ],
)
def test_the_status_depends_on_the_periods(
    status: SubscriptionStatus,
    type: SubscriptionType,
    is_recurring: bool,
    periods: list[bool],
    after: SubscriptionStatus,
) -> None:
    assert after is derive_status(
        status, type=type, is_recurring=is_recurring, periods_complete=periods
    )


@for_each("status", [CANCELLED, COMPLETE])
@for_each("type", [ISSUES, MEMBERSHIP])
@for_each("is_recurring", [True, False])
@for_each("complete", [True, False])
def test_cancelled_and_complete_subscriptions_keep_their_status(
    status: SubscriptionStatus, type: SubscriptionType, is_recurring: bool, complete: bool
) -> None:
    assert status is derive_status(
        status, type=type, is_recurring=is_recurring, periods_complete=[complete]
    )


def test_stop_renewals_changes_only_active_and_past_due_subscriptions() -> None:
    after = {status: status_after_stop_renewals(status) for status in SubscriptionStatus}
    assert after == {
        ACTIVE: STOPPED,
        PAST_DUE: STOPPED,
        STOPPED: STOPPED,
        COMPLETE: COMPLETE,
        CANCELLED: CANCELLED,
    }


def test_a_renewal_makes_complete_and_past_due_subscriptions_active() -> None:
    assert status_after_renewal(COMPLETE) is ACTIVE
    assert status_after_renewal(PAST_DUE) is ACTIVE
    assert status_after_renewal(ACTIVE) is ACTIVE


@for_each("status", list(SubscriptionStatus))
@for_each("is_recurring", [True, False])
def test_only_recurring_active_and_past_due_subscriptions_have_a_next_charge(
    status: SubscriptionStatus, is_recurring: bool
) -> None:
    charged = is_recurring and status in (ACTIVE, PAST_DUE)
    of_issue = next_charge_date(
        status, is_recurring=is_recurring, period_end=None, charge_date=TODAY
    )
    of_membership = next_charge_date(
        status, is_recurring=is_recurring, period_end=TODAY, charge_date=None
    )
    assert of_issue == (TODAY if charged else None)
    assert of_membership == (TOMORROW if charged else None)


def test_without_a_charge_date_of_the_next_issue_there_is_no_next_charge_date() -> None:
    assert next_charge_date(ACTIVE, is_recurring=True, period_end=None, charge_date=None) is None
