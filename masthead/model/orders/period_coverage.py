"""Period coverage: the issues or days that the period of an order covers."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Container, Iterable, Iterator
from datetime import date, timedelta
from functools import lru_cache

from dateutil.relativedelta import relativedelta
from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.orders.order import Order
from masthead.model.subscriptions.lifecycle import issues_covered, next_day
from masthead.model.translations import gettext as _
from masthead.model.types.enums import SubscriptionType
from masthead.model.types.fields import MAX_NUMBER


class PeriodCoverage(Struct, frozen=True, gc=False):
    """The issues or days of a period. length: the number of issues; None for memberships."""

    first_issue: int | None
    last_issue: int | None
    length: int | None
    interval_months: int | None
    period_start: date | None
    period_end: date | None


class DatedIssue(Struct, frozen=True, gc=False):
    """An issue that orders may cover. date: its release date; None if it has none yet."""

    id: str
    number: int
    date: date | None


class Issues:
    """The issues that orders may cover, by number."""

    def __init__(self, issues: Iterable[DatedIssue]) -> None:
        self._by_number = {issue.number: issue for issue in issues}
        self._dated = sorted(
            (issue.date, issue.number) for issue in self._by_number.values() if issue.date
        )

    def __contains__(self, number: object) -> bool:
        return number in self._by_number

    def covered(
        self, coverage: PeriodCoverage, *, sent: Collection[int], received: Collection[int]
    ) -> list[DatedIssue]:
        """The existing issues that a period adds, lowest number first.

        sent: numbers of issues whose copies were sent. received: see `cover`.
        Raises: Invalid if the period does not include one of the `sent` issues.
        """
        numbers = self._numbers(coverage)
        included = set(numbers) if sent else set()
        for number in sent:
            if number not in included:
                is_known = number in self._by_number
                reason = "the period does not include it" if is_known else "there is no such issue"
                raise Invalid(
                    f"`sent_issues` contains issue {number}, but {reason}.",
                    field="sent_issues",
                    value="|".join(map(str, sent)),
                )
        return [self._by_number[number] for number in numbers if number not in received]

    def _numbers(self, coverage: PeriodCoverage) -> list[int]:
        """The numbers of the existing issues in a period, lowest first."""
        if coverage.first_issue is not None and coverage.length is not None:
            numbers = issues_covered(coverage.first_issue, coverage.length)
            return [number for number in numbers if number in self._by_number]
        assert coverage.period_start is not None
        assert coverage.period_end is not None
        low = bisect_left(self._dated, (coverage.period_start, 0))
        high = bisect_right(self._dated, (coverage.period_end, MAX_NUMBER))
        return sorted(number for _, number in self._dated[low:high])


def cover(
    order: Order,
    issues: Issues,
    *,
    last: PeriodCoverage | None = None,
    first_day: date | None = None,
    received: Collection[int] = (),
) -> tuple[PeriodCoverage, list[DatedIssue]]:
    """The coverage of an order's period, and the existing issues that the period adds.

    last: coverage of the previous period; None for a new subscription. first_day: of the first
    period of a membership. received: numbers of the issues that the subscription already has copies
    of, which are left out.
    Raises: Invalid if the order does not continue the previous period, or its issues are wrong.
    """
    if last is None:
        coverage = _first_coverage(order, issues)
    else:
        coverage = _renewal_coverage(order, last, first_day)
    return coverage, issues.covered(coverage, sent=order.sent, received=received)


def require_issue(number: int, issues: Container[int]) -> None:
    """Raises: Invalid `unknown_start_issue` if there is no issue with that number."""
    if number not in issues:
        raise Invalid(
            _(
                "`start_issue` is {number}, but there is no issue with that number. Create the "
                "issue first with `POST /v1/issues/`, or use an existing issue."
            ).format(number=number),
            code="unknown_start_issue",
            field="start_issue",
            value=number,
        )


def _first_coverage(order: Order, issues: Issues) -> PeriodCoverage:
    """The coverage of a new subscription's first period. Raises: Invalid `unknown_start_issue`."""
    if order.type is SubscriptionType.MEMBERSHIP:
        days = order.interval_months, order.period_start, order.period_end
        return PeriodCoverage(None, None, None, *days)
    assert order.start_issue is not None
    assert order.length is not None
    require_issue(order.start_issue, issues)
    return _coverage_of_issues(order.start_issue, order.length)


