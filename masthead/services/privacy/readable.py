"""What is kept about a subscriber in words, for a reader who does not know masthead.

The JSON has all columns. Here, ids, positions and marks that only programs read are left out,
codes are words, and amounts have their currency.
"""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any

from babel.dates import format_date, format_datetime

from masthead.model.audit_entries import label_of as describe_action
from masthead.model.history.entries import RecordNames
from masthead.model.history.labels import LABELS as HISTORY_LABELS, label_of_field
from masthead.model.history.words import in_words, word_of
from masthead.model.ids import is_id
from masthead.model.letters.outcomes import LetterStatus, SkipReason
from masthead.model.privacy.erasures import Record
from masthead.model.privacy.labels import label_of
from masthead.model.reminders.outcomes import ReminderSkip
from masthead.model.self_service.settings import Action
from masthead.model.translations import gettext as _, pgettext
from masthead.model.types.countries import country_in_words
from masthead.model.types.enums import LabelledEnum
from masthead.model.types.money import decimal_in_words
from masthead.model.types.recipient_languages import name_language

# Ids that people have seen: on an order, a payment or an invoice
_KNOWN_IDS = frozenset({"order_id", "transaction_id", "vat_id"})
_TECHNICAL = frozenset(
    "attempts bundle cancelled_copies changed_at collection copy currency digest dispatch gifter "
    "has_active_subscription id import_number is_billed is_complete is_placeholder issue kept "
    "last_error ltv made merged merged_into moved next_attempt_at note outcome part product "
    "reasons sending_at series series_number source subject_type subscriber subscription "
    "subscription_count subscriptions".split()
)
_AMOUNTS = frozenset(
    "price discount_amount refunded amount original_amount net vat total open_amount "
    "unused_amount".split()
)
_UNNEEDED_ZEROS = frozenset({"discount_amount", "refunded", "open_amount", "unused_amount"})
_NOBODY = RecordNames({}, {})


def _codes(*enums: type[LabelledEnum]) -> Callable[[str], str]:
    known = {each.value: each for codes in enums for each in codes}
    return lambda value: known[value].words if value in known else word_of(value)


# Words of the code, where `in_words` does not know them
_WORDS: Mapping[tuple[str, str], Callable[[str], str]] = {
    (Record.COPIES, "status"): lambda value: pgettext("copy", value),
    (Record.LETTERS, "status"): _codes(LetterStatus),
    (Record.LETTERS, "reason"): _codes(SkipReason),
    (Record.REMINDERS, "status"): _codes(LetterStatus),
    (Record.REMINDERS, "reason"): _codes(ReminderSkip),
    (Record.REQUESTS, "action"): _codes(Action),
}


def _more_words() -> Mapping[str, str]:
    return {
        "carrier": _("file of a carrier"),
        "credit_note": _("credit note"),
        "dispatch": _("addresses of a mailing"),
        "done": _("done"),
        "failed": _("could not be sent"),
        "fee": _("fee of a reminder"),
        "ignored": _("left out"),
        "import": _("imported file"),
        "invoice": _("invoice"),
        "left": _("taken out of the mailing"),
        "matched": _("recorded"),
        "released": _("released"),
        "settled": _("paid"),
        "stopped": _("stopped"),
        "waiting": _("waiting to be sent"),
    }


def fields_of(
    record: str, row: Mapping[str, Any], currencies: Mapping[object, str], locale: str
) -> list[tuple[str, str]]:
    """The labels and texts of a record. currencies: of orders, by the id of their period."""
    period = row.get("id") if record == Record.ORDERS else row.get("period_id")
    currency = row.get("currency") or currencies.get(period) or ""
    found = []
    for name, value in row.items():
        if name == "document" and isinstance(value, Mapping):
            found += _of_invoice(value)
            continue
        if is_left_out(name, value):
            continue
        text = _text(record, name, value, currency, locale)
        if text:
            found.append((label_of(name), text))
    return found


def _of_invoice(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What an invoice says about its payer, and what it is for."""
    payer = document.get("payer") or {}
    items = [
        ", ".join(filter(None, (each.get("text"), each.get("detail"))))
        for each in document.get("lines") or ()
    ]
    fields = {
        "address": payer.get("address"),
        "email": payer.get("email"),
        "vat_id": payer.get("vat_id"),
        "items": "\n".join(items),
    }
    return [(label_of(name), text) for name, text in fields.items() if text]


def is_left_out(name: str, value: object) -> bool:
    """Whether a reader learns nothing from a field: it is empty, a mark that is off, or a key."""
    if value in (None, "", [], {}) or value is False:
        return True
    if name in _TECHNICAL or (name.endswith("_id") and name not in _KNOWN_IDS):
        return True
    if name in _UNNEEDED_ZEROS and isinstance(value, str):
        return not value.strip("0.")
    values = value if isinstance(value, list) else [value]
    return all(isinstance(each, str) and is_id(each) for each in values)


def _text(record: str, name: str, value: object, currency: str, locale: str) -> str:
    """A value in words of the current language."""
    if isinstance(value, str) and (record, name) in _WORDS:
        return _WORDS[record, name](value)
    if name in _AMOUNTS and isinstance(value, str) and value:
        return decimal_in_words(value, currency) if currency else value
    if isinstance(value, datetime):
        return str(format_datetime(value, "medium", locale=locale))
    if isinstance(value, date):
        return str(format_date(value, "medium", locale=locale))
    if name.endswith("country"):
        return country_in_words(str(value))
    if name in ("language", "locale"):
        return name_language(str(value))
    if name == "action":
        return describe_action(str(value))
    if isinstance(value, Mapping) and name == "cells":
        return "\n".join(f"{key}: {each}" for key, each in value.items() if each)
    if isinstance(value, Mapping):
        of_change = str(value.get("currency") or currency)
        return "\n".join(
            f"{_label_in(key)}: {text}"
            for key, each in value.items()
            if not is_left_out(key, each) and (text := _text(record, key, each, of_change, locale))
        )
    if isinstance(value, list):
        return ", ".join(_text(record, name, each, currency, locale) for each in value)
    if isinstance(value, str) and name in ("status", "kind", "ended_by", "status_before"):
        return _more_words().get(value) or word_of(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    shown = in_words(name, value, _NOBODY)
    return shown if isinstance(shown, str) else _text(record, "", shown, currency, locale)


def _label_in(name: str) -> str:
    """The label of a field of a change, as the history has it."""
    if name not in HISTORY_LABELS:
        return label_of(name)
    label = label_of_field(name)
    return label[:1].upper() + label[1:]
