"""The VAT in what is left of the price of an order at the end of a day.

Of an order that is on an invoice, its documents say it: nothing else was told to the payer, and
refunds count with their credit notes. Of another one, the rates say it that are known: those of
its own day if it was paid at once, and while it waits, those of an invoice of the day itself.
"""

from datetime import date

from msgspec import Struct, structs

from masthead.model.billing.orders import Buyer, Taxation
from masthead.model.types.enums import Medium


class OrderTaxes(Struct, frozen=True, kw_only=True, gc=False):
    """What decides about the VAT of an order at the end of a day.

    price, refunded: with VAT. is_billed: whether it is paid by invoice; payer_country, vat_id: of
    its payer then; supplied_to: the last day of its supply, if it is known. billed, billed_vat:
    what its documents up to the day say, with VAT, and the VAT; None if there is none yet.
    """

    order_date: date
    price: int
    refunded: int
    product_id: str
    medium: Medium
    country: str
    is_billed: bool
    payer_country: str | None = None
    vat_id: str | None = None
    supplied_to: date | None = None
    billed: int | None = None
    billed_vat: int | None = None


def find_price(order: OrderTaxes) -> int:
    """The price on the day: what was billed, if the price became lower since then."""
    return order.price if order.billed is None else max(order.price, order.billed)


def find_refunds(order: OrderTaxes) -> int:
    """What of the price is refunded: by the documents, if there are any; at most the price."""
    price = find_price(order)
    refunded = order.refunded if order.billed is None else price - order.billed
    return min(refunded, price)


def find_vat(order: OrderTaxes, taxation: Taxation | None) -> int:
    """The VAT in what is left. taxation: of the day; None if the account has no settings."""
    if order.billed_vat is not None:
        return order.billed_vat
    if taxation is None:
        return 0
    left = find_price(order) - find_refunds(order)
    buyer = Buyer(order.country)
    if order.is_billed:
        buyer = Buyer(order.payer_country or order.country, order.vat_id or "")
        taxation = taxation.of_supply(order.supplied_to)
    elif taxation.day != order.order_date:
        taxation = structs.replace(taxation, day=order.order_date)
    parts = taxation.split(
        left, product_id=order.product_id, medium=order.medium, country=order.country, buyer=buyer
    )
    return sum(each.vat for each in parts)
