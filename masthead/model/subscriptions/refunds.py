"""Refunds: what is left to refund of an order, and what its unsent part has cost."""

from datetime import date

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _


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
    def unused_share(self) -> int:
        """The paid share of what was not sent, or of the days that are left, less refunds.

        The first k of n issues together cost price · k / n, rounded down.
        """
        earned = self.price * min(self.used, self.units) // max(self.units, 1)
        return max(self.left - earned, 0)


def days_used(period_start: date, period_end: date, day: date) -> tuple[int, int]:
    """The days of a membership period, and how many of them have passed by `day`, included."""
    units = (period_end - period_start).days + 1
    return units, min(max((day - period_start).days + 1, 0), units)


def check_refund(order: PaidOrder, amount: int, *, shown_left: str, field: str) -> None:
    """Raises: Invalid if more would be refunded than was paid.

    shown_left: what can still be refunded, as text. field: the field of the amount.
    """
    if amount > order.left:
        raise Invalid(
            _(
                "The refund is more than what is left of the price of order {order}: at most "
                "{left} can be refunded."
            ).format(order=order.order_id, left=shown_left),
            code="refund_too_high",
            field=field,
        )


def check_refund_date(day: date, *, order_date: date | None, today: date, field: str) -> None:
    """Raises: Invalid if a refund would be dated in the future, or before its order."""
    if day > today:
        raise Invalid(
            _(
                "The refund is dated {day}, which is in the future. Type today or an earlier day."
            ).format(day=day.isoformat()),
            field=field,
        )
    if order_date is not None and day < order_date:
        raise Invalid(
            _(
                "The refund is dated {day}, before its order of {order_date}. Type a later day."
            ).format(day=day.isoformat(), order_date=order_date.isoformat()),
            field=field,
        )
