"""Issues that a subscription leaves out: one more at the end, or their money back."""

from typing import Any

import pytest
from hypothesis import given, strategies as st
from msgspec import structs

from masthead.model.errors import Invalid
from masthead.model.orders.offers import MAX_LENGTH
from masthead.model.revenue.recognition import OrderState, recognize
from masthead.model.subscriptions.skips import (
    Instead,
    PeriodRange,
    SkippedIssue,
    credits_for,
    lay_out,
    require_last_free,
    require_room,
    require_skippable,
    require_taken_back,
    require_terms_without_skips,
)
from masthead.model.subscriptions.stored import StoredPeriod
from masthead.model.subscriptions.terms import ExistingCopy
from masthead.model.types.fields import MAX_NUMBER
from tests.model.revenue.test_recognition import ALL, DAY, order
from tests.model.subscriptions.test_groups import row


def period(id: int, first: int, length: int, **fields: Any) -> StoredPeriod:
    empty: dict[str, Any] = dict.fromkeys(
        "transaction_id order_date interval_months period_start period_end promo_code "
        "source_id source_name".split()
    )
    values: dict[str, Any] = {
        **empty,
        "id": id,
        "subscription_id": "S",
        "order_id": str(id),
        "is_complete": False,
        "first_issue": first,
        "last_issue": first + length - 1,
        "length": length,
        "price": 4000,
        "discount_amount": 0,
        "refunded": 0,
        "currency": "EUR",
    }
    return StoredPeriod(**(values | fields))


def test_an_added_issue_moves_the_orders_that_follow() -> None:
    ranges = lay_out([period(1, 10, 4), period(2, 14, 2)], {12})
    assert [(each.first, each.last, each.length) for each in ranges] == [(10, 14, 5), (15, 16, 2)]


def test_a_skipped_issue_that_moves_into_another_order_is_made_up_for_there() -> None:
    ranges = lay_out([period(1, 10, 4), period(2, 14, 3, skipped="14", added=1)], {12, 14})
    assert [(each.first, each.last) for each in ranges] == [(10, 15), (16, 17)]


@given(
    lengths=st.lists(st.integers(1, 6), min_size=1, max_size=3),
    added=st.sets(st.integers(10, 24), max_size=5),
)
def test_each_order_delivers_as_many_issues_as_were_paid(
    lengths: list[int], added: set[int]
) -> None:
    ranges = lay_out([period(id, 10, length) for id, length in enumerate(lengths)], added)
    delivered = [len(set(range(each.first, each.last + 1)) - added) for each in ranges]
    assert delivered == lengths
    assert ranges[0].first == 10


def test_a_credit_leaves_the_other_issues_what_they_cost() -> None:
    assert credits_for([period(1, 10, 4)], [12]) == {12: (1, 1000)}
    assert credits_for([period(1, 10, 3, price=1000)], [10]) == {10: (1, 334)}
    assert credits_for([period(1, 10, 4)], [11, 12]) == {11: (1, 1000), 12: (1, 1000)}


def test_an_earlier_refund_is_taken_from_the_last_issue_first() -> None:
    assert credits_for([period(1, 10, 4, refunded=400)], [12]) == {12: (1, 600)}
    with pytest.raises(Invalid, match="Nothing is left of the price of issue 12"):
        credits_for([period(1, 10, 4, refunded=1000)], [12])


