"""Payments: what they settle, and what is left of them. Amounts are minor units."""

from collections.abc import Mapping, Sequence
from datetime import date

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.translations import format_day, gettext as _
from masthead.model.types.money import money_in_words

MAX_DAYS_BACK = 731  # a payment: before today, or before its invoice was issued; two years


class OpenInvoice(Struct, frozen=True, kw_only=True):
    """An invoice that is not settled, or a credit note that is not used up.

    open_amount: what is owed; negative for a credit note.
    """

    id: str
    number: str
    payer_id: str
    issue_date: date
    due_date: date
    currency: str
    open_amount: int


def can_be_paid_on(day: date, issue_date: date) -> bool:
    """Whether a payment can be for an invoice: people pay in advance, but not for years."""
    return (issue_date - day).days <= MAX_DAYS_BACK


def check_day(day: date, *, today: date) -> None:
    """Raises: Invalid if a payment is dated in the future."""
    if day > today:
        raise Invalid(
            _("The payment is dated {day}, which is in the future. Type today or earlier.").format(
                day=format_day(day)
            ),
            field="payment_date",
            value=day,
        )


def check_credit_day(day: date, *, today: date) -> None:
    """Raises: Invalid if a payment that settles nothing is older than any credit."""
    if (today - day).days > MAX_DAYS_BACK:
        raise Invalid(
            _(
                "The payment is dated {day}, and settles no invoice. Check the year: the credit of "
                "a payer is at most two years old."
            ).format(day=format_day(day)),
            field="payment_date",
            value=day,
        )


def settle_oldest(amount: int, invoices: Sequence[OpenInvoice]) -> dict[str, int]:
    """What a payment settles of each invoice: that which is due first comes first.

    The same amount as one invoice settles that one: people pay an invoice, not a balance.
    """
    owed = [each for each in invoices if each.open_amount > 0]
    same = [each for each in owed if each.open_amount == amount]
    if len(same) == 1:
        return {same[0].id: amount}
    settled = {}
    for each in sorted(owed, key=lambda one: (one.due_date, one.id)):
        part = min(amount, each.open_amount)
        if part:
            settled[each.id] = part
            amount -= part
    return settled


def check_settled(
    amount: int,
    currency: str,
    settled: Mapping[str, int],
    invoices: Mapping[str, OpenInvoice],
    *,
    day: date,
) -> None:
    """Raises: Invalid if a payment cannot settle these invoices.

    settled: how much of each, by id. invoices: these, by id. day: of the payment.
    """
    for id, part in settled.items():
        found = invoices[id]
        if not can_be_paid_on(day, found.issue_date):
            raise Invalid(
                _(
                    "The payment is dated {day}, more than two years before invoice {number} was "
                    "issued. Check the year."
                ).format(day=format_day(day), number=found.number),
                field="payment_date",
                value=day,
            )
        if found.currency != currency:
            raise Invalid(
                _(
                    "Invoice {number} is in {currency}, and the payment in {other}. Record what "
                    "the bank has credited in {currency}."
                ).format(number=found.number, currency=found.currency, other=currency),
                code="other_currency",
                field="currency",
            )
        if not 0 < part <= found.open_amount:
            raise Invalid(
                _("Of invoice {number}, {open} are open. Type at most as much.").format(
                    number=found.number, open=money_in_words(found.open_amount, found.currency)
                ),
                code="more_than_open",
                field="invoices",
                value=id,
            )
    if sum(settled.values()) > amount:
        raise Invalid(
            _("The invoices together are more than the payment of {amount}.").format(
                amount=money_in_words(amount, currency)
            ),
            code="more_than_paid",
            field="amount",
        )
