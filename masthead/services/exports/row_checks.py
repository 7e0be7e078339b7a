"""Rows of an export are such as masthead writes itself: a folder can be made by anybody.

A value that no page and no command could have stored would make pages fail, or reach the bank.
"""

from collections.abc import Callable, Mapping
from datetime import date
from enum import StrEnum
from functools import partial
from typing import Any

import msgspec

from masthead.model.addresses.changes import ChangeStatus
from masthead.model.billing.bank_lines import FIRST_DAY, LAST_DAY, BankFormat, mask_ibans
from masthead.model.billing.documents import Document, DocumentKind
from masthead.model.billing.exchange_rates import ExchangeRate
from masthead.model.billing.statements import BankLineStatus
from masthead.model.billing.tax_ids import check_iban
from masthead.model.billing.vat import VatCategory
from masthead.model.claims.rules import ClaimReason, ClaimStatus
from masthead.model.debits.rules import DebitStatus, SequenceType
from masthead.model.dispatch.files import FileStatus, FileTotals
from masthead.model.dispatch.profiles import ProfileSettings
from masthead.model.dispatch.runs import (
    DispatchSelection,
    DispatchStatus,
    Layout,
    LeftReason,
    LineStatus,
)
from masthead.model.errors import Invalid, excerpt
from masthead.model.exports.export_files import ExportFile
from masthead.model.holds import HoldEnd
from masthead.model.imports.batches import Counts, Decisions, MadeByRow, ReasonCount
from masthead.model.imports.mapping import ImportMapping, decode_json
from masthead.model.imports.mapping_files import require_writable
from masthead.model.imports.plan import ImportPlan, Problem
from masthead.model.imports.tabular_data import FileLayout
from masthead.model.letters.outcomes import LetterChannel, LetterStatus, SkipReason
from masthead.model.privacy.erasures import Record
from masthead.model.reminders.outcomes import ReminderSkip
from masthead.model.returns.delivery_reports import ReportKind, ReportStatus
from masthead.model.revenue.statement_figures import StatementFigures
from masthead.model.self_service.requests import RequestStatus
from masthead.model.self_service.settings import Action
from masthead.model.subscribers.merges import MovedRecords
from masthead.model.types.clean_text import one_line
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
from masthead.model.types.regional_formats import locale_code
from masthead.model.types.text import short_text
from masthead.model.types.time_zones import time_zone
from masthead.store.engine.interface import DATE_COLUMNS

# The values of a column, by table
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
EMPTY = {("debit", "sequence_type")}  # until it is collected
# Days with which masthead calculates
DAYS: Mapping[str, str] = {
    "address_change": "first_day last_day",
    "bank_line": "booking_date value_date",
    "collection": "collect_date",
    "debit": "collect_date",
    "mandate": "signed_date last_used_date",
    "reminder": "reminded_date",
    "reminder_term": "promised_date",
}
# JSON that masthead reads into a struct, by table
STRUCTS: Mapping[str, Mapping[str, Any]] = {
    "dispatch": {"selection": DispatchSelection, "layout": Layout},
    "dispatch_file": {"totals": FileTotals},
    "erasure": {"kept": dict[Record, int]},
    "export_profile": {"settings": ProfileSettings},
    "import_batch": {
        "options": ImportPlan,
        "decisions": Decisions,
        "layout": FileLayout,
        "counts": Counts,
        "reasons": list[ReasonCount],
        "issues": list[int],
    },
    "import_mapping": {"mapping": ImportMapping},
    "import_row": {"made": MadeByRow, "reasons": list[Problem], "cells": list[list[str]]},
    "invoice": {"document": Document},
    "product": {"benefits": list[str]},
    "revenue_statement": {"figures": StatementFigures},
    "subscriber_merge": {"moved": MovedRecords},
}
# Names and addresses, which forms take in one line. So they do with reasons, in any table
PEOPLE = ("address_change", "mandate", "subscriber", "subscription")
_OF_PEOPLE = frozenset(
    "title first_name last_name company address1 address2 city state postcode phone gifter_name "
    "holder".split()
)
_ACTORS = frozenset({"key", "user", "command"})
IBANS: Mapping[str, str] = {"billing": "iban", "mandate": "iban"}


def check_row(exported: ExportFile, row: Mapping[str, Any]) -> None:
    """Raises: Invalid if a row has a value that masthead would never have stored."""
    for name in _lines_of(exported):
        _check(exported, row, name, lambda text: short_text("text", text))
    table = exported.table
    for name in {*VALUES.get(table, {}), *STRUCTS.get(table, {})} | (row.keys() & DATE_COLUMNS):
        if row.get(name) == "" and (table, name) not in EMPTY:  # None, where it may be missing
            raise unusable(exported, name, "")
    for name, values in VALUES.get(table, {}).items():
        _check(exported, row, name, values)
    for name in DAYS.get(table, "").split():
        _check(exported, row, name, _near)
    for name in IBANS.get(table, "").split():
        _check(exported, row, name, lambda text: check_iban("iban", text))
    for name in row.keys() & DATE_COLUMNS:
        _check(exported, row, name, _day)
    _check(exported, row, "country", COUNTRIES.__getitem__)
    for name in ("currency", "base_currency", "quote_currency"):
        _check(exported, row, name, CURRENCIES.__getitem__)
    for name in row:
        if name == "actor_kind" or name.endswith("_by_kind"):
            _check(exported, row, name, _require_actor)
    for name, struct in STRUCTS.get(table, {}).items():
        _check(exported, row, name, partial(msgspec.json.decode, type=struct, strict=False))
    if table == "exchange_rate":
        _check_exchange_rate(exported, row)
    if table == "import_mapping":
        _check(exported, row, "mapping", lambda text: require_writable(decode_json(text)))
    if table == "account":
        _check(exported, row, "time_zone", lambda text: time_zone("time_zone", text))
        _check(exported, row, "locale", lambda text: locale_code("locale", text))


def _check_exchange_rate(exported: ExportFile, row: Mapping[str, Any]) -> None:
    """Raises: Invalid unless a row is a rate by which amounts can be converted."""
    try:
        is_usable = msgspec.convert(row, ExchangeRate, strict=False).number == row["rate"]
    except msgspec.MsgspecError:
        is_usable = False
    if not is_usable:
        raise unusable(exported, "rate", row["rate"])


def tidy(exported: ExportFile, row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with its texts as forms store them. Those of versions up to 0.2.0 may have breaks."""
    return {**row, **{name: one_line(row[name]) for name in _lines_of(exported) if row.get(name)}}


def _lines_of(exported: ExportFile) -> list[str]:
    """The columns with a short text that people type."""
    of_people = _OF_PEOPLE if exported.table in PEOPLE else frozenset[str]()
    return [
        each
        for each in exported.columns
        if each not in exported.expressions and (each.endswith("reason") or each in of_people)
    ]


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


def _check(
    exported: ExportFile, row: Mapping[str, Any], name: str, read: Callable[[str], object]
) -> None:
    if not row.get(name):
        return
    try:
        read(str(row[name]))
    except (KeyError, ValueError, RecursionError, msgspec.MsgspecError, Invalid):
        raise unusable(exported, name, row[name]) from None


def unusable(exported: ExportFile, column: str, value: object) -> Invalid:
    """The error for a cell that cannot be read."""
    shown = excerpt(mask_ibans(str(value)))
    return Invalid(
        f"`{shown}` in `{exported.path}` cannot be `{column}`. Nothing was imported. Use the "
        "export as masthead has made it."
    )
