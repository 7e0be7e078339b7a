"""What becomes of the invoice when an order that is billed changes: its payer, or its price."""

from enum import StrEnum

from masthead.model import advice
from masthead.model.errors import Invalid
from masthead.model.inputs import Creation
from masthead.model.subscriptions.refunds import OrderOfCopies
from masthead.model.translations import gettext as _
from masthead.model.types.fields import MoneyText, Name, Text
from masthead.model.types.money import money_in_words

LESS_THAN_REFUNDED, COSTS_MORE, IS_ON_INVOICE = "less_than_refunded", "costs_more", "is_on_invoice"


class InvoiceChoice(StrEnum):
    """What becomes of an invoice that was issued. An order that waits for one is billed anew."""

    KEEP = "keep"  # it stays with who got it
    REPLACE = "replace"  # a credit note takes it back, and a new one is issued
    CREDIT = "credit"  # a credit note for what the order costs less


class MovedInvoice(StrEnum):
    """What becomes of the invoice of a subscription that moves to another subscriber."""

    KEEP = "keep"
    REPLACE = "replace"


class PricedInvoice(StrEnum):
    """What becomes of the invoice of an order whose price changes."""

    REPLACE = "replace"
    CREDIT = "credit"


class SubscriptionMove(Creation, kw_only=True):
    """Who gets a subscription.

    subscriber: id of the subscriber who gets it.
    takes_address: whether its copies go to the name and address of the new subscriber; by default
        true.
    all_copies: whether the other copies of the same order and address move, too.
    invoice_action: `keep`, the default, leaves the invoice of the last order to its payer;
        `replace` credits it and issues one to the new subscriber.
    reason: for staff, and for the credit note.
    """

    elsewhere = advice.MOVE
    noun = "subscription"

    subscriber: Name
    takes_address: bool | None = None
    all_copies: bool | None = None
    invoice_action: MovedInvoice | None = None
    reason: Text | None = None


class PriceChange(Creation, kw_only=True):
    """What an order costs.

    order_id: of an order of the subscription.
    price: new price in the currency of the order; with `all_copies`, of all copies together.
    all_copies: whether the price is for the other copies of the same order and address, too.
    invoice_action: required if the order is on an invoice: `replace` credits it and issues one with
        the new price; `credit` issues a credit note for the difference, if the order costs less.
    reason: for staff, and for the credit note.
    """

    elsewhere = advice.PRICE
    noun = "price"

    order_id: Name
    price: MoneyText
    all_copies: bool | None = None
    invoice_action: PricedInvoice | None = None
    reason: Text | None = None


def divide_price(order: OrderOfCopies, total: int) -> dict[int, int]:
    """The new price of each subscription of an order, by period: equal shares, the rest first.

    total: of all of them, in minor units. Raises: Invalid if it is less than what was refunded.
    """
    if total < order.refunded:
        raise Invalid(
            _("{refunded} of this order are refunded already, so it cannot cost less.").format(
                refunded=money_in_words(order.refunded, order.first.currency)
            ),
            code=LESS_THAN_REFUNDED,
            field="price",
        )
    over = total - order.refunded
    share, rest = divmod(over, len(order.parts))
    return {
        part.period_id: part.refunded + share + (rest if place == 0 else 0)
        for place, part in enumerate(order.parts)
    }


def require_invoice_choice(choice: InvoiceChoice | None, *, is_less: bool) -> InvoiceChoice:
    """The choice for the invoice of an order with another price. Raises: Invalid."""
    if choice is InvoiceChoice.REPLACE or (choice is InvoiceChoice.CREDIT and is_less):
        return choice
    if choice is InvoiceChoice.CREDIT:
        text = _(
            "The order costs more than before. Choose a new invoice, which says the new price."
        )
        raise Invalid(text, code=COSTS_MORE, field="invoice_action")
    text = _("The order is on an invoice. Choose what becomes of it.")
    raise Invalid(text, code=IS_ON_INVOICE, field="invoice_action")
