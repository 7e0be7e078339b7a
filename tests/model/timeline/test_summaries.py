"""The rule that decides whether a subscriber got an issue, and the reason if they did not."""

from datetime import UTC, date, datetime

import pytest

from masthead.model.orders.period_coverage import PeriodCoverage, Spread, spreads
from masthead.model.subscriptions.lifecycle import is_released
from masthead.model.timeline.codes import IssueFacts, WhyCode
from masthead.model.timeline.summaries import (
    CopyFacts,
    Delivery,
    EndReason,
    IssueSummary,
    StatusChange,
    SubscriptionFacts,
    summarize_issue,
)
from masthead.model.types.enums import CopyStatus, Medium, SubscriptionStatus, SubscriptionType

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
    medium: Medium = Medium.PRINT,
) -> SubscriptionFacts:
    """An issue subscription with one period."""
    return SubscriptionFacts(
        id=id,
        type=SubscriptionType.SUBSCRIPTION,
        status=status,
        medium=medium,
        first_issue=first,
        last_issue=last,
        is_recurring=is_recurring,
        order_date=date(2026, 3, 1),
        periods=[PeriodCoverage(first, last, last - first + 1, None, None, None)],
        cancelled=CHANGE if status is STATUS.CANCELLED else None,
        stopped=CHANGE if status in (STATUS.RENEWALS_STOPPED, STATUS.COMPLETE) else None,
    )


def member(
    *windows: tuple[str, str], status: SubscriptionStatus = STATUS.ACTIVE, is_recurring: bool = True
) -> SubscriptionFacts:
    """A membership with the given periods."""
    return SubscriptionFacts(
        id="M",
        type=SubscriptionType.MEMBERSHIP,
        status=status,
        medium=Medium.PRINT,
        first_issue=None,
        last_issue=None,
        is_recurring=is_recurring,
        order_date=None,
        periods=[
            PeriodCoverage(None, None, None, 1, date.fromisoformat(start), date.fromisoformat(end))
            for start, end in windows
        ],
        cancelled=CHANGE if status is STATUS.CANCELLED else None,
    )


def issue(number: int, released: str | None = None, *, current: int | None = None) -> IssueFacts:
    """An issue that exists, as of today."""
    day = date.fromisoformat(released) if released else None
    return IssueFacts(
        number=number,
        id=f"I{number}",
        name=f"Issue {number}",
        released=day,
        is_out=is_released(day, number=number, day=TODAY, current=current),
    )


def summarize(
    issue: IssueFacts,
    subscriptions: list[SubscriptionFacts],
    copies: dict[str, CopyFacts] | None = None,
) -> IssueSummary:
    return summarize_issue(issue, subscriptions, copies or {})


def only(summary: IssueSummary) -> Delivery:
    """The single delivery of a summary."""
    [delivery] = summary.deliveries
    assert summary.status is delivery.status
    return delivery


@pytest.mark.parametrize(
    "copy_status, released, current, expected",
    [
        (CopyStatus.SENT, None, None, WhyCode.SENT),
        (CopyStatus.NOT_SENT, "2026-06-30", None, WhyCode.WAITING),
        (CopyStatus.NOT_SENT, "2026-07-01", None, WhyCode.NOT_OUT),
        (CopyStatus.NOT_SENT, None, None, WhyCode.NOT_OUT),
        (CopyStatus.NOT_SENT, None, 4, WhyCode.NOT_OUT),
        (CopyStatus.NOT_SENT, None, 5, WhyCode.WAITING),
        (CopyStatus.CANCELLED, "2026-06-30", None, WhyCode.CANCELLED),
    ],
)
def test_the_copy_decides_the_status_of_its_issue(
    copy_status: CopyStatus, released: str | None, current: int | None, expected: WhyCode
) -> None:
    copies = {"A": CopyFacts(7, copy_status)}
    delivery = only(summarize(issue(5, released, current=current), [issues()], copies))
    assert (delivery.code, delivery.status, delivery.copy) == (expected, copy_status, copies["A"])


@pytest.mark.parametrize("copy_status", CopyStatus)
def test_a_digital_copy_does_not_go_by_post(copy_status: CopyStatus) -> None:
    copies = {"A": CopyFacts(7, copy_status)}
    delivery = only(summarize(issue(5), [issues(medium=Medium.DIGITAL)], copies))
    is_cancelled = copy_status is CopyStatus.CANCELLED
    assert delivery.code is (WhyCode.CANCELLED if is_cancelled else WhyCode.DIGITAL_ONLY)
    assert delivery.status is copy_status


ENDED = {
    EndReason.NOT_RECURRING: issues(),
    EndReason.NOT_RENEWED: issues(is_recurring=True),
    EndReason.RENEWALS_STOPPED: issues(status=STATUS.RENEWALS_STOPPED, is_recurring=True),
    EndReason.CANCELLED: issues(status=STATUS.CANCELLED),
}


@pytest.mark.parametrize("reason, subscription", ENDED.items())
def test_a_subscription_that_ended_says_why(
    reason: EndReason, subscription: SubscriptionFacts
) -> None:
    delivery = only(summarize(issue(9), [subscription]))
    assert (delivery.code, delivery.status) == (WhyCode.AFTER_END, None)
    is_known = reason in (EndReason.RENEWALS_STOPPED, EndReason.CANCELLED)
    assert delivery.subscription.end == (reason, CHANGE if is_known else None)


