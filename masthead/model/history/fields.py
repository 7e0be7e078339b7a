"""The fields of audit entries in words, and their values with names instead of ids."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from masthead.model.claims.rules import ClaimReason
from masthead.model.history.entries import FieldChange, RecordNames, Value
from masthead.model.ids import is_id
from masthead.model.subscriptions.cancellations import CancelReason, describe_reason
from masthead.model.translations import gettext as _
from masthead.model.translations import gettext_noop

# The type of the record whose id a field has
_RECORDS = {
    "gifter": "subscriber",
    "gifter_id": "subscriber",
    "merged": "subscriber",
    "merged_into": "subscriber",
    "subscriber": "subscriber",
    "subscriber_id": "subscriber",
    "source": "source",
    "source_id": "source",
    "product": "product",
    "product_id": "product",
    "issue": "issue",
    "issue_id": "issue",
    "dispatch": "dispatch",
    "dispatch_id": "dispatch",
    "subscription": "subscription",
    "subscription_id": "subscription",
}
# Fields whose values are words of the code
_WORDS = frozenset({"kind", "medium", "payment_method", "reason", "status", "type"})
# Fields that say nothing to a subscriber of the history
_HIDDEN = frozenset({"id", "note", "copy", "copy_id", "fingerprint", "marked"})
_DATES = frozenset(
    "order_date period_start period_end date_sent release_date_actual date_as_start_issue"
    " recurring_charge_date daily_date".split()
)
_LABELS = {
    "address": gettext_noop("IP address"),
    "address1": gettext_noop("address line 1"),
    "address2": gettext_noop("address line 2"),
    "amount": gettext_noop("amount"),
    "browser": gettext_noop("browser"),
    "cancelled_copies": gettext_noop("cancelled copies"),
    "city": gettext_noop("town"),
    "company": gettext_noop("company"),
    "copies": gettext_noop("copies"),
    "country": gettext_noop("country"),
    "currency": gettext_noop("currency"),
    "date_as_start_issue": gettext_noop("start issue from"),
    "date_sent": gettext_noop("date sent"),
    "discount_amount": gettext_noop("discount"),
    "email": gettext_noop("email"),
    "expires_at": gettext_noop("expires at"),
    "file": gettext_noop("file"),
    "first_issue": gettext_noop("first issue"),
    "first_name": gettext_noop("first name"),
    "format": gettext_noop("format"),
    "full_name": gettext_noop("name"),
    "gifter": gettext_noop("giver"),
    "gifter_email": gettext_noop("giver’s email"),
    "gifter_id": gettext_noop("giver"),
    "gifter_name": gettext_noop("giver’s name"),
    "import_number": gettext_noop("import"),
    "is_active": gettext_noop("active"),
    "is_comp": gettext_noop("complimentary"),
    "is_gift": gettext_noop("gift"),
    "is_new_browser": gettext_noop("new browser"),
    "is_recurring": gettext_noop("renews automatically"),
    "kind": gettext_noop("kind"),
    "last_issue": gettext_noop("last issue"),
    "last_name": gettext_noop("last name"),
    "length": gettext_noop("number of issues"),
    "medium": gettext_noop("medium"),
    "merged": gettext_noop("merged subscriber"),
    "merged_into": gettext_noop("merged into"),
    "name": gettext_noop("name"),
    "newsstand_ean": gettext_noop("EAN"),
    "notes": gettext_noop("notes"),
    "number": gettext_noop("number"),
    "order_date": gettext_noop("order date"),
    "order_id": gettext_noop("order"),
    "phone": gettext_noop("phone"),
    "postcode": gettext_noop("postcode"),
    "prefix": gettext_noop("starts with"),
    "price": gettext_noop("price"),
    "product": gettext_noop("product"),
    "product_id": gettext_noop("product"),
    "profile": gettext_noop("export profile"),
    "reason": gettext_noop("reason"),
    "recurring_charge_date": gettext_noop("charge date"),
    "refund_date": gettext_noop("date of the refund"),
    "refunded": gettext_noop("refunded"),
    "release_date_actual": gettext_noop("release date"),
    "release_date_fuzzy": gettext_noop("release, in words"),
    "replacement": gettext_noop("replacement"),
    "replacements": gettext_noop("replacements"),
    "requires_second_factor": gettext_noop("requires two-step sign-in"),
    "restored_copies": gettext_noop("restored copies"),
    "role": gettext_noop("role"),
    "scope": gettext_noop("scope"),
    "shipped": gettext_noop("shipped"),
    "source": gettext_noop("source"),
    "source_id": gettext_noop("source"),
    "start_issue": gettext_noop("start issue"),
    "state": gettext_noop("state"),
    "status": gettext_noop("status"),
    "subject": gettext_noop("subject"),
    "subscriber": gettext_noop("subscriber"),
    "subscriber_id": gettext_noop("subscriber"),
    "subscriptions": gettext_noop("subscriptions"),
    "text": gettext_noop("text"),
    "type": gettext_noop("type"),
    "user": gettext_noop("user"),
    "wants_replacement": gettext_noop("wants a replacement"),
}


def differences(
    before: Mapping[str, Any] | None, after: Mapping[str, Any] | None
) -> list[tuple[str, Value, Value]]:
    """The fields of an audit entry: the name of each in words, its old value and its new value."""
    old, new = before or {}, after or {}
    return [
        (
            _(_LABELS[name]) if name in _LABELS else name.replace("_", " "),
            _value(name, old.get(name)),
            _value(name, new.get(name)),
        )
        for name in {**old, **new}
    ]


def _value(name: str, value: object) -> Value:
    """The value of a field as the page shows it; an empty text for None."""
    match value:
        case None:
            return ""
        case bool():
            return _("yes") if value else _("no")
        case list():
            return "; ".join(map(str, value))
        case str() if name.endswith("_at"):
            return datetime.fromisoformat(value)
        case str() if name in _DATES:
            return date.fromisoformat(value)
    return str(value)


def changes_of(
    before: Mapping[str, Any], after: Mapping[str, Any], names: RecordNames
) -> list[FieldChange]:
    """The fields that changed, in words. Of a new record, only fields that have a value."""
    is_new = not before
    shown = [name for name in {**before, **after} if name not in _HIDDEN]
    old = {name: _named(name, before.get(name), names) for name in shown}
    new = {name: _named(name, after.get(name), names) for name in shown}
    values = zip(shown, differences(old, new), strict=True)
    return [
        FieldChange(
            label,
            None if is_new or name not in before else was,
            now,
            is_country=name == "country",
        )
        for name, (label, was, now) in values
        if was != now and (now != "" or not is_new)
    ]


def _named(field: str, value: Any, names: RecordNames) -> Any:
    """A value in words, or with the name of its record; a number instead of a list of ids."""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, str) and value and field in _WORDS:
        return _reason(value) if field == "reason" else _word(value)
    if isinstance(value, list) and value and all(_is_key(each) for each in value):
        return len(value)
    if isinstance(value, str) and field in _RECORDS:
        return names.of(_RECORDS[field], value)
    return value


def _reason(value: str) -> str:
    """The reason of a cancellation or a claim in words; the text that was typed for a refund."""
    if value in frozenset(CancelReason):
        return describe_reason(value)
    return _(ClaimReason(value).label) if value in frozenset(ClaimReason) else value


def _word(value: str) -> str:
    """A word of the code in the current language, such as the status of a claim or a run."""
    words = {
        "accepted": _("accepted"),
        "closed": _("closed"),
        "corrected": _("corrected"),
        "discarded": _("discarded"),
        "dismissed": _("dismissed"),
        "frozen": _("frozen"),
        "held": _("in a frozen run"),
        "marked": _("marked as sent"),
        "moved": _("moved"),
        "open": _("open"),
        "outdated": _("outdated"),
        "sent": _("sent"),
        "undeliverable": _("undeliverable"),
    }
    return words.get(value) or _(value)


def _is_key(value: object) -> bool:
    return isinstance(value, int) or (isinstance(value, str) and is_id(value))


def records_in(fields: Mapping[str, Any]) -> set[tuple[str, str]]:
    """The records whose names the fields show."""
    return {
        (_RECORDS[name], value)
        for name, value in fields.items()
        if name in _RECORDS and isinstance(value, str) and is_id(value)
    }
