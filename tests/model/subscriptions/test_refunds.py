"""What is left to refund, and the share of what was not sent."""

from datetime import date

import pytest
from hypothesis import given, strategies as st

from masthead.model.errors import Invalid
from masthead.model.subscriptions.refunds import (
    PaidOrder,
    check_refund,
    check_refund_date,
    days_used,
)


def paid(price: int, *, refunded: int = 0, units: int = 4, used: int = 0) -> PaidOrder:
    return PaidOrder(
        subscription_id="S",
        period_id=1,
        order_id="X",
        order_date=date(2026, 1, 15),
        currency="EUR",
        price=price,
        refunded=refunded,
        units=units,
        used=used,
        is_membership=False,
    )


@pytest.mark.parametrize(
    "order, share",
    [
        (paid(4200), 4200),
        (paid(4200, used=1), 3150),
        (paid(4200, used=4), 0),
        (paid(1000, units=3, used=1), 667),  # the first issue cost 333
        (paid(4200, refunded=1000, used=1), 2150),
        (paid(4200, refunded=4000, used=1), 0),
        (paid(0), 0),
    ],
)
def test_the_share_is_what_was_not_sent_less_refunds(order: PaidOrder, share: int) -> None:
    assert order.unused_share == share


@given(
    price=st.integers(0, 10**6),
    refunded=st.integers(0, 10**6),
    units=st.integers(1, 30),
    used=st.integers(0, 40),
)
def test_the_share_is_never_more_than_what_is_left(
    price: int, refunded: int, units: int, used: int
) -> None:
    order = paid(price, refunded=min(refunded, price), units=units, used=used)
    assert 0 <= order.unused_share <= order.left


@pytest.mark.parametrize(
    "day, used",
    [
        (date(2025, 12, 31), 0),
        (date(2026, 1, 1), 1),
        (date(2026, 1, 31), 31),
        (date(2027, 1, 1), 31),
    ],
)
def test_the_days_of_a_membership_pass_one_by_one(day: date, used: int) -> None:
    assert days_used(date(2026, 1, 1), date(2026, 1, 31), day) == (31, used)


def test_a_refund_is_at_most_what_is_left() -> None:
    check_refund(paid(4200, refunded=200), 4000, shown_left="40.00 EUR", field="amount_1")
    with pytest.raises(Invalid, match=r"order X: at most 40\.00 EUR") as refusal:
        check_refund(paid(4200, refunded=200), 4001, shown_left="40.00 EUR", field="amount_1")
    assert (refusal.value.code, refusal.value.field) == ("refund_too_high", "amount_1")
    assert str(refusal.value).endswith(": at most 40.00 EUR can be refunded.")
    with pytest.raises(Invalid, match=r"^Nothing is left of the price of order .* to refund\.$"):
        check_refund(paid(4200, refunded=4200), 1, shown_left="0.00 EUR", field="amount_1")


def test_a_refund_is_dated_between_its_order_and_today() -> None:
    ordered, today = date(2026, 1, 15), date(2026, 2, 1)
    for day in (ordered, today):
        check_refund_date(day, order_date=ordered, today=today, field="refund_date")
    check_refund_date(date(2020, 1, 1), order_date=None, today=today, field="refund_date")
    for day, words in ((date(2026, 1, 14), "14 January"), (date(2026, 2, 2), "2 February")):
        with pytest.raises(Invalid, match=f"{words} 2026"):
            check_refund_date(day, order_date=ordered, today=today, field="refund_date")