def test_a_complete_subscription_ended_with_its_stopped_renewals() -> None:
    own = issues(status=STATUS.COMPLETE, is_recurring=True)
    assert own.end == (EndReason.RENEWALS_STOPPED, CHANGE)


@pytest.mark.parametrize(
    "asked, subscription, code",
    [
        (issue(4), issues(), WhyCode.BEFORE_START),
        (issue(4), issues(status=STATUS.CANCELLED), WhyCode.BEFORE_START),
        (issue(7), issues(status=STATUS.CANCELLED), WhyCode.CANCELLED),
        (IssueFacts(number=7), issues(status=STATUS.CANCELLED), WhyCode.CANCELLED),
        (IssueFacts(number=7), issues(), WhyCode.NO_ISSUE),
        (IssueFacts(number=7), member(("2026-01-01", "2026-12-31")), WhyCode.NO_ISSUE),
        (issue(7), issues(), WhyCode.NO_COPY),
    ],
)
def test_an_issue_without_a_copy_has_a_reason(
    asked: IssueFacts, subscription: SubscriptionFacts, code: WhyCode
) -> None:
    delivery = only(summarize(asked, [subscription]))
    assert (delivery.code, delivery.copy) == (code, None)
    is_promised = code is WhyCode.NO_ISSUE and not subscription.is_membership
    assert delivery.status is (CopyStatus.NOT_SENT if is_promised else None)


YEARS = (("2024-01-01", "2024-12-31"), ("2026-01-01", "2026-03-31"))


@pytest.mark.parametrize("status", [STATUS.PAST_DUE, STATUS.CANCELLED])
@pytest.mark.parametrize(
    "released, paid_until, begins",
    [
        ("2023-12-31", None, date(2024, 1, 1)),
        ("2025-06-01", date(2024, 12, 31), date(2026, 1, 1)),
        ("2026-04-01", date(2026, 3, 31), None),
    ],
)
def test_the_release_date_decides_whether_a_membership_includes_an_issue(
    status: SubscriptionStatus, released: str, paid_until: date | None, begins: date | None
) -> None:
    delivery = only(summarize(issue(7, released), [member(*YEARS, status=status)]))
    assert delivery.code is WhyCode.OUTSIDE_MEMBERSHIP
    assert (delivery.paid_until, delivery.begins) == (paid_until, begins)


@pytest.mark.parametrize(
    "status, released, code",
    [
        (STATUS.PAST_DUE, None, WhyCode.NO_RELEASE_DATE),
        (STATUS.CANCELLED, None, WhyCode.CANCELLED),
        (STATUS.CANCELLED, "2026-02-01", WhyCode.CANCELLED),
        (STATUS.PAST_DUE, "2026-02-01", WhyCode.NO_COPY),
    ],
)
def test_a_cancelled_membership_gets_no_more_issues_even_in_its_paid_period(
    status: SubscriptionStatus, released: str | None, code: WhyCode
) -> None:
    assert only(summarize(issue(7, released), [member(*YEARS, status=status)])).code is code


def named(summary: IssueSummary) -> list[tuple[str, WhyCode]]:
    return [(delivery.subscription.id, delivery.code) for delivery in summary.deliveries]


def test_subscriptions_with_a_copy_hide_those_without() -> None:
    copies = {"C": CopyFacts(8, CopyStatus.CANCELLED), "B": CopyFacts(7, CopyStatus.SENT)}
    subscriptions = [issues(id="A", first=9, last=9), issues(id="C"), issues(id="B")]
    summary = summarize(issue(5), subscriptions, copies)
    assert named(summary) == [("B", WhyCode.SENT), ("C", WhyCode.CANCELLED)]
    assert summary.status is CopyStatus.SENT


def test_without_a_copy_each_reason_names_the_closest_subscription() -> None:
    subscriptions = [
        issues(id="A", first=1, last=2),
        issues(id="B", first=3, last=4),
        issues(id="C", first=9, last=9),
        issues(id="D", first=12, last=20),
        member(("2020-01-01", "2020-12-31")),
    ]
    summary = summarize(issue(6, "2026-05-01"), subscriptions)
    assert named(summary) == [
        ("M", WhyCode.OUTSIDE_MEMBERSHIP),
        ("B", WhyCode.AFTER_END),
        ("C", WhyCode.BEFORE_START),
    ]
    assert summary.status is None


@pytest.mark.parametrize(
    "asked, code", [(issue(6), WhyCode.CANCELLED), (IssueFacts(number=6), WhyCode.NO_ISSUE)]
)
def test_an_issue_that_is_included_or_was_cancelled_hides_all_other_reasons(
    asked: IssueFacts, code: WhyCode
) -> None:
    status = STATUS.CANCELLED if code is WhyCode.CANCELLED else STATUS.ACTIVE
    subscriptions = [issues(id="A", first=1, last=2), issues(id="B", status=status)]
    assert named(summarize(asked, subscriptions)) == [("B", code)]


def test_a_subscriber_without_a_subscription_gets_no_issue() -> None:
    summary = summarize(issue(6), [])
    assert (summary.status, summary.deliveries) == (None, [])


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
