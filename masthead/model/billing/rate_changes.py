"""Orders that were paid at once, and whose VAT was another one when their supply ended.

In Germany, § 27 (1) UStG corrects the difference in the return of the last day: decision 0092.
"""

from collections.abc import Iterable, Sequence
from datetime import date

from msgspec import Struct, structs

from masthead.model.billing.orders import SUPPLIED_ON_THE_LAST_DAY, Buyer, Taxation, TaxedMedium
from masthead.model.types.enums import Medium, SubscriptionStatus


class PrepaidOrder(Struct, frozen=True, kw_only=True):
    """An order that was paid at once. left: of its price, with VAT. status: of the subscription.

    supplied_to: the date of its last issue, or the last day of its membership.
    """

    order_id: str
    order_day: date
    supplied_to: date
    subscription_id: str
    status: SubscriptionStatus
    product_id: str
    product_name: str
    medium: Medium
    country: str
    currency: str
    left: int


class ChangedVat(Struct, frozen=True):
    """An order with the VAT of its own day, and with that of the last day of its supply."""

    order: PrepaidOrder
    paid: Sequence[TaxedMedium]
    supplied: Sequence[TaxedMedium]

    @property
    def vat_paid(self) -> int:
        """The VAT that its own day says."""
        return sum(each.vat for each in self.paid)

    @property
    def vat_supplied(self) -> int:
        """The VAT that its last day says."""
        return sum(each.vat for each in self.supplied)


def has_changes(taxation: Taxation | None, last: date) -> bool:
    """Whether orders up to a day can have such a difference."""
    return (
        taxation is not None
        and taxation.settings.country in SUPPLIED_ON_THE_LAST_DAY
        and any(turn <= last for turn in taxation.turns[1:])
    )


def find_changed(orders: Iterable[PrepaidOrder], taxation: Taxation) -> list[ChangedVat]:
    """The orders whose VAT differs. taxation: of any day."""

    def split(order: PrepaidOrder, day: date) -> list[TaxedMedium]:
        return structs.replace(taxation, day=day).split(
            order.left,
            product_id=order.product_id,
            medium=order.medium,
            country=order.country,
            buyer=Buyer(order.country),
        )

    compared = (
        ChangedVat(each, split(each, each.order_day), split(each, each.supplied_to))
        for each in orders
    )
    return [each for each in compared if each.vat_paid != each.vat_supplied]
