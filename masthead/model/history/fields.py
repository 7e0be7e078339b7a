"""The fields of audit entries in words, and their values with names instead of ids."""

from collections.abc import Mapping
from typing import Any

from masthead.model.audit_log import differences
from masthead.model.claims.rules import ClaimReason
from masthead.model.history.entries import FieldChange, RecordNames
from masthead.model.ids import is_id
from masthead.model.subscriptions.cancellations import CancelReason, describe_reason
from masthead.model.translations import gettext as _

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


def _labels() -> dict[str, str]:
    """The labels of fields, in the current language."""
    return {
        "address1": _("address line 1"),
        "address2": _("address line 2"),
        "amount": _("amount"),
        "cancelled_copies": _("cancelled copies"),
        "city": _("town"),
        "company": _("company"),
        "copies": _("copies"),
        "country": _("country"),
        "currency": _("currency"),
        "date_as_start_issue": _("start issue from"),
        "date_sent": _("date sent"),
        "discount_amount": _("discount"),
        "email": _("email"),
        "first_issue": _("first issue"),
        "first_name": _("first name"),
        "full_name": _("name"),
        "gifter": _("giver"),
        "gifter_email": _("giver’s email"),
        "gifter_id": _("giver"),
        "gifter_name": _("giver’s name"),
        "import_number": _("import"),
        "is_comp": _("complimentary"),
        "is_gift": _("gift"),
        "is_recurring": _("renews automatically"),
        "kind": _("kind"),
        "last_issue": _("last issue"),
        "last_name": _("last name"),
        "length": _("number of issues"),
        "medium": _("medium"),
        "merged": _("merged subscriber"),
        "merged_into": _("merged into"),
        "name": _("name"),
        "newsstand_ean": _("EAN"),
        "notes": _("notes"),
        "number": _("number"),
        "order_date": _("order date"),
        "order_id": _("order"),
        "phone": _("phone"),
        "postcode": _("postcode"),
        "price": _("price"),
        "product": _("product"),
        "product_id": _("product"),
        "reason": _("reason"),
        "recurring_charge_date": _("charge date"),
        "refund_date": _("date of the refund"),
        "refunded": _("refunded"),
        "release_date_actual": _("release date"),
        "release_date_fuzzy": _("release, in words"),
        "restored_copies": _("restored copies"),
        "shipped": _("shipped"),
        "source": _("source"),
        "source_id": _("source"),
        "start_issue": _("start issue"),
        "state": _("state"),
        "status": _("status"),
        "subscriber": _("subscriber"),
        "subscriber_id": _("subscriber"),
        "subscriptions": _("subscriptions"),
        "type": _("type"),
        "wants_replacement": _("wants a replacement"),
    }


def label_of_field(name: str) -> str:
    """The name of a field in words."""
    return _labels().get(name, name.replace("_", " "))


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
            label_of_field(name),
            None if is_new or name not in before else was,
            now,
            is_country=name == "country",
        )
        for name, (_label, was, now) in values
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
