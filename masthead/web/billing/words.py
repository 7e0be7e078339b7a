"""Words about invoices and payments that several pages share."""

from datetime import date
from typing import Any

from masthead.model.billing.bank_lines import RETURN_REASONS, UNKNOWN_REASON
from masthead.model.billing.resources import InvoiceStatus, status_of
from masthead.model.billing.vat import VatCategory
from masthead.model.debits.mandates import MandateScheme
from masthead.model.translations import gettext as _, pgettext
from masthead.web.kit.forms import choices_of


def status_words(
    open_amount: int, due_date: date, *, today: date, is_credited: bool = False
) -> str:
    """Whether an invoice is paid. open_amount: negative for a credit note.

    is_credited: whether credit notes took back all of it.
    """
    if open_amount < 0:
        return pgettext("credit note", "Not used")
    if is_credited and not open_amount:
        return pgettext("invoice", "Credited")
    return {
        InvoiceStatus.OPEN: pgettext("invoice", "Open"),
        InvoiceStatus.OVERDUE: pgettext("invoice", "Overdue"),
        InvoiceStatus.SETTLED: pgettext("invoice", "Settled"),
    }[status_of(open_amount, due_date, today)]


def sent_words(email_waits: bool | None, *, is_posted: bool) -> str:
    """How an invoice was sent. email_waits: whether its email waits; None if there is none."""
    if email_waits is None:
        return pgettext("invoice", "By post") if is_posted else _("Not sent yet")
    return _("Waits to go out") if email_waits else _("Emailed")


def return_words(reason: str) -> str:
    """Why a payment came back, in words."""
    if reason == UNKNOWN_REASON:
        return _("the bank does not say why")
    known = RETURN_REASONS.get(reason)
    return f"{_(known)} ({reason})" if known else reason


def scheme_choices() -> list[Any]:
    """The kinds of a mandate, each with what it means for the payer."""
    core = _("Core mandate: the payer can ask the money back for eight weeks")
    b2b = _("B2B mandate: between companies, and nothing can be asked back")
    return choices_of([(MandateScheme.CORE, core), (MandateScheme.B2B, b2b)])


def tax_words(category: VatCategory) -> str:
    """Why lines have no VAT; empty if they have a rate."""
    return "" if category is VatCategory.STANDARD else category.words


def entry_words(kind: str) -> str:
    """What an entry in the account of a payer is."""
    return {
        "invoice": _("Invoice"),
        "credit_note": _("Credit note"),
        "fee": _("Reminder fee"),
        "waived": _("Reminder fee waived"),
        "payment": _("Payment"),
        "payback": _("Went back to the payer"),
        "write_off": _("Written off"),
        "paid_for_other": _("Paid for another payer"),
        "paid_by_other": _("Paid by another payer"),
    }[kind]
