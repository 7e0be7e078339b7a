"""Copies of issues that are out: which count as sent when an order comes in."""

from datetime import date
from typing import Any

import pytest
from msgspec import structs

from masthead.model.errors import Invalid
from masthead.model.orders.decide import decide
from masthead.model.orders.order import Order
from masthead.model.orders.order_plan import OrderPlan
from masthead.model.orders.period_coverage import DatedIssue
from masthead.model.orders.released_issues import (
    covered_released,
    read_sent_through,
    released_numbers,
)
from masthead.model.types.enums import CopyStatus, SubscriptionStatus, SubscriptionType
from tests.model.orders.test_decide import (
    CANCELLED,
    COMPLETE,
    DAYS,
    ISSUES,
    TODAY,
    context_of,
    order_of,
    renewal_of,
    statuses,
)
from tests.support.cases import for_each

SENT, NOT_SENT = CopyStatus.SENT, CopyStatus.NOT_SENT
FOUR = [*ISSUES, DatedIssue("issue-4", 4, date(2026, 7, 1))]  # issue 4 is out tomorrow


def decided(*orders: Order, out: frozenset[int] = frozenset({1, 2, 3})) -> OrderPlan:
    """The plan of orders while three issues of four are out."""
    return decide(context_of(issues=FOUR, out=out), orders)


def test_an_issue_is_out_from_its_release_date_or_up_to_the_current_one() -> None:
    undated = [DatedIssue(f"issue-{number}", number, None) for number in (5, 6, 7)]
    assert released_numbers([*FOUR, *undated], day=TODAY, current=6) == {1, 2, 3, 5, 6}
    assert released_numbers(undated, day=TODAY, current=None) == set()


def test_copies_up_to_an_issue_that_is_out_count_as_sent_without_a_date() -> None:
    plan = decided(order_of(length=4, sent_through=2))
    [period] = plan.periods
    assert statuses(plan) == [[SENT, SENT, NOT_SENT, NOT_SENT]]
    assert {each.date_sent for each in period.copies} == {None}
    assert period.out == [1, 2, 3]
    [event] = plan.audit_entries
    assert event.after is not None
    assert event.after["taken_as_sent"] == "1–2"


def test_nothing_counts_as_sent_unless_the_order_says_so() -> None:
    for order in (order_of(sent_through=0), order_of()):
        plan = decided(order)
        assert statuses(plan) == [[NOT_SENT, NOT_SENT]]
        assert "taken_as_sent" not in (plan.audit_entries[0].after or {})


def test_a_subscription_whose_issues_all_count_as_sent_is_complete() -> None:
    [subscription] = decided(order_of(sent_through=3)).subscriptions
    assert subscription["status"] == COMPLETE


def test_what_an_order_says_about_sent_copies_stays() -> None:
    day = date(2026, 1, 20)
    plan = decided(order_of(sent={1: day}, sent_through=3))
    [period] = plan.periods
    assert [each.date_sent for each in period.copies] == [day, None]
    assert period.out == [2]


def test_a_membership_counts_the_issues_of_its_days() -> None:
    assert statuses(decided(order_of(**DAYS, sent_through=3))) == [[SENT, SENT, SENT, NOT_SENT]]


def test_copies_of_a_cancelled_subscription_are_neither_sent_nor_to_send() -> None:
    plan = decided(order_of(status=CANCELLED, sent_through=3))
    assert statuses(plan) == [[CopyStatus.CANCELLED] * 2]
    assert not plan.periods[0].out


def test_a_later_cancellation_in_the_same_batch_leaves_what_counts_as_sent() -> None:
    """So it does not matter how many rows of an import are written together."""
    late = renewal_of("A1", length=2, status=CANCELLED, sent_through=3)
    plan = decided(order_of(sent_through=3), late)
    assert statuses(plan) == [[SENT, SENT], [CopyStatus.CANCELLED] * 2]
    assert plan.subscriptions[0]["status"] == SubscriptionStatus.CANCELLED


@for_each(
    "number, out, said",
    [
        (9, {1, 2, 3}, "there is no issue with that number. Use the number .* newest one is 3"),
        (4, {1, 2, 3}, "issue 4 is not out yet. Use the number of an issue that is out"),
        (4, set(), "No issue is out yet, so leave it out"),
    ],
)
def test_an_issue_that_is_not_out_is_refused(number: int, out: set[int], said: str) -> None:
    plan = decided(order_of(sent_through=number), out=frozenset(out))
    [refusal] = plan.outcomes
    assert isinstance(refusal, Invalid)
    assert (refusal.field, refusal.value) == ("sent_through", number)
    with pytest.raises(Invalid, match=said):
        raise refusal
    assert not plan.periods


def test_the_answer_is_a_number_or_a_word() -> None:
    assert [read_sent_through(text) for text in (" 21", "Released", "none")] == [
        21,
        "released",
        "none",
    ]
    for text in ("", "0", "-1", "all", "2.5", "99999999999", "٣"):
        with pytest.raises(Invalid, match="expected an issue number, `released` or `none`"):
            read_sent_through(text)


MONTHS = {"type": SubscriptionType.MEMBERSHIP, "interval_months": 2}
OUT = {1: date(2026, 1, 1), 2: date(2026, 2, 1), 3: None}


@for_each(
    "given, numbers",
    [
        ({"start_issue": 2, "length": 9}, [2, 3]),
        ({"start_issue": 4, "length": 9}, []),
        ({"start_issue": 2}, [2, 3]),
        ({"length": 2}, []),
        ({**MONTHS, "period_start": date(2026, 2, 1)}, [2]),
        ({**MONTHS, "order_date": date(2025, 12, 5)}, [1, 2]),
        (MONTHS, []),
    ],
)
def test_the_form_counts_what_the_order_covers(given: dict[str, Any], numbers: list[int]) -> None:
    assert covered_released(given, OUT) == numbers


def test_an_order_is_as_before_without_the_field() -> None:
    assert structs.asdict(order_of())["sent_through"] is None
