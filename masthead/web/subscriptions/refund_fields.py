"""The fields of refunds, shared by the pages that cancel and that refund."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TypeVar

from wtforms import StringField
from wtforms.widgets import DateInput

from masthead.model.subscriptions.refunds import OrderOfCopies, check_refund
from masthead.model.translations import gettext as _
from masthead.model.types.money import money_in_words
from masthead.web.kit.amounts import localized_amount, read_amount
from masthead.web.kit.formatting import day_in, get_locale
from masthead.web.kit.forms import BaseForm, read_date

AMOUNT = "amount_"
NOTHING, SHARE, AMOUNTS = "nothing", "share", "amounts"  # what is refunded


class RefundForm(BaseForm):
    """The date of a refund, and an amount for each order, whose fields `with_amounts` adds."""

    refund_date = StringField("Date of the refund", widget=DateInput())
    orders: Sequence[OrderOfCopies] = ()
    locale = "en_GB"  # replaced by that of the user

    def read_date(self) -> date:
        """The date of the refund. Raises: Invalid."""
        return read_date("refund_date", self.refund_date.data)

    def read_amounts(self) -> dict[int, int]:
        """The amounts that were typed, in minor units, by period. Raises: Invalid."""
        amounts: dict[int, int] = {}
        for order in self.orders:
            name, currency = name_of(order), order.first.currency
            if text := (self[name].data or "").strip():
                amount = read_amount(name, text, currency=currency, locale=self.locale)
                left = money_in_words(order.left, currency)
                check_refund(order, amount, shown_left=left, field=name)
                amounts |= order.divide(amount)
        return amounts

    def describe(self, amounts: Mapping[int, int], *, is_billed: bool = False) -> str:
        """What the next page says of a refund, or of a credit. amounts: by period."""
        totals: dict[str, int] = {}
        for order in self.orders:
            total = sum(amounts.get(part.period_id, 0) for part in order.parts)
            if total:
                totals[order.first.currency] = totals.get(order.first.currency, 0) + total
        if is_billed:
            return _(
                "The credit is recorded. If the order is on an invoice, the account of the payer "
                "has the credit note, and what is to pay back."
            )
        return _(
            "A refund of {amount} is recorded. Now transfer the money yourself, by your bank or "
            "your shop."
        ).format(amount=_in_words(totals))


F = TypeVar("F", bound=RefundForm)


def with_amounts(
    form: type[F], orders: Sequence[OrderOfCopies], locale: str, *, proposes: bool = False
) -> type[F]:
    """The form with a field for the refund of each order that something is left of.

    proposes: whether its first value is the paid share of what was not sent.
    """
    refundable = [order for order in orders if order.left]
    fields = {
        name_of(order): StringField(
            _("Refund of order {order}").format(order=order_in_words(order, locale)),
            default=localized_amount(order.unused_share, order.first.currency, locale)
            if proposes
            else "",
        )
        for order in refundable
    }
    return type(form.__name__, (form,), {**fields, "orders": refundable, "locale": locale})


def name_of(order: OrderOfCopies) -> str:
    """The name of the field with the refund of an order."""
    return f"{AMOUNT}{order.first.period_id}"


def order_in_words(order: OrderOfCopies, locale: str) -> str:
    """An order in a list or a label: its id, its date and its price."""
    first = order.first
    price = money_in_words(order.price, first.currency)
    day = day_in(first.order_date, get_locale(locale)) if first.order_date else ""
    return " · ".join(filter(None, (first.order_id, day, price)))


def label_as_credit(form: RefundForm) -> None:
    """Change the labels for orders that are billed: nothing goes back, less is owed."""
    form.refund_date.label.text = _("Date of the credit")
    for order in form.orders:
        words = order_in_words(order, form.locale)
        text = _("Credit of order {order}").format(order=words)
        form[name_of(order)].label.text = text


def shown_share(orders: Sequence[OrderOfCopies]) -> str:
    """The shares of what was not sent, added up: `€6.67`, or `€6.67 + $3.00`."""
    totals: dict[str, int] = {}
    for order in orders:
        currency = order.first.currency
        totals[currency] = totals.get(currency, 0) + order.unused_share
    return _in_words(totals)


def _in_words(totals: Mapping[str, int]) -> str:
    """Amounts in minor units by currency: `€6.67`, or `€6.67 + $3.00`."""
    return " + ".join(money_in_words(amount, currency) for currency, amount in totals.items())


def refund_choices(orders: Sequence[OrderOfCopies]) -> list[tuple[str, str]]:
    """What can be refunded, or credited of an invoice, each with its label."""
    share = _("The share for issues not sent: {amount}")
    if any(each.first.is_membership for each in orders):
        share = _("The share for the days that are left: {amount}")
    return [
        (NOTHING, _("Nothing")),
        (SHARE, share.format(amount=shown_share(orders))),
        (AMOUNTS, _("Another amount")),
    ]
