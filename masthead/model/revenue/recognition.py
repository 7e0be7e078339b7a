"""The rules by which the price of an order is earned. Amounts are minor units of its currency.

An issue subscription earns its price issue by issue: the first k of L issues together carry the
price times k / L, rounded down. A refund takes back the last issues first. A sent issue is earned,
one that is not sent is deferred. Issues that the subscriber skips carry nothing: those after them
take their places. After a cancellation, what was deferred is kept: nothing more is
owed for it. A membership earns its price day by day, by the same rules.

VAT is no revenue. What is left of the price after refunds has the VAT that its documents say, or
the rates of the day; each part of it is without VAT in the same ratio, rounded down.

Everything follows from dates, so the figures of a past day can be worked out again.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date

from msgspec import Struct, structs


class OrderState(Struct, frozen=True, kw_only=True, gc=False):
    """An order, as it stands at the end of a day.

    order_date: its date, or the day on which it was recorded. refunds: paid back by that day, at
    most the price. vat: in what is left of the price. first_issue, last_issue: None for
    memberships. sent: the issues whose copies were sent by that day. skipped: the issues that the
    subscriber leaves out. added: how many of them one more issue at the end makes up for.
    period_start, period_end: first and last day, None for issue subscriptions. cancelled_date:
    None unless it is cancelled on that day.
    """

    period_id: int
    order_id: str
    subscription_id: str
    order_date: date
    currency: str
    price: int
    refunds: int
    first_issue: int | None
    last_issue: int | None
    sent: Collection[int]
    period_start: date | None
    period_end: date | None
    cancelled_date: date | None
    skipped: Collection[int] = ()
    added: int = 0
    vat: int = 0

    @property
    def left(self) -> int:
        """What is left of the price after refunds, with VAT."""
        return self.price - self.refunds

    @property
    def net(self) -> int:
        """What is left of the price after refunds, without VAT."""
        return self.left - self.vat

    @property
    def is_membership(self) -> bool:
        """Whether it is paid for days, not for issues."""
        return self.first_issue is None


class Recognition(Struct, frozen=True, gc=False):
    """The parts of the price of an order: their sum is the price, and none is negative.

    earned, deferred, kept: without VAT. refunds: with it. vat: in what is left after refunds.
    earned_by_issue, deferred_by_issue: the same by issue number, for issue subscriptions; every
    sent issue is in the first, every announced one that is owed in the second. later: the part of
    `deferred` for issues not yet announced; later_issues: how many are owed.
    """

    earned: int
    deferred: int
    kept: int
    refunds: int
    earned_by_issue: Mapping[int, int] = {}
    deferred_by_issue: Mapping[int, int] = {}
    later: int = 0
    later_issues: int = 0
    vat: int = 0


def expect_sent(order: OrderState, numbers: Collection[int]) -> OrderState:
    """The order after some issues were sent to all who still get them.

    A cancelled order gets none, and a membership is earned by days.
    """
    if order.first_issue is None or order.last_issue is None or order.cancelled_date is not None:
        return order
    more = {
        number
        for number in numbers
        if order.first_issue <= number <= order.last_issue and number not in order.skipped
    }
    return structs.replace(order, sent=more.union(order.sent))


def carried(price: int, places: int, of: int) -> int:
    """What the first `places` of `of` issues or days carry together, rounded down."""
    return price * places // of


def _carried_net(order: OrderState, places: int, of: int) -> int:
    """The same after refunds, without VAT."""
    left = order.price - order.refunds
    return (left - order.vat) * min(carried(order.price, places, of), left) // (left or 1)


def issue_share(order: OrderState, number: int) -> int:
    """What an issue of an order carries after refunds, without VAT."""
    return issue_shares(order, [number])[number]


def issue_shares(order: OrderState, numbers: Iterable[int]) -> dict[int, int]:
    """What each of some issues of an order carries after refunds, without VAT, by its number."""
    assert order.first_issue is not None
    assert order.last_issue is not None
    length = order.last_issue - order.first_issue + 1 - order.added
    shares = {}
    for number in numbers:
        place = number - order.first_issue
        if order.skipped:
            place -= sum(each < number for each in order.skipped)
        shares[number] = _carried_net(order, place + 1, length) - _carried_net(order, place, length)
    return shares


def recognize(order: OrderState, day: date, announced: Sequence[int]) -> Recognition:
    """The parts of the price of an order on a day.

    announced: the numbers of the issues that exist, lowest first. A period may have any number of
    issues, so only these are looked at.
    """
    if order.first_issue is None or order.last_issue is None:
        return _recognize_days(order, day)
    first = bisect_left(announced, order.first_issue)
    numbers = announced[first : bisect_right(announced, order.last_issue)]
    if order.skipped:
        numbers = [number for number in numbers if number not in order.skipped]
    earned: dict[int, int] = {}
    unsent: dict[int, int] = {}
    for number, share in issue_shares(order, numbers).items():
        part = earned if number in order.sent else unsent
        part[number] = share
    whole = sum(earned.values())
    rest = order.net - whole
    if order.cancelled_date is not None:
        return Recognition(whole, 0, rest, order.refunds, earned, vat=order.vat)
    return Recognition(
        whole,
        rest,
        0,
        order.refunds,
        earned,
        unsent,
        rest - sum(unsent.values()),
        order.last_issue - order.first_issue + 1 - len(order.skipped) - len(numbers),
        order.vat,
    )


def _recognize_days(order: OrderState, day: date) -> Recognition:
    """A membership earns until the day, or until it was cancelled.

    A period that ends before it starts, which only a program can write, counts as one day.
    """
    assert order.period_start is not None
    assert order.period_end is not None
    length = max((order.period_end - order.period_start).days + 1, 1)
    until = day if order.cancelled_date is None else min(day, order.cancelled_date)
    passed = min(max((until - order.period_start).days + 1, 0), length)
    earned = _carried_net(order, passed, length)
    rest = order.net - earned
    if order.cancelled_date is not None:
        return Recognition(earned, 0, rest, order.refunds, vat=order.vat)
    return Recognition(earned, rest, 0, order.refunds, vat=order.vat)
