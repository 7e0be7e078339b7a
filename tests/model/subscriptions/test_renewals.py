"""The orders of a renewal, and what cannot be renewed."""

from datetime import date

import pytest

from masthead.model.errors import Invalid
from masthead.model.subscriptions.renewals import (
    Renewal,
    RenewalCreate,
    SubscriptionEnd,
    next_first_day,
    orders_of_renewal,
    renewal_of,
    require_renewable,
)
from masthead.model.types.enums import PaymentMethod, SubscriptionStatus


def renewal(price: int = 1000, **fields: object) -> Renewal:
    return Renewal(
        order_id="X",
        order_date=date(2026, 3, 1),
        price=price,
        currency="EUR",
        **fields,  # type: ignore[arg-type]
    )


def end(id: str = "S", status: str = "Active", *, is_comp: bool = False) -> SubscriptionEnd:
    return SubscriptionEnd(
        id=id,
        status=SubscriptionStatus(status),
        is_comp=is_comp,
        order_id=f"{id}-order",
        last_issue=4,
        period_end=None,
    )


def test_a_price_for_several_is_divided_and_the_first_gets_the_rest() -> None:
    made = renewal(1000, discount_amount=50, length=4, payment_method=PaymentMethod.CHEQUE)
    orders = orders_of_renewal(made, [end("A"), end("B"), end("C")])
    assert [order.price for order in orders] == [334, 333, 333]
    assert [order.discount_amount for order in orders] == [18, 16, 16]
    assert [order.order_id for order in orders] == ["X", "X-2", "X-3"]
    assert [order.renews for order in orders] == ["A-order", "B-order", "C-order"]
    assert {(order.length, order.payment_method) for order in orders} == {(4, "cheque")}


@pytest.mark.parametrize(
    "given, seen, price, message",
    [
        (end(status="Cancelled"), ["S:4"], 0, "Reopen it first"),
        (end(), ["S:3"], 0, "order S-order is its last one now"),
        (end(is_comp=True), ["S:4"], 1, "complimentary"),
    ],
)
def test_what_cannot_be_renewed_says_why(
    given: SubscriptionEnd, seen: list[str], price: int, message: str
) -> None:
    with pytest.raises(Invalid, match=message):
        require_renewable(given, renewal(price), seen=seen)


@pytest.mark.parametrize("status", ["Active", "Complete", "Past due", "Active - Renewals stopped"])
def test_every_other_status_can_be_renewed(status: str) -> None:
    require_renewable(end(status=status), renewal(), seen=["S:4"])
    require_renewable(end(status=status, is_comp=True), renewal(0), seen=["S:4"])


@pytest.mark.parametrize(
    "end, today, first",
    [
        ("2026-03-31", "2026-03-01", "2026-04-01"),
        ("2026-03-31", "2026-05-02", "2026-04-01"),
        ("2026-03-31", "2026-05-03", "2026-05-03"),
        ("2019-03-31", "2026-05-03", "2026-05-03"),
    ],
)
def test_nobody_is_asked_to_pay_for_months_that_are_over(end: str, today: str, first: str) -> None:
    found = next_first_day(date.fromisoformat(end), date.fromisoformat(today))
    assert found == date.fromisoformat(first)


def test_the_last_day_of_the_calendar_has_no_next_one() -> None:
    assert next_first_day(date.max, date(2026, 1, 1)) is None


def test_an_amount_has_the_decimals_of_its_currency() -> None:
    body = RenewalCreate(source="S", order_id="X", order_date=date(2026, 3, 1), price="10.50")
    assert renewal_of(body, currency="EUR").price == 1050
    with pytest.raises(Invalid, match="JPY") as refusal:
        renewal_of(body, currency="JPY")
    assert refusal.value.field == "price"
