"""What a period covers: its issues by number, or its days."""

from collections.abc import Iterable, Iterator
from datetime import date

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.lifecycle import day_after, issues_covered, window_end
from masthead.model.orders.order import Order, check_window
from masthead.model.types.enums import SubscriptionType


class Span(Struct, frozen=True):
    """What a period covers: issues by number, or days. length: issues, None for memberships."""

    first_issue: int | None
    last_issue: int | None
    length: int | None
    interval_months: int | None
    period_start: date | None
    period_end: date | None


def span_of(order: Order) -> Span:
    """The first period of a new subscription."""
    if order.type is SubscriptionType.MEMBERSHIP:
        return Span(None, None, None, order.interval_months, order.period_start, order.period_end)
    assert order.start_issue is not None
    assert order.length is not None
    numbers = issues_covered(order.start_issue, order.length)
    return Span(numbers[0], numbers[-1], order.length, None, None, None)


def renewal_span(order: Order, last: Span) -> Span:
    """The period that a renewal adds after the last one, with what it leaves open filled in.

    Raises: Invalid if what it states does not follow on the last period.
    """
    if last.period_end is None:
        assert last.last_issue is not None
        first_issue = last.last_issue + 1
        if order.start_issue not in (None, first_issue):
            raise Invalid(
                f"`start_issue` is {order.start_issue}, but the renewal starts with issue "
                f"{first_issue}, after the last one bought; leave `start_issue` empty.",
                field="start_issue",
                value=order.start_issue,
            )
        length = order.length or last.length
        assert length is not None
        return Span(first_issue, first_issue + length - 1, length, None, None, None)
    period_start = order.period_start or day_after(last.period_end) or last.period_end
    if period_start <= last.period_end:
        raise Invalid(
            f"`period_start` is {period_start}, but the period before lasts until "
            f"{last.period_end}; start later, or leave `period_start` empty.",
            field="period_start",
            value=period_start,
        )
    interval_months = order.interval_months or last.interval_months
    assert interval_months is not None
    period_end = order.period_end or window_end(period_start, interval_months)
    check_window(period_start, period_end)
    return Span(None, None, None, interval_months, period_start, period_end)


class Spread(Struct, frozen=True):
    """Neighbouring numbers, from the first to the last."""

    first: int
    last: int


def spreads(numbers: Iterable[int]) -> Iterator[Spread]:
    """Numbers, lowest first, with neighbours drawn together: 1, 2, 3, 7 are 1–3 and 7."""
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
