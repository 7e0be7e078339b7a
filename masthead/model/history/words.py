"""The values of audit entries in words: names instead of ids, and no words of the code."""

from collections.abc import Callable, Mapping
from datetime import date, datetime

from babel.numbers import format_percent

from masthead.model.billing.bank_lines import RETURN_REASONS
from masthead.model.billing.vat import FULL, place_in_words
from masthead.model.claims.rules import ClaimReason
from masthead.model.history.entries import RecordNames, Value
from masthead.model.history.labels import label_of_field
from masthead.model.identity.rights import Right
from masthead.model.ids import is_id
from masthead.model.letters.outcomes import LetterChannel
from masthead.model.privacy.retention import RetentionKind
from masthead.model.renewals.lapsed import RenewalStage
from masthead.model.self_service.settings import Action, read_actions
from masthead.model.subscribers.greetings import describe_salutation
from masthead.model.subscriptions.cancellations import CancelReason
from masthead.model.subscriptions.skips import Instead
from masthead.model.translations import current_language, format_number, gettext as _
from masthead.model.types.countries import country_in_words
from masthead.model.types.enums import LabelledEnum, Salutation
from masthead.model.types.money import decimal_in_words
from masthead.model.types.recipient_languages import ELSEWHERE, name_language, read_rule
from masthead.model.types.regional_formats import LOCALES
from masthead.model.webhooks.resources import DisabledReason

# The type of the record whose id a field has
RECORDS = {
    "copy": "copy",
    "copy_id": "copy",
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
# What users who may not see money do not read
MONEY_FIELDS = frozenset(
    "amount amounts currency discount_amount discounts ltv price prices refunded refunds takings"
    " total fee least_amount rises".split()
)
_DATES = frozenset(
    "order_date payment_date booking_date first_day last_day period_start period_end date_sent"
    " release_date_actual date_as_start_issue recurring_charge_date"
    " refund_date daily_date statement_date day signed_date promised_date".split()
)
_MOMENTS = frozenset({"moment", "old_secret_until"})
# Integers that name something, and are written without separators
_NUMBERS = frozenset(
    "number issue_number import_number first_issue last_issue start_issue first last part"
    " sent_through collection hold_stage days".split()
)


def in_words(name: str, value: object, names: RecordNames) -> Value:
    """The value of a field as pages show it; an empty text for None."""
    match value:
        case None:
            return ""
        case bool():
            return _("yes") if value else _("no")
        case int() | str() if name in RECORDS:
            return _name(names, RECORDS[name], value)
        case int() if name == "rate":
            return format_percent(
                value / FULL, locale=current_language(), decimal_quantization=False
            )
        case int():
            return str(value) if name in _NUMBERS else format_number(value)
        case float():
            return format_number(value)
        case list() if value and all(map(_is_key, value)):
            return format_number(len(value))
        case list():
            return "; ".join(str(in_words(name, each, names)) for each in value)
        case Mapping():
            parts = (
                (label_of_field(key), in_words(key, it, names))
                for key, it in value.items()
                if not (names.hides_money and key in MONEY_FIELDS)
            )
            return "; ".join(f"{label}: {text}" for label, text in parts)
        case str() if value and (name.endswith("_at") or name in _MOMENTS):
            return datetime.fromisoformat(value)
        case str() if value and name in _DATES:
            return date.fromisoformat(value)
        case str() if value and name in _WORDS:
            return _WORDS[name](value)
    return str(value)


def amount_in_words(text: str) -> str:
    """An amount such as `1042.00 EUR` as pages write it; an empty text stays empty."""
    number, _blank, currency = text.partition(" ")
    return decimal_in_words(number, currency) if number else ""


def _name(names: RecordNames, type: str, id: object) -> str:
    """The name of a record."""
    name = names.of(type, id)
    return _("no longer there") if name == id and is_id(name) else name


def _is_key(value: object) -> bool:
    return isinstance(value, int) or (isinstance(value, str) and is_id(value))


def word_of(value: str) -> str:
    """A word of the code in the current language, such as the status of a claim or a run."""
    words = {
        "accepted": _("accepted"),
        "cancelled": _("cancelled"),
        "closed": _("closed"),
        "corrected": _("corrected"),
        "disabled": _("disabled"),
        "discarded": _("discarded"),
        "dismissed": _("dismissed"),
        "enabled": _("enabled"),
        "frozen": _("prepared"),
        "held": _("in a prepared mailing"),
        "marked": _("marked as sent"),
        "moved": _("moved"),
        "open": _("open"),
        "outdated": _("outdated"),
        "planned": _("planned"),
        "read_only": _("Read-only"),
        "read_write": _("Read-write"),
        "sent": _("sent"),
        "undeliverable": _("undeliverable"),
    }
    return words.get(value) or _(value)


def _words(codes: type[LabelledEnum], other: Callable[[str], str] = str) -> Callable[[str], str]:
    """What describes the codes of an enumeration. other: describes other values, as they are."""
    known = frozenset(codes)
    return lambda value: codes(value).words if value in known else other(value)


def _languages_by_country(rule: str) -> str:
    """Such as `Germany: German, all other countries: English`."""
    by_country = dict(read_rule(rule))
    rest = by_country.pop(ELSEWHERE, "")
    shown = [f"{country_in_words(each)}: {name_language(it)}" for each, it in by_country.items()]
    if rest:
        shown.append(f"{_('All other countries')}: {name_language(rest)}")
    return ", ".join(shown)


def _describe_actions(text: str) -> str:
    return ", ".join(each.words for each in sorted(read_actions(text)))


# Fields whose values are words of the code
_WORDS: Mapping[str, Callable[[str], str]] = {
    "method": lambda value: _(value),
    "actions": _describe_actions,
    "request": _words(Action),
    "channel": _words(LetterChannel),
    "country": country_in_words,
    "country_languages": _languages_by_country,
    "disabled_reason": _words(DisabledReason, _),
    "instead": _words(Instead),
    "kind": _words(RetentionKind, word_of),  # others are delivery problems
    "locale": lambda value: LOCALES.get(value, value),
    # of a cancellation or a claim; the text that was typed for a refund
    "reason": _words(
        CancelReason, _words(ClaimReason, lambda value: _(RETURN_REASONS.get(value, value)))
    ),
    "place": place_in_words,
    "rights": _words(Right),
    "salutation": lambda text: describe_salutation(text) if text in list(Salutation) else text,
    "stage": _words(RenewalStage),
    **dict.fromkeys(
        ["medium", "method", "payment_method", "role", "scope", "status", "type"], word_of
    ),
}
