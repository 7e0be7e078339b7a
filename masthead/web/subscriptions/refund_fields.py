"""The fields of refunds, shared by the pages that cancel and that refund."""

from collections.abc import Sequence
from datetime import date
from typing import TypeVar

from wtforms import StringField
from wtforms.widgets import DateInput

from masthead.model.errors import Invalid
from masthead.model.subscriptions.refunds import PaidOrder
from masthead.model.translations import gettext as _
from masthead.web.kit.amounts import localized_amount, read_amount
from masthead.web.kit.forms import BaseForm

AMOUNT = "amount_"


class RefundForm(BaseForm):
    """The date of a refund, and an amount for each order, whose fields `with_amounts` adds."""

    refund_date = StringField("Date of the refund", widget=DateInput())
    orders: Sequence[PaidOrder] = ()
    locale = "en_GB"  # replaced by that of the user

    def read_date(self) -> date:
        """The date of the refund. Raises: Invalid."""
        return read_date("refund_date", self.refund_date.data)

    def read_amounts(self) -> dict[int, int]:
        """The amounts that were typed, in minor units, by period. Raises: Invalid."""
        typed = {order: (self[name_of(order)].data or "").strip() for order in self.orders}
        amounts = {
            order.period_id: read_amount(
                name_of(order), text, currency=order.currency, locale=self.locale
            )
            for order, text in typed.items()
            if text
        }
        return {period_id: amount for period_id, amount in amounts.items() if amount}


F = TypeVar("F", bound=RefundForm)


def with_amounts(
    form: type[F], orders: Sequence[PaidOrder], locale: str, *, proposes: bool = False
) -> type[F]:
    """The form with a field for the refund of each order that something is left of.

    proposes: whether its first value is the paid share of what was not sent.
    """
    refundable = [order for order in orders if order.left]
    fields = {
        name_of(order): StringField(
            _("Refund of order {order}").format(order=order.order_id),
            default=localized_amount(order.unused_share, order.currency, locale)
            if proposes
            else "",
        )
        for order in refundable
    }
    return type(form.__name__, (form,), {**fields, "orders": refundable, "locale": locale})


def name_of(order: PaidOrder) -> str:
    """The name of the field with the refund of an order."""
    return f"{AMOUNT}{order.period_id}"


def read_date(field: str, text: str | None) -> date:
    """The typed date. Raises: Invalid, in the words of the page."""
    try:
        return date.fromisoformat((text or "").strip())
    except ValueError:
        raise Invalid(
            _("Type the date like {example}.").format(example="2026-01-15"), field=field
        ) from None
