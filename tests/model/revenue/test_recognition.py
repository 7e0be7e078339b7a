"""The price of an order is earned, deferred, kept or refunded: always all of it, never twice."""

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given, strategies as st

from masthead.model.revenue.recognition import OrderState, issue_share, recognize

DAY = date(2026, 12, 31)
ORDER: dict[str, Any] = {
    "period_id": 7,
    "order_id": "1001",
    "subscription_id": "S",
    "order_date": date(2026, 1, 15),
    "currency": "EUR",
    "price": 4200,
    "refunds": 0,
    "first_issue": 21,
    "last_issue": 24,
    "sent": (),
    "period_start": None,
    "period_end": None,
    "cancelled_date": None,
}
MEMBERSHIP = {
    **ORDER,
    "first_issue": None,
    "last_issue": None,
    "period_start": date(2026, 12, 22),
    "period_end": date(2026, 12, 31),
}
ALL = range(1, 40)


def order(**fields: Any) -> OrderState:
    return OrderState(**{**ORDER, **fields})


def member(**fields: Any) -> OrderState:
    return OrderState(**{**MEMBERSHIP, **fields})


def parts(state: OrderState, day: date = DAY, announced: Any = ALL) -> tuple[int, int, int]:
    found = recognize(state, day, announced)
    return found.earned, found.deferred, found.kept


def test_nothing_is_earned_before_an_issue_is_sent() -> None:
    assert parts(order()) == (0, 4200, 0)


def test_each_sent_issue_earns_its_share() -> None:
    found = recognize(order(sent={21, 23}), DAY, ALL)
    assert (found.earned, found.deferred) == (2100, 2100)
    assert found.earned_by_issue == {21: 1050, 23: 1050}
    assert found.deferred_by_issue == {22: 1050, 24: 1050}


def test_the_first_issues_together_are_rounded_down() -> None:
    state = order(price=100, first_issue=1, last_issue=3)
    assert [issue_share(state, number) for number in (1, 2, 3)] == [33, 33, 34]


def test_a_refund_takes_back_the_last_issues_first() -> None:
    state = order(refunds=1500)
    assert [issue_share(state, number) for number in range(21, 25)] == [1050, 1050, 600, 0]


def test_each_part_is_without_vat_in_the_same_ratio() -> None:
    state = order(price=10_700, vat=700, sent={21})
    assert [issue_share(state, number) for number in range(21, 25)] == [2500] * 4
    assert parts(state) == (2500, 7500, 0)
    assert parts(member(price=10_700, vat=700), date(2026, 12, 24)) == (3000, 7000, 0)


def test_a_refund_takes_back_the_last_issues_first_without_their_vat() -> None:
    state = order(price=10_700, refunds=4_280, vat=420)  # 64.20 are left, 60.00 without VAT
    assert [issue_share(state, number) for number in range(21, 25)] == [2500, 2500, 1000, 0]


def test_a_refund_of_sent_issues_takes_back_what_they_earned() -> None:
    assert parts(order(refunds=4200, sent={21, 22})) == (0, 0, 0)
    assert parts(order(refunds=3000, sent={21, 22})) == (1200, 0, 0)


def test_after_a_cancellation_the_rest_is_kept() -> None:
    state = order(sent={21}, refunds=1000, cancelled_date=DAY)
    assert parts(state) == (1050, 0, 2150)


def test_issues_not_yet_announced_are_one_sum() -> None:
    found = recognize(order(sent={21}), DAY, [20, 21, 22])
    assert found.deferred_by_issue == {22: 1050}
    assert (found.later, found.later_issues) == (2100, 2)


def test_a_period_of_many_issues_costs_no_more_than_the_announced_ones() -> None:
    found = recognize(order(last_issue=2**31 - 1, sent={21}), DAY, [21, 22])
    assert (found.earned, found.deferred, found.later_issues) == (0, 4200, 2**31 - 1 - 22)


