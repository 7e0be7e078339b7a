"""Refunds: what is left to refund of an order, and what its unsent part has cost."""

from collections.abc import Sequence
from datetime import date
from typing import Annotated

from msgspec import Meta, Struct

from masthead.model.errors import Invalid, excerpt
from masthead.model.inputs import Creation
from masthead.model.translations import format_day, gettext as _
from masthead.model.types.fields import MoneyText, Name, OrderDay, Text
from masthead.model.types.money import NOTHING, decimal_amount, share_out
from masthead.model.types.plausible_days import order_day


def positive_amount(field: str, text: str) -> str:
    """The text, if it is an amount in any currency, and more than nothing. Raises: Invalid."""
    if not decimal_amount(field, text).strip("0."):
        raise Invalid(f"`{field}` is `{text}`; expected more than 0.", field=field, value=text)
    return text


RefundAmount = Annotated[
    MoneyText,
    Meta(extra_json_schema={"not": {"pattern": NOTHING}}, extra={"rule": positive_amount}),
]


class RefundCreate(Creation, kw_only=True):
    """Money that went back for an order; masthead itself pays nothing.

    order_id: of an order of the subscription.
    amount: in the currency of the order; at most what is left of its price.
    refund_date: by default today; not before the order, and not in the future.
    reason: for staff.
    """

    order_id: Name
    amount: RefundAmount
    refund_date: OrderDay | None = None
    reason: Text | None = None


class RefundResource(Struct, frozen=True):
    """A refund of an order.

    order_id: id of the order.
    amount: amount that went back.
    currency: ISO 4217 currency code of the order.
    refund_date: date of the refund.
    reason: for staff; null if none was given.
    """

    order_id: str
    amount: str
    currency: str
    refund_date: date
    reason: str | None


class RefundList(Struct, frozen=True):
    """All refunds of a subscription.

    items: by date.
    """

    items: list[RefundResource]


class PaidOrder(Struct, frozen=True, kw_only=True):
    """What was paid for a period, and how much of the period is over.

    price, refunded: in minor units of currency. units: its issues, or the days of a membership.
    used: those of them that were sent, or have passed.
    """

    subscription_id: str
    period_id: int
    order_id: str
    order_date: date | None
    currency: str
    price: int
    refunded: int
    units: int
    used: int
    is_membership: bool

    @property
    def left(self) -> int:
        """What can still be refunded."""
        return self.price - self.refunded

    @property
    def used_share(self) -> int:
        """What was sent, or the days that have passed, cost.

        The first k of n issues together cost price · k / n, rounded down.
        """
        return self.price * min(self.used, self.units) // max(self.units, 1)

    @property
    def unused_share(self) -> int:
        """The paid share of what was not sent, or of the days that are left, less refunds."""
        return max(self.left - self.used_share, 0)


class OrderOfCopies(Struct, frozen=True):
    """The orders of several copies for one address that belong together, shown as one order.

    parts: an order of each copy, in one currency; most orders have one copy.
    """

    parts: Sequence[PaidOrder]

    @property
    def first(self) -> PaidOrder:
        """The order of the first copy, whose id and date are shown."""
        return self.parts[0]

    @property
    def price(self) -> int:
        """What was paid for all copies, in minor units."""
        return sum(each.price for each in self.parts)

    @property
    def refunded(self) -> int:
        """What was refunded for all copies."""
        return sum(each.refunded for each in self.parts)

    @property
    def left(self) -> int:
        """What can still be refunded."""
        return self.price - self.refunded

    @property
    def used_share(self) -> int:
        """What was sent of all copies cost."""
        return sum(each.used_share for each in self.parts)

    @property
    def unused_share(self) -> int:
        """The paid share of what was not sent, of all copies."""
        return sum(each.unused_share for each in self.parts)

    def divide(self, amount: int) -> dict[int, int]:
        """The refund of each order, by period: the unused shares, or in the ratio of what is left.

        amount: of all copies, at most `left`. Orders without a refund are left out.
        """
        if amount == self.unused_share:
            shares = [each.unused_share for each in self.parts]
        else:
            shares = share_out(amount, [each.left for each in self.parts])
        pairs = zip(self.parts, shares, strict=True)
        return {each.period_id: share for each, share in pairs if share}


def join_orders(owned: Sequence[Sequence[PaidOrder]]) -> list[OrderOfCopies]:
    """The orders of several copies, oldest first.

    owned: the orders of each copy, oldest first. The last orders of all copies belong together, and
    so on; a copy that was added later has fewer. Orders in other currencies are on their own.
    """
    found: dict[tuple[int, str], list[PaidOrder]] = {}
    for orders in owned:
        for place, order in enumerate(orders, -len(orders)):
            found.setdefault((place, order.currency), []).append(order)
    return [OrderOfCopies(found[key]) for key in sorted(found)]


def find_order(orders: Sequence[PaidOrder], order_id: str) -> PaidOrder:
    """The order with an id. Raises: Invalid `unknown_order`."""
    for order in orders:
        if order.order_id == order_id:
            return order
    raise Invalid(
        f"`order_id` `{excerpt(order_id)}` is not an order of this subscription. Its orders are "
        + ", ".join(f"`{order.order_id}`" for order in orders[-5:])
        + ".",
        code="unknown_order",
        field="order_id",
        value=order_id,
    )


def days_used(period_start: date, period_end: date, day: date) -> tuple[int, int]:
    """The days of a membership period, and how many of them have passed by `day`, included."""
    units = (period_end - period_start).days + 1
    return units, min(max((day - period_start).days + 1, 0), units)


def check_refund(
    order: PaidOrder | OrderOfCopies, amount: int, *, shown_left: str, field: str
) -> None:
    """Raises: Invalid if more would be refunded than was paid.

    shown_left: what can still be refunded, as text. field: the field of the amount.
    """
    if amount > order.left:
        first = order.first if isinstance(order, OrderOfCopies) else order
        message = _(
            "The refund is more than what is left of the price of order {order}: at most "
            "{left} can be refunded."
        )
        if not order.left:
            message = _("Nothing is left of the price of order {order} to refund.")
        raise Invalid(
            message.format(order=first.order_id, left=shown_left),
            code="refund_too_high",
            field=field,
        )


def check_refund_date(day: date, *, order_date: date | None, today: date, field: str) -> None:
    """Raises: Invalid if a refund would be dated in the future, or before its order."""
    if day > today:
        raise Invalid(
            _(
                "The refund is dated {day}, which is in the future. Type today or an earlier day."
            ).format(day=format_day(day)),
            field=field,
        )
    order_day(field, day)
    if order_date is not None and day < order_date:
        raise Invalid(
            _(
                "The refund is dated {day}, before its order of {order_date}. Type a later day."
            ).format(day=format_day(day), order_date=format_day(order_date)),
            field=field,
        )
