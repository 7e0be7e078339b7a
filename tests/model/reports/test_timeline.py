"""The rule that decides whether a subscriber got an issue, and the reason if they did not."""

from datetime import UTC, date, datetime

import pytest

from masthead.model.orders.period_coverage import PeriodCoverage, Spread, spreads
from masthead.model.reports.timeline import (
    CopyFacts,
    Delivery,
    DeliveryStatus,
    EndReason,
    IssueFacts,
    IssueSummary,
    NotIncludedReason,
    StatusChange,
    SubscriptionFacts,
    summarize_issue,
)
from masthead.model.types.enums import CopyStatus, SubscriptionStatus, SubscriptionType

TODAY = date(2026, 6, 30)
CHANGE = StatusChange(datetime(2026, 4, 2, 9, 0, tzinfo=UTC), "anna@acme.test")
STATUS = SubscriptionStatus


def issues(
    first: int = 5,
    last: int = 8,
    status: SubscriptionStatus = STATUS.ACTIVE,
    id: str = "A",
    *,
    is_recurring: bool = False,
) -> SubscriptionFacts:
    """An issue subscription with one period."""
    return SubscriptionFacts(
        id=id,
        type=SubscriptionType.SUBSCRIPTION,
        status=status,
        is_recurring=is_recurring,
        order_date=date(2026, 3, 1),
        periods=[PeriodCoverage(first, last, last - first + 1, None, None, None)],
        cancelled=CHANGE if status is STATUS.CANCELLED else None,
        stopped=CHANGE if status in (STATUS.RENEWALS_STOPPED, STATUS.COMPLETE) else None,
    )


def member(
    *windows: tuple[str, str],
    status: SubscriptionStatus = STATUS.ACTIVE,
    is_recurring: bool = True,
) -> SubscriptionFacts:
    """A membership with the given periods."""
    return SubscriptionFacts(
        id="M",
        type=SubscriptionType.MEMBERSHIP,
        status=status,
        is_recurring=is_recurring,
        order_date=None,
        periods=[
            PeriodCoverage(None, None, None, 1, date.fromisoformat(start), date.fromisoformat(end))
            for start, end in windows
        ],
        cancelled=CHANGE if status is STATUS.CANCELLED else None,
    )


def issue(number: int, released: str | None = None) -> IssueFacts:
    """An issue that exists."""
    return IssueFacts(
        number, f"I{number}", f"Issue {number}", date.fromisoformat(released) if released else None
    )


def summarize(
    issue: IssueFacts,
    subscriptions: list[SubscriptionFacts],
    copies: dict[str, CopyFacts] | None = None,
    *,
    current: int | None = None,
) -> IssueSummary:
    """The summary as of today."""
    return summarize_issue(issue, subscriptions, copies or {}, day=TODAY, current=current)


def only(summary: IssueSummary) -> Delivery:
    """The single delivery of a summary."""
    [delivery] = summary.deliveries
    assert summary.status is delivery.status
    return delivery


@pytest.mark.parametrize(
    "copy_status, released, current, expected",
    [
        (CopyStatus.SENT, None, None, DeliveryStatus.SENT),
        (CopyStatus.NOT_SENT, "2026-06-30", None, DeliveryStatus.WAITING),
        (CopyStatus.NOT_SENT, "2026-07-01", None, DeliveryStatus.UPCOMING),
        (CopyStatus.NOT_SENT, None, None, DeliveryStatus.UPCOMING),
        (CopyStatus.NOT_SENT, None, 4, DeliveryStatus.UPCOMING),
        (CopyStatus.NOT_SENT, None, 5, DeliveryStatus.WAITING),
        (CopyStatus.CANCELLED, "2026-06-30", None, DeliveryStatus.CANCELLED),
    ],
)
def test_the_copy_decides_the_status_of_its_issue(
    copy_status: CopyStatus, released: str | None, current: int | None, expected: DeliveryStatus
) -> None:
    copies = {"A": CopyFacts(7, copy_status)}
    delivery = only(summarize(issue(5, released), [issues()], copies, current=current))
    assert (delivery.status, delivery.copy_id, delivery.day) == (expected, 7, None)


def test_a_sent_copy_has_the_date_on_which_it_was_sent() -> None:
    copies = {"A": CopyFacts(7, CopyStatus.SENT, date(2026, 5, 3))}
    assert only(summarize(issue(5), [issues()], copies)).day == date(2026, 5, 3)


def test_a_cancelled_copy_says_who_cancelled_its_subscription_and_when() -> None:
    copies = {"A": CopyFacts(7, CopyStatus.CANCELLED)}
    delivery = only(summarize(issue(5), [issues(status=STATUS.CANCELLED)], copies))
    assert delivery.ended_by is CHANGE


