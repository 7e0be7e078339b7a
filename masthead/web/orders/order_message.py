"""What the next page says of an order that was added."""

from masthead.model.orders.period_coverage import issue_ranges
from masthead.model.translations import counted, format_number, gettext as _, ngettext
from masthead.model.types.enums import SubscriptionType
from masthead.model.types.full_names import full_name
from masthead.services.orders.enter import EnteredOrder
from masthead.web.orders.order_form import SENT, OrderForm


def added_message(made: EnteredOrder, form: OrderForm) -> str:
    """Who gets what, and what counts as sent."""
    sold, copies = made.subscription, len(made.subscription_ids)
    name = full_name(sold.first_name, sold.last_name, sold.shipping_address.company, "")
    count = sold.total_length
    if sold.type is SubscriptionType.MEMBERSHIP:
        text = _("The membership of {name} is added.")
    elif copies > 1:
        text = ngettext(
            "{name} gets {copies} copies of {count} issue.",
            "{name} gets {copies} copies of {count} issues.",
            count,
        )
    else:
        text = ngettext("{name} gets {count} issue.", "{name} gets {count} issues.", count)
    text = text.format(name=name, copies=copies, count=format_number(count))
    if name != made.subscriber.name:
        record = _("The subscription belongs to {subscriber}.")
        text = f"{text} {record.format(subscriber=made.subscriber.name)}"
    if form.out.data == SENT and (count := form.copies_out):
        taken = counted(
            "{count} copy counts as sent: issue {numbers}.",
            "{count} copies count as sent: issues {numbers}.",
            count,
            numbers=issue_ranges(form.released_issues),
        )
        text = f"{text} {taken}"
    return text
