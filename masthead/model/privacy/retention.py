"""How long personal data is kept, by kind."""

from calendar import monthrange
from collections.abc import Callable
from datetime import date

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.enums import LabelledEnum

MOST_MONTHS = 600


class RetentionKind(LabelledEnum):
    """A kind of personal data that is deleted when it is old."""

    UPLOADS = "uploads", gettext_noop("Uploaded files")
    IMPORT_ROWS = "import_rows", gettext_noop("Refused rows of imports")
    EMAILS = "emails", gettext_noop("Emails and letters")
    DISPATCH_LINES = "dispatch_lines", gettext_noop("Addresses in mailings")
    AUDIT_DETAILS = "audit_details", gettext_noop("Details in the audit log")
    ENDED_SUBSCRIBERS = "ended_subscribers", gettext_noop("Former subscribers")
    ORDER_RECORDS = "order_records", gettext_noop("Payment references of erased subscribers")
    INVOICES = "invoices", gettext_noop("People on invoices")


DEFAULT_MONTHS = {
    RetentionKind.UPLOADS: 1,
    RetentionKind.IMPORT_ROWS: 6,
    RetentionKind.EMAILS: 12,
    RetentionKind.DISPATCH_LINES: 24,
    RetentionKind.AUDIT_DETAILS: 24,
    RetentionKind.ENDED_SUBSCRIBERS: 36,
    RetentionKind.ORDER_RECORDS: 120,
    RetentionKind.INVOICES: 120,
}


class RetentionRule(Struct, frozen=True, kw_only=True):
    """After how many months data of a kind is deleted. is_automatic: whether that happens."""

    kind: RetentionKind
    months: int
    is_automatic: bool


class DueRecord(Struct, frozen=True):
    """A record that a rule would change now. page: the parts of the address of its page."""

    id: str
    label: str
    page: tuple[str, ...] = ()


class DuePreview(Struct, frozen=True, kw_only=True):
    """What a rule would change now: how many records, and the oldest of them."""

    count: int
    examples: list[DueRecord]


def months_before(day: date, months: int) -> date:
    """The day some months before another one; at the end of a shorter month, its last day."""
    total = day.year * 12 + day.month - 1 - months
    year, month = divmod(total, 12)
    year, month = max(year, 1), month + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def last_day(rule: RetentionRule, day: date) -> date:
    """The day before which data of a kind is old. The year of an invoice counts as a whole."""
    last = months_before(day, rule.months)
    return last.replace(month=1, day=1) if rule.kind is RetentionKind.INVOICES else last


def require_months(months: int) -> None:
    """Raises: Invalid unless a number of months is allowed."""
    if not 1 <= months <= MOST_MONTHS:
        raise Invalid(
            _("`months` is {months}; type a number from 1 to {most}.").format(
                months=months, most=MOST_MONTHS
            ),
            field="months",
            value=months,
        )


def describe_rule(kind: RetentionKind) -> str:
    """What happens to data of a kind when it is old enough."""
    texts: dict[RetentionKind, Callable[[], str]] = {
        RetentionKind.UPLOADS: lambda: _(
            "Files of imports and of carriers are deleted, counted from the upload."
        ),
        RetentionKind.IMPORT_ROWS: lambda: _(
            "The cells of rows that were not imported are deleted, counted from the import."
        ),
        RetentionKind.EMAILS: lambda: _(
            "Text and recipient are deleted, counted from the day they were written. That an "
            "email or letter was sent stays."
        ),
        RetentionKind.DISPATCH_LINES: lambda: _(
            "Names and addresses of sent or discarded mailings are deleted, with their files. "
            "Countries and counts stay."
        ),
        RetentionKind.AUDIT_DETAILS: lambda: _(
            "Names, addresses and texts are deleted from entries about subscribers. Who changed "
            "what kind of data, and when, stays."
        ),
        RetentionKind.ENDED_SUBSCRIBERS: lambda: _(
            "Subscribers are erased who have had no subscription, no order and no copy for so "
            "long. Amounts, dates and countries stay. Whoever is on an invoice is kept as long as "
            "“People on invoices” says."
        ),
        RetentionKind.ORDER_RECORDS: lambda: _(
            "Payment references and promo codes of orders are deleted, counted from the order. "
            "Order ids, amounts and dates stay."
        ),
        RetentionKind.INVOICES: lambda: _(
            "Names and addresses are taken off paid invoices and credit notes, counted from the "
            "end of their year. Numbers, amounts, VAT and dates stay. Tax law often wants 10 "
            "years; ask your tax adviser. Until then, no rule erases a payer, even if this one is "
            "off."
        ),
    }
    return texts[kind]()