@pytest.mark.parametrize(
    "number, subscription, reason, details",
    [
        (4, issues(), NotIncludedReason.STARTS_LATER, (5, date(2026, 3, 1), None, None)),
        (9, issues(), NotIncludedReason.ENDED, (8, None, EndReason.NOT_RECURRING, None)),
        (
            9,
            issues(is_recurring=True),
            NotIncludedReason.ENDED,
            (8, None, EndReason.NOT_RENEWED, None),
        ),
        (
            9,
            issues(status=STATUS.RENEWALS_STOPPED, is_recurring=True),
            NotIncludedReason.ENDED,
            (8, None, EndReason.RENEWALS_STOPPED, CHANGE),
        ),
        (
            9,
            issues(status=STATUS.COMPLETE, is_recurring=True),
            NotIncludedReason.ENDED,
            (8, None, EndReason.RENEWALS_STOPPED, CHANGE),
        ),
        (
            9,
            issues(status=STATUS.CANCELLED),
            NotIncludedReason.ENDED,
            (8, None, EndReason.CANCELLED, CHANGE),
        ),
        (
            7,
            issues(status=STATUS.CANCELLED),
            NotIncludedReason.CANCELLED_BEFORE,
            (None, None, EndReason.CANCELLED, CHANGE),
        ),
    ],
)
def test_an_issue_without_a_copy_has_a_reason(
    number: int,
    subscription: SubscriptionFacts,
    reason: NotIncludedReason,
    details: tuple[object, ...],
) -> None:
    delivery = only(summarize(issue(number), [subscription]))
    assert (delivery.status, delivery.reason) == (DeliveryStatus.NOT_INCLUDED, reason)
    assert (delivery.number, delivery.day, delivery.end_reason, delivery.ended_by) == details


def test_an_included_issue_that_is_not_created_yet_is_upcoming() -> None:
    delivery = only(summarize(IssueFacts(7), [issues()]))
    assert (delivery.status, delivery.reason, delivery.copy_id) == (
        DeliveryStatus.UPCOMING,
        None,
        None,
    )


YEARS = (("2024-01-01", "2024-12-31"), ("2026-01-01", "2026-03-31"))


@pytest.mark.parametrize(
    "released, reason, day",
    [
        (None, NotIncludedReason.NO_RELEASE_DATE, None),
        ("2023-12-31", NotIncludedReason.BEGINS_LATER, date(2024, 1, 1)),
        ("2025-06-01", NotIncludedReason.BETWEEN_PERIODS, date(2024, 12, 31)),
        ("2026-04-01", NotIncludedReason.PAID_UNTIL, date(2026, 3, 31)),
    ],
)
def test_the_release_date_decides_whether_a_membership_includes_an_issue(
    released: str | None, reason: NotIncludedReason, day: date | None
) -> None:
    membership = member(*YEARS, status=STATUS.PAST_DUE)
    delivery = only(summarize(issue(7, released), [membership]))
    assert (delivery.reason, delivery.day) == (reason, day)
    is_over = reason is NotIncludedReason.PAID_UNTIL
    assert delivery.end_reason is (EndReason.NOT_RENEWED if is_over else None)


def test_a_cancelled_membership_gets_no_more_issues_even_in_its_paid_period() -> None:
    membership = member(*YEARS, status=STATUS.CANCELLED)
    delivery = only(summarize(issue(7, "2026-02-01"), [membership]))
    assert delivery.reason is NotIncludedReason.CANCELLED_BEFORE
    assert delivery.ended_by is CHANGE


def test_subscriptions_with_a_copy_hide_those_without() -> None:
    copies = {"B": CopyFacts(7, CopyStatus.SENT), "C": CopyFacts(8, CopyStatus.CANCELLED)}
    subscriptions = [issues(id="A", first=9, last=9), issues(id="B"), issues(id="C")]
    summary = summarize(issue(5), subscriptions, copies)
    assert [delivery.subscription_id for delivery in summary.deliveries] == ["B", "C"]
    assert summary.status is DeliveryStatus.SENT


def test_without_a_copy_each_reason_names_the_closest_subscription() -> None:
    subscriptions = [
        issues(id="A", first=1, last=2),
        issues(id="B", first=3, last=4),
        issues(id="C", first=9, last=9),
        issues(id="D", first=12, last=20),
        member(("2020-01-01", "2020-12-31")),
    ]
    summary = summarize(issue(6, "2026-05-01"), subscriptions)
    assert [(delivery.subscription_id, delivery.reason) for delivery in summary.deliveries] == [
        ("B", NotIncludedReason.ENDED),
        ("M", NotIncludedReason.PAID_UNTIL),
        ("C", NotIncludedReason.STARTS_LATER),
    ]
    assert summary.status is DeliveryStatus.NOT_INCLUDED


def test_a_cancellation_before_the_issue_hides_all_other_reasons() -> None:
    subscriptions = [issues(id="A", first=1, last=2), issues(id="B", status=STATUS.CANCELLED)]
    assert only(summarize(issue(6), subscriptions)).subscription_id == "B"


def test_a_subscriber_without_a_subscription_gets_no_issue() -> None:
    summary = summarize(issue(6), [])
    assert (summary.status, summary.deliveries) == (DeliveryStatus.NOT_INCLUDED, [])


@pytest.mark.parametrize(
    "numbers, expected",
    [
        ([], []),
        ([4], [(4, 4)]),
        ([1, 2, 3, 7, 9, 10], [(1, 3), (7, 7), (9, 10)]),
    ],
)
def test_consecutive_numbers_form_one_range(
    numbers: list[int], expected: list[tuple[int, int]]
) -> None:
    assert list(spreads(numbers)) == [Spread(*each) for each in expected]
