"""Did they get that issue, and why not: the pure rule, as tables."""

from datetime import UTC, date, datetime

import pytest

from masthead.model.orders.period_coverage import PeriodCoverage, Spread, spreads
from masthead.model.reports.timeline import (
    Bought,
    Cause,
    Deed,
    Fate,
    IssueFacts,
    Line,
    Sending,
    Verdict,
    Why,
    tell,
)
from masthead.model.types.enums import CopyStatus, SubscriptionStatus, SubscriptionType

TODAY = date(2026, 6, 30)
DEED = Deed(datetime(2026, 4, 2, 9, 0, tzinfo=UTC), "anna@acme.test")
STATUS = SubscriptionStatus


def issues(
    first: int = 5,
    last: int = 8,
    status: SubscriptionStatus = STATUS.ACTIVE,
    id: str = "A",
    *,
    is_recurring: bool = False,
) -> Bought:
    """A subscription for issues, in one period."""
    return Bought(
        id=id,
        type=SubscriptionType.SUBSCRIPTION,
        status=status,
        is_recurring=is_recurring,
        ordered=date(2026, 3, 1),
        spans=[PeriodCoverage(first, last, last - first + 1, None, None, None)],
        cancelled=DEED if status is STATUS.CANCELLED else None,
        stopped=DEED if status in (STATUS.RENEWALS_STOPPED, STATUS.COMPLETE) else None,
    )


def member(
    *windows: tuple[str, str],
    status: SubscriptionStatus = STATUS.ACTIVE,
    is_recurring: bool = True,
) -> Bought:
    """A membership with those periods."""
    return Bought(
        id="M",
        type=SubscriptionType.MEMBERSHIP,
        status=status,
        is_recurring=is_recurring,
        ordered=None,
        spans=[
            PeriodCoverage(None, None, None, 1, date.fromisoformat(start), date.fromisoformat(end))
            for start, end in windows
        ],
        cancelled=DEED if status is STATUS.CANCELLED else None,
    )


def issue(number: int, released: str | None = None) -> IssueFacts:
    """An issue that exists."""
    return IssueFacts(
        number, f"I{number}", f"Issue {number}", date.fromisoformat(released) if released else None
    )


def only(line: Line) -> Fate:
    """The one fate of an issue."""
    [fate] = line.fates
    assert line.verdict is fate.verdict
    return fate


@pytest.mark.parametrize(
    "status, released, verdict",
    [
        (CopyStatus.SENT, None, Verdict.SENT),
        (CopyStatus.NOT_SENT, "2026-06-30", Verdict.WAITING),
        (CopyStatus.NOT_SENT, "2026-07-01", Verdict.TO_COME),
        (CopyStatus.NOT_SENT, None, Verdict.TO_COME),
        (CopyStatus.CANCELLED, "2026-06-30", Verdict.CANCELLED),
    ],
)
def test_a_copy_answers_for_its_issue(
    status: CopyStatus, released: str | None, verdict: Verdict
) -> None:
    copies = {"A": Sending(7, status)}
    fate = only(tell(issue(5, released), [issues()], copies, day=TODAY))
    assert (fate.verdict, fate.copy_id, fate.day) == (verdict, 7, None)


def test_a_sent_copy_tells_the_day() -> None:
    copies = {"A": Sending(7, CopyStatus.SENT, date(2026, 5, 3))}
    assert only(tell(issue(5), [issues()], copies, day=TODAY)).day == date(2026, 5, 3)


def test_a_cancelled_copy_tells_who_cancelled_its_subscription_and_when() -> None:
    copies = {"A": Sending(7, CopyStatus.CANCELLED)}
    fate = only(tell(issue(5), [issues(status=STATUS.CANCELLED)], copies, day=TODAY))
    assert fate.deed is DEED


