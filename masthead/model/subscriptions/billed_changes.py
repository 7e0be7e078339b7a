"""What becomes of the invoice when an order that is billed changes: its payer, or its price."""

from enum import StrEnum

from masthead.model.errors import Invalid
from masthead.model.subscriptions.refunds import OrderOfCopies
from masthead.model.translations import gettext as _
from masthead.model.types.money import money_text

# Codes that only pages show
LESS_THAN_REFUNDED, COSTS_MORE, IS_ON_INVOICE = "less_than_refunded", "costs_more", "is_on_invoice"


class InvoiceChoice(StrEnum):
    """What becomes of an invoice that was issued. An order that waits for one is billed anew."""

    KEEP = "keep"  # it stays with who got it
    REPLACE = "replace"  # a credit note takes it back, and a new one is issued
    CREDIT = "credit"  # a credit note for what the order costs less


def divide_price(order: OrderOfCopies, total: int) -> dict[int, int]:
    """The new price of each copy of an order, by period: in equal shares, the first has the rest.

    total: of all copies, in minor units. Raises: Invalid if it is less than what was refunded.
    """
    if total < order.refunded:
        raise Invalid(
            _(
                "{refunded} {currency} of this order are refunded already, so it cannot cost less."
            ).format(
                refunded=money_text(order.refunded, order.first.currency),
                currency=order.first.currency,
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
        raise Invalid(text, code=COSTS_MORE, field="invoice")
    text = _("The order is on an invoice. Choose what becomes of it.")
    raise Invalid(text, code=IS_ON_INVOICE, field="invoice")