@given(
    price=st.integers(1, 10_000),
    length=st.integers(1, 8),
    skips=st.sets(st.integers(0, 7), min_size=1, max_size=4),
    is_added=st.booleans(),
)
def test_all_of_the_price_is_earned_once_the_other_issues_are_sent(
    price: int, length: int, skips: set[int], is_added: bool
) -> None:
    numbers = sorted(10 + skip % length for skip in skips)
    plain = period(1, 10, length, price=price)
    refunds = 0
    [now] = lay_out([plain], set(numbers) if is_added else ())
    if not is_added:
        try:
            refunds = sum(amount for _, amount in credits_for([plain], set(numbers)).values())
        except Invalid:  # an issue that cost nothing
            return
    included = set(range(now.first, now.last + 1)) - set(numbers)
    state = OrderState(
        **{
            name: getattr(order(price=price, refunds=refunds), name)
            for name in OrderState.__struct_fields__
            if name not in ("first_issue", "last_issue", "sent", "skipped", "added")
        },
        first_issue=now.first,
        last_issue=now.last,
        sent=included,
        skipped=set(numbers),
        added=len(set(numbers)) if is_added else 0,
    )
    found = recognize(state, DAY, ALL)
    assert (found.earned, found.deferred) == (price - refunds, 0)
    assert set(found.earned_by_issue) == included


def test_what_was_earned_before_a_skip_stays() -> None:
    before = recognize(order(sent={21, 22}), DAY, ALL)
    longer = order(last_issue=25, sent={21, 22}, skipped={23}, added=1)
    after = recognize(longer, DAY, range(1, 25))
    assert after.earned_by_issue == before.earned_by_issue
    assert after.deferred_by_issue == {24: 1050}
    assert (after.deferred, after.later, after.later_issues) == (before.deferred, 1050, 1)


def test_other_terms_would_lose_skipped_issues() -> None:
    require_terms_without_skips({12}, is_shifted=False, last_issue=12)
    for is_shifted, last_issue, field in ((True, 20, "start_issue"), (False, 11, "length")):
        with pytest.raises(Invalid, match=r"Issue 12 is skipped\. Take that back first") as refusal:
            require_terms_without_skips({12}, is_shifted=is_shifted, last_issue=last_issue)
        assert refusal.value.field == field


@pytest.mark.parametrize(
    "number, code",
    [
        *((0, "not_included"), (5, "not_included"), (1, "already_skipped")),
        *((2, "already_sent"), (3, "copy_in_run"), (4, "issue_is_out")),
    ],
)
def test_an_issue_that_cannot_be_skipped_says_why(number: int, code: str) -> None:
    copies = [ExistingCopy(2, 2, is_sent=True, run=None), ExistingCopy(3, 3, is_sent=False, run=7)]
    with pytest.raises(Invalid) as refusal:
        require_skippable(row("A"), [number], skipped={1}, out={4}, copies=copies)
    assert refusal.value.code == code


def test_only_a_skipped_issue_that_is_not_out_can_be_taken_back() -> None:
    skipped = {3: SkippedIssue("A", 3, Instead.ADDED, None)}
    assert require_taken_back(3, skipped, out={2}) == skipped[3]
    for number, out, code in ((2, set[int](), "not_skipped"), (3, {3}, "issue_is_out")):
        with pytest.raises(Invalid, match=f"Issue {number} is") as refusal:
            require_taken_back(number, skipped, out=out)
        assert refusal.value.code == code


def test_an_added_issue_goes_only_while_its_copy_is_free() -> None:
    ranges = lay_out([period(1, 10, 4)], ())
    free = [
        ExistingCopy(1, 13, is_sent=True, run=None),
        ExistingCopy(2, 14, is_sent=False, run=None),
    ]
    require_last_free(ranges, free)
    for copy in (structs.replace(free[1], is_sent=True), structs.replace(free[1], run=7)):
        with pytest.raises(Invalid, match="The copy of issue 14") as refusal:
            require_last_free(ranges, [copy])
        assert refusal.value.code == "copy_in_run"


def test_an_order_has_room_for_a_limited_number_of_issues() -> None:
    require_room([PeriodRange(1, 1, MAX_LENGTH)])
    too_long = PeriodRange(1, 1, MAX_LENGTH + 1)
    too_high = PeriodRange(1, MAX_NUMBER - 2, MAX_NUMBER + 1)
    for each in (too_long, too_high):
        with pytest.raises(Invalid, match="would be too long"):
            require_room([each])
