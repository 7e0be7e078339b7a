"""Rows of an export are such as masthead writes itself: a folder can be made by anybody.

A value that no page and no command could have stored would make pages fail, or reach the bank.
"""

from collections.abc import Callable, Mapping
from datetime import date
from enum import StrEnum
from typing import Any

import msgspec

from masthead.model.addresses.changes import ChangeStatus
from masthead.model.billing.bank_lines import FIRST_DAY, LAST_DAY, BankFormat, mask_ibans
from masthead.model.billing.documents import Document, DocumentKind
from masthead.model.billing.statements import BankLineStatus
from masthead.model.billing.tax_ids import check_iban
from masthead.model.billing.vat import VatCategory
from masthead.model.claims.rules import ClaimReason, ClaimStatus
from masthead.model.debits.debits import DebitStatus, SequenceType
from masthead.model.dispatch.files import FileStatus
from masthead.model.dispatch.runs import DispatchStatus, LeftReason, LineStatus
from masthead.model.errors import Invalid, excerpt
from masthead.model.exports.nouns import Noun
from masthead.model.holds import HoldEnd
from masthead.model.letters.outcomes import LetterChannel, LetterStatus, SkipReason
from masthead.model.reminders.outcomes import ReminderSkip
from masthead.model.returns.delivery_reports import ReportKind, ReportStatus
from masthead.model.self_service.requests import RequestStatus
from masthead.model.self_service.settings import Action
from masthead.model.types.countries import COUNTRIES
from masthead.model.types.enums import (
    CopyStatus,
    Medium,
    PaymentMethod,
    Salutation,
    SubscriptionStatus,
    SubscriptionType,
)
from masthead.model.types.fields import date_from_1900
from masthead.model.types.money import CURRENCIES
from masthead.store.engine.interface import DATE_COLUMNS

# The values of a column, by table; an empty one means that there is none yet
VALUES: Mapping[str, Mapping[str, type[StrEnum]]] = {
    "address_change": {"status": ChangeStatus},
    "bank_line": {"status": BankLineStatus},
    "bank_statement": {"format": BankFormat},
    "cancellation": {"status_before": SubscriptionStatus},
    "claim": {"reason": ClaimReason, "status": ClaimStatus},
    "copy": {"status": CopyStatus},
    "debit": {"status": DebitStatus, "sequence_type": SequenceType},
    "delivery_report": {"kind": ReportKind, "status": ReportStatus},
    "dispatch": {"status": DispatchStatus},
    "dispatch_line": {
        "medium": Medium,
        "status": LineStatus,
        "salutation": Salutation,
        "left_reason": LeftReason,
    },
    "grace_copy": {"status": LineStatus},
    "invoice": {"kind": DocumentKind},
    "invoice_line": {"category": VatCategory},
    "letter_batch": {"channel": LetterChannel},
    "payment": {"method": PaymentMethod},
    "reminder": {"channel": LetterChannel, "status": LetterStatus, "reason": ReminderSkip},
    "renewal_letter": {"channel": LetterChannel, "status": LetterStatus, "reason": SkipReason},
    "retention": {"medium": Medium},
    "revenue_statement": {"status": FileStatus},
    "subscriber": {"salutation": Salutation},
    "subscriber_request": {"action": Action, "status": RequestStatus},
    "subscription": {
        "type": SubscriptionType,
        "status": SubscriptionStatus,
        "medium": Medium,
    },
    "subscription_hold": {"ended_by": HoldEnd},
}
# Days with which masthead calculates
DAYS: Mapping[str, str] = {
    "bank_line": "booking_date value_date",
    "collection": "collect_date",
    "debit": "collect_date",
    "mandate": "signed_date last_used_date",
    "reminder": "reminded_date",
    "reminder_term": "promised_date",
}
_ACTORS = frozenset({"key", "user", "command"})
IBANS: Mapping[str, str] = {"billing": "iban", "mandate": "iban"}


def check_row(noun: Noun, row: Mapping[str, Any]) -> None:
    """Raises: Invalid if a row has a value that masthead would never have stored."""
    table = noun.table
    for name, values in VALUES.get(table, {}).items():
        _check(noun, row, name, values)
    for name in DAYS.get(table, "").split():
        _check(noun, row, name, _near)
    for name in IBANS.get(table, "").split():
        _check(noun, row, name, lambda text: check_iban("iban", text))
    for name in row.keys() & DATE_COLUMNS:
        _check(noun, row, name, _day)
    _check(noun, row, "country", COUNTRIES.__getitem__)
    _check(noun, row, "currency", CURRENCIES.__getitem__)
    for name in row:
        if name == "actor_kind" or name.endswith("_by_kind"):
            _check(noun, row, name, _require_actor)
    if table == "invoice":
        _check(noun, row, "document", lambda text: msgspec.json.decode(text, type=Document))


def _near(text: str) -> None:
    """Raises: ValueError unless a day is one with which nothing overflows."""
    if not FIRST_DAY <= date.fromisoformat(text) <= LAST_DAY:
        raise ValueError


def _day(text: str) -> date:
    """A day of the years 1900 to 9999. Raises: ValueError; Invalid."""
    return date_from_1900("date", date.fromisoformat(text))


def _require_actor(text: str) -> None:
    """Raises: ValueError unless masthead knows that kind of an actor."""
    if text not in _ACTORS:
        raise ValueError


def _check(noun: Noun, row: Mapping[str, Any], name: str, read: Callable[[str], object]) -> None:
    if not row.get(name):
        return
    try:
        read(str(row[name]))
    except (KeyError, ValueError, msgspec.MsgspecError, Invalid):
        raise unusable(noun, name, row[name]) from None


def unusable(noun: Noun, column: str, value: object) -> Invalid:
    """The error for a cell that cannot be read."""
    shown = excerpt(mask_ibans(str(value)))
    return Invalid(
        f"`{shown}` in `{noun.file}` cannot be `{column}`. Nothing was imported. Use the "
        "export as masthead has made it."
    )