@pytest.mark.parametrize(
    "day, earned",
    [("2026-12-21", 0), ("2026-12-22", 420), ("2026-12-26", 2100), ("2027-06-01", 4200)],
)
def test_a_membership_earns_by_days(day: str, earned: int) -> None:
    assert parts(member(), date.fromisoformat(day)) == (earned, 4200 - earned, 0)


def test_a_cancelled_membership_earns_until_it_was_cancelled() -> None:
    state = member(cancelled_date=date(2026, 12, 23))
    assert parts(state) == (840, 0, 3360)
    assert parts(state, date(2026, 12, 22)) == (420, 0, 3780)


def test_a_refund_takes_back_the_last_days_first() -> None:
    assert parts(member(refunds=1000), date(2026, 12, 26)) == (2100, 1100, 0)
    assert parts(member(refunds=3000), date(2026, 12, 26)) == (1200, 0, 0)


def test_a_period_that_ends_before_it_starts_counts_as_one_day() -> None:
    start = date(2026, 12, 22)
    for days in (1, 2):
        state = member(period_start=start, period_end=start - timedelta(days=days))
        assert parts(state, start - timedelta(days=1)) == (0, 4200, 0)
        assert parts(state, start) == (4200, 0, 0)


@st.composite
def states(draw: st.DrawFn) -> OrderState:
    """Any order: prices from nothing, refunds up to the price, any issues or days, cancelled."""
    price = draw(st.integers(0, 10**11 - 1))
    fields: dict[str, Any] = {
        "price": price,
        "refunds": draw(st.sampled_from([0, price]) | st.integers(0, price)),
        "cancelled_date": draw(st.none() | st.dates()),
    }
    left = price - fields["refunds"]
    fields["vat"] = draw(st.sampled_from([0, left]) | st.integers(0, left))
    if draw(st.booleans()):
        start, end = draw(st.dates()), draw(st.dates())  # also an end before the start
        return member(**fields, period_start=start, period_end=end)
    first = draw(st.integers(1, 30))
    last = first + draw(st.integers(0, 30))
    sent = draw(st.sets(st.integers(first, last)))
    return order(**fields, first_issue=first, last_issue=last, sent=sent)


@given(states(), st.dates(), st.sets(st.integers(1, 60)))
def test_the_parts_are_the_price_and_none_is_negative(
    state: OrderState, day: date, announced: set[int]
) -> None:
    found = recognize(state, day, sorted(announced | set(state.sent)))
    net = found.earned + found.deferred + found.kept
    assert net + found.refunds + found.vat == state.price
    by_issue = [*found.earned_by_issue.values(), *found.deferred_by_issue.values()]
    parts = [found.earned, found.deferred, found.kept, found.later, found.later_issues]
    assert min(*parts, *by_issue, 0) == 0
    if state.cancelled_date is not None:
        assert found.deferred == 0
    if not state.is_membership:
        assert sum(found.earned_by_issue.values()) == found.earned
        assert sum(found.deferred_by_issue.values()) + found.later == found.deferred
        assert set(found.earned_by_issue) == set(state.sent)


@given(states(), st.dates(max_value=date(9000, 1, 1)), st.integers(0, 1000))
def test_time_never_takes_back_what_a_membership_earned(
    state: OrderState, day: date, days: int
) -> None:
    later = recognize(state, day + timedelta(days=days), range(1, 61))
    assert later.earned >= recognize(state, day, range(1, 61)).earned


@given(states(), st.dates())
def test_every_issue_sent_in_full_earns_all_that_is_not_refunded(
    state: OrderState, day: date
) -> None:
    if state.first_issue is None or state.last_issue is None:
        return
    issues = range(state.first_issue, state.last_issue + 1)
    full = order(
        price=state.price,
        refunds=state.refunds,
        vat=state.vat,
        first_issue=state.first_issue,
        last_issue=state.last_issue,
        sent=issues,
    )
    assert parts(full, day, issues) == (state.price - state.refunds - state.vat, 0, 0)
