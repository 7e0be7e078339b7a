"""Renewals that staff enter: of one subscription, or of several that were ordered together."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
from typing import Annotated, Any

from msgspec import Meta, Struct

from masthead.model import advice
from masthead.model.errors import CHANGED_MEANWHILE, Invalid, all_of
from masthead.model.inputs import Creation
from masthead.model.orders.entered_orders import copy_order_id, split_amount
from masthead.model.orders.field_rules import (
    amounts_of,
    list_billing_conflicts,
    list_wrong_decimals,
)
from masthead.model.orders.order import Order
from masthead.model.subscriptions.lifecycle import next_day
from masthead.model.translations import gettext as _
from masthead.model.types.enums import PaymentMethod, SubscriptionStatus
from masthead.model.types.fields import (
    CurrencyCode,
    Day,
    DueDays,
    IntervalMonths,
    MoneyText,
    Name,
    OrderDay,
    SourceOfOrders,
    Text,
)

MOST_LATE = timedelta(days=31)


class Renewal(Struct, frozen=True, kw_only=True):
    """What was typed. price, discount_amount: for all subscriptions, in minor units of currency.

    length: the number of issues; None for memberships. interval_months, period_start: of
    memberships; None to continue the period before.
    """

    order_id: str
    order_date: date
    price: int
    currency: str
    discount_amount: int = 0
    length: int | None = None
    interval_months: int | None = None
    period_start: date | None = None
    payment_method: PaymentMethod | None = None
    transaction_id: str | None = None


class RenewalCreate(Creation, kw_only=True):
    """A renewal that you sold elsewhere: an order that adds a period to a subscription.

    source: id of an active source of type `shop` or `import`.
    order_id: id of the order in the shop; must be unique in the account.
    order_date: date of the order, from 1900 to 31 days after today.
    price: amount paid; `0` for a complimentary subscription.
    currency: defaults to the currency of the account.
    length: number of issues; by default as many as in the period before. Not for memberships.
    interval_months: of a membership; by default as many as in the period before.
    period_start: first day of a membership; by default the day after the period before.
    transaction_id: id of the payment at the payment provider.
    is_billed: whether the payer gets an invoice; then `price` is what they will owe. Without it,
        `price` was paid.
    payer_id: id of the subscriber who gets the invoice; by default who got that of the order
        before, or else the giver of a gift or the subscriber.
    due_days: days until the invoice is due; by default those of the settings.
    order_reference: the payer's own order number, which is on the invoice.
    is_debited: whether the invoice is collected by direct debit, with a mandate that the payer
        has.
    """

    elsewhere = advice.RENEWAL
    noun = "order"

    source: SourceOfOrders
    order_id: Name
    order_date: OrderDay
    price: MoneyText
    currency: CurrencyCode | None = None
    discount_amount: MoneyText | None = None
    length: Annotated[int, Meta(ge=1, le=1000, description="number of issues")] | None = None
    interval_months: IntervalMonths | None = None
    period_start: Day | None = None
    payment_method: PaymentMethod | None = None
    transaction_id: Text | None = None
    is_billed: bool | None = None
    payer_id: Text | None = None
    due_days: DueDays | None = None
    order_reference: Name | None = None
    is_debited: bool | None = None

    @classmethod
    def list_conflicts(cls, given: Mapping[str, Any], refused: Collection[str]) -> list[Invalid]:
        """The errors of the amounts, and of how the order is billed."""
        return [*list_wrong_decimals(given), *list_billing_conflicts(given, refused)]


def renewal_of(body: RenewalCreate, *, currency: str) -> Renewal:
    """The renewal with amounts in minor units. currency: of the account. Raises: Invalid."""
    currency = body.currency or currency
    amounts, refusals = amounts_of(body.given, currency)
    if refusals:
        raise all_of(refusals)
    return Renewal(
        order_id=body.order_id,
        order_date=body.order_date,
        price=amounts["price"],
        currency=currency,
        discount_amount=amounts["discount_amount"],
        length=body.length,
        interval_months=body.interval_months,
        period_start=body.period_start,
        payment_method=body.payment_method,
        transaction_id=body.transaction_id,
    )


class SubscriptionEnd(Struct, frozen=True, kw_only=True):
    """Where a subscription ends: with an issue or on a day. order_id: of its last order."""

    id: str
    status: SubscriptionStatus
    is_comp: bool
    order_id: str
    last_issue: int | None
    period_end: date | None

    @property
    def seen(self) -> str:
        """A text that changes with the end; a form keeps it."""
        return f"{self.id}:{self.last_issue or self.period_end}"


def orders_of_renewal(renewal: Renewal, ends: Sequence[SubscriptionEnd]) -> list[Order]:
    """An order for each subscription; the first one also gets the rest of a divided price.

    Raises: Invalid if an order id becomes too long.
    """
    prices = split_amount(renewal.price, len(ends))
    discounts = split_amount(renewal.discount_amount, len(ends))
    return [
        Order(
            order_id=copy_order_id(renewal.order_id, place),
            order_date=renewal.order_date,
            renews=end.order_id,
            price=price,
            discount_amount=discount,
            currency=renewal.currency,
            length=renewal.length,
            interval_months=renewal.interval_months,
            period_start=renewal.period_start,
            payment_method=renewal.payment_method,
            transaction_id=renewal.transaction_id,
        )
        for place, (end, price, discount) in enumerate(zip(ends, prices, discounts, strict=True), 1)
    ]


def next_first_day(period_end: date, today: date) -> date | None:
    """The first day that is proposed for the next period of a membership.

    It is the day after the last one. If that was over a month ago, it is today: nobody wants to
    pay for months that are over. None after the last day of the calendar.
    """
    following = next_day(period_end)
    return today if following and today - following > MOST_LATE else following


def require_kind(end: SubscriptionEnd, body: RenewalCreate) -> None:
    """Raises: Invalid if a membership is renewed for issues, or other subscriptions for months."""
    months = ("interval_months", "period_start")
    wrong, kind = (months, "issues") if end.period_end is None else (("length",), "months")
    for field in wrong:
        if getattr(body, field) is not None:
            raise Invalid(
                f"`{field}` cannot be set: subscription `{end.id}` is for a number of {kind}. "
                "Leave the field out.",
                field=field,
                value=getattr(body, field),
                id=end.id,
            )


def require_renewable(
    end: SubscriptionEnd, renewal: Renewal, *, seen: Sequence[str] | None
) -> None:
    """Raises: Invalid if a subscription cannot be renewed, or has another end than the user saw.

    seen: that of each end when the form was opened; None if there was no form.
    """
    if end.status is SubscriptionStatus.CANCELLED:
        raise Invalid(
            _("This subscription is cancelled. Reopen it first, then renew it."), code="cancelled"
        )
    if seen is not None and end.seen not in seen:
        raise Invalid(
            _(
                "This subscription was renewed since you opened this page: order {order} is its "
                "last one now. Send the form again if it should be renewed once more."
            ).format(order=end.order_id),
            code=CHANGED_MEANWHILE,
        )
    require_free(renewal.price, is_comp=end.is_comp)


def require_free(price: int, *, is_comp: bool) -> None:
    """Raises: Invalid if a complimentary subscription has a price."""
    if is_comp and price:
        raise Invalid(
            _("The subscription is complimentary, so its price is 0. Give the price 0."),
            field="price",
        )