def _renewal_coverage(order: Order, last: PeriodCoverage, first_day: date | None) -> PeriodCoverage:
    """The coverage of the period that a renewal adds, with defaults for empty fields.

    Raises: Invalid if the order does not continue the previous period.
    """
    if last.period_end is None:
        assert last.last_issue is not None
        first_issue = last.last_issue + 1
        if order.start_issue not in (None, first_issue):
            raise Invalid(
                f"`start_issue` is {order.start_issue}, but the renewal starts with issue "
                f"{first_issue}, which follows the previous period; leave `start_issue` empty.",
                field="start_issue",
                value=order.start_issue,
            )
        length = order.length or last.length
        assert length is not None
        return _coverage_of_issues(first_issue, length)
    period_start = order.period_start or next_day(last.period_end) or last.period_end
    if period_start <= last.period_end:
        raise Invalid(
            _(
                "`period_start` is {day}, but the previous period ends on {end}; use a later date, "
                "or leave `period_start` empty."
            ).format(day=period_start, end=last.period_end),
            field="period_start",
            value=period_start,
        )
    interval_months = order.interval_months or last.interval_months
    assert interval_months is not None
    period_end = order.period_end or membership_period_end(
        period_start, interval_months, first_day=first_day
    )
    check_window(period_start, period_end)
    return PeriodCoverage(None, None, None, interval_months, period_start, period_end)


@lru_cache(maxsize=4096)
def _coverage_of_issues(first_issue: int, length: int) -> PeriodCoverage:
    """A period of a number of issues."""
    return PeriodCoverage(first_issue, first_issue + length - 1, length, None, None, None)


def check_window(period_start: date | None, period_end: date | None) -> None:
    """Raises: Invalid if the period ends before it starts."""
    if period_start is not None and period_end is not None and period_end < period_start:
        raise Invalid(
            f"`period_end` is {period_end}, before `period_start` {period_start}.",
            field="period_end",
            value=period_end,
        )


@lru_cache(maxsize=4096)  # relativedelta takes 30 µs, and many orders have the same days
def add_months(day: date, months: int) -> date | None:
    """The same day of a later month, or the last day of that month; None after the year 9999."""
    try:
        return day + relativedelta(months=months)
    except ValueError:
        return None


def membership_period_end(
    period_start: date, interval_months: int, *, first_day: date | None = None
) -> date:
    """The last day of a membership period that starts on `period_start`.

    first_day: of the first period. A membership of 31 January, renewed on 28 February, goes on
    until 30 March: a short month does not change the day for ever.
    """
    following = add_months(period_start, interval_months)
    if following and first_day and period_start == _in_month(period_start, first_day.day):
        following = _in_month(following, first_day.day)
    return following - timedelta(days=1) if following else date.max


def _in_month(day: date, number: int) -> date:
    """The day with that number in the same month, or the last one of the month."""
    return day + relativedelta(day=number)


class Spread(Struct, frozen=True):
    """A range of consecutive numbers."""

    first: int
    last: int


def spreads(numbers: Iterable[int]) -> Iterator[Spread]:
    """The ranges in sorted numbers: 1, 2, 3, 7 become 1–3 and 7."""
    first = last = None
    for number in numbers:
        if first is None or last is None:
            first = last = number
        elif number == last + 1:
            last = number
        else:
            yield Spread(first, last)
            first = last = number
    if first is not None and last is not None:
        yield Spread(first, last)


def issue_ranges(numbers: Iterable[int]) -> str:
    """Sorted issue numbers in ranges, such as `4, 6–8`."""
    return ", ".join(
        f"{each.first}–{each.last}" if each.last > each.first else str(each.first)
        for each in spreads(numbers)
    )