@pytest.mark.parametrize(
    "number, bought, why, told",
    [
        (4, issues(), Why.STARTS, (5, date(2026, 3, 1), None, None)),
        (9, issues(), Why.ENDED, (8, None, Cause.ONCE, None)),
        (9, issues(is_recurring=True), Why.ENDED, (8, None, Cause.NOT_RENEWED, None)),
        (
            9,
            issues(status=STATUS.RENEWALS_STOPPED, is_recurring=True),
            Why.ENDED,
            (8, None, Cause.STOPPED, DEED),
        ),
        (
            9,
            issues(status=STATUS.COMPLETE, is_recurring=True),
            Why.ENDED,
            (8, None, Cause.STOPPED, DEED),
        ),
        (9, issues(status=STATUS.CANCELLED), Why.ENDED, (8, None, Cause.CANCELLED, DEED)),
        (
            7,
            issues(status=STATUS.CANCELLED),
            Why.CANCELLED_BEFORE,
            (None, None, Cause.CANCELLED, DEED),
        ),
    ],
)
def test_an_issue_without_a_copy_says_why(
    number: int, bought: Bought, why: Why, told: tuple[object, ...]
) -> None:
    fate = only(tell(issue(number), [bought], {}, day=TODAY))
    assert (fate.verdict, fate.why) == (Verdict.NOT_INCLUDED, why)
    assert (fate.number, fate.day, fate.cause, fate.deed) == told


def test_an_issue_that_was_bought_and_does_not_exist_is_to_come() -> None:
    fate = only(tell(IssueFacts(7), [issues()], {}, day=TODAY))
    assert (fate.verdict, fate.why, fate.copy_id) == (Verdict.TO_COME, None, None)


YEARS = (("2024-01-01", "2024-12-31"), ("2026-01-01", "2026-03-31"))


@pytest.mark.parametrize(
    "released, why, day",
    [
        (None, Why.UNDATED, None),
        ("2023-12-31", Why.BEGINS, date(2024, 1, 1)),
        ("2025-06-01", Why.UNPAID, date(2024, 12, 31)),
        ("2026-04-01", Why.PAID_UNTIL, date(2026, 3, 31)),
    ],
)
def test_a_membership_is_judged_by_the_day_of_release(
    released: str | None, why: Why, day: date | None
) -> None:
    bought = member(*YEARS, status=STATUS.PAST_DUE)
    fate = only(tell(issue(7, released), [bought], {}, day=TODAY))
    assert (fate.why, fate.day) == (why, day)
    assert fate.cause is (Cause.NOT_RENEWED if why is Why.PAID_UNTIL else None)


def test_a_cancelled_membership_gets_no_issue_of_its_paid_time() -> None:
    bought = member(*YEARS, status=STATUS.CANCELLED)
    fate = only(tell(issue(7, "2026-02-01"), [bought], {}, day=TODAY))
    assert (fate.why, fate.deed) == (Why.CANCELLED_BEFORE, DEED)


def test_of_many_subscriptions_those_tell_that_have_a_copy() -> None:
    copies = {"B": Sending(7, CopyStatus.SENT), "C": Sending(8, CopyStatus.CANCELLED)}
    bought = [issues(id="A", first=9, last=9), issues(id="B"), issues(id="C")]
    line = tell(issue(5), bought, copies, day=TODAY)
    assert [fate.subscription_id for fate in line.fates] == ["B", "C"]
    assert line.verdict is Verdict.SENT


def test_of_many_without_a_copy_the_closest_tell() -> None:
    bought = [
        issues(id="A", first=1, last=2),
        issues(id="B", first=3, last=4),
        issues(id="C", first=9, last=9),
        issues(id="D", first=12, last=20),
        member(("2020-01-01", "2020-12-31")),
    ]
    line = tell(issue(6, "2026-05-01"), bought, {}, day=TODAY)
    assert [(fate.subscription_id, fate.why) for fate in line.fates] == [
        ("B", Why.ENDED),
        ("M", Why.PAID_UNTIL),
        ("C", Why.STARTS),
    ]
    assert line.verdict is Verdict.NOT_INCLUDED


def test_a_cancel_before_the_issue_says_more_than_all_others() -> None:
    bought = [issues(id="A", first=1, last=2), issues(id="B", status=STATUS.CANCELLED)]
    assert only(tell(issue(6), bought, {}, day=TODAY)).subscription_id == "B"


def test_who_has_no_subscription_gets_no_issue() -> None:
    line = tell(issue(6), [], {}, day=TODAY)
    assert (line.verdict, line.fates) == (Verdict.NOT_INCLUDED, [])


@pytest.mark.parametrize(
    "numbers, told",
    [
        ([], []),
        ([4], [(4, 4)]),
        ([1, 2, 3, 7, 9, 10], [(1, 3), (7, 7), (9, 10)]),
    ],
)
def test_neighbouring_numbers_are_drawn_together(
    numbers: list[int], told: list[tuple[int, int]]
) -> None:
    assert list(spreads(numbers)) == [Spread(*each) for each in told]
