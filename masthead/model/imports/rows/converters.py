"""Functions that turn the text of a field into its checked value, each compiled once."""

import re
from collections.abc import Callable
from datetime import date
from functools import lru_cache, partial
from typing import Any
from zoneinfo import ZoneInfo

from masthead.model.errors import Invalid
from masthead.model.imports.mapping import ImportMapping
from masthead.model.imports.plan import AccountFacts, Survey
from masthead.model.imports.subscription_row import MAX_PAYER_NUMBER, SubscriptionRow
from masthead.model.imports.targets import TARGETS
from masthead.model.imports.values import texts
from masthead.model.imports.values.amounts import read_amount
from masthead.model.imports.values.country_names import read_country, similar_name
from masthead.model.imports.values.days import DAY_OF_MONTH, read_day
from masthead.model.imports.values.own_words import READERS
from masthead.model.imports.values.salutations import read_title
from masthead.model.input_fields import fields_of
from masthead.model.translations import gettext as _
from masthead.model.types.damaged_texts import cleaner_of, find_damage, is_checked, refusal_of
from masthead.model.types.fields import MAX_DUE_DAYS, MAX_NUMBER
from masthead.model.types.money import currency_code, money_text
from masthead.model.types.text import MAX_DIGITS, is_digits, short_text

_NAMED = re.compile(r"([^<>]*)<([^<>]*)>")
_LINK = "mailto:"


def bare_email(text: str) -> str:
    """The address without a name, a link and a separator at its end.

    `Ada Bell <ada@x.org>;` and `mailto:ada@x.org` are `ada@x.org`. A text with two addresses
    stays, unless they are the same.
    """
    text = text.rstrip(",; ") or text
    if match := _NAMED.fullmatch(text):
        name, address = (part.strip(" \"'") for part in match.groups())
        if "@" not in name or name.lower() == address.lower():
            text = address
    return text[len(_LINK) :] if text.lower().startswith(_LINK) else text


Convert = Callable[[str], Any]

MAX_CENTS = 10**11
_FIELDS = fields_of(SubscriptionRow)
_CODES = ("order_id", "renews", "transaction_id")
_MOST = {
    "length": 1000,
    "interval_months": 1200,
    "due_days": MAX_DUE_DAYS,
    "payer_number": MAX_PAYER_NUMBER,
}
# Fields whose values rarely repeat; the values of all others are cached
_ALL_DIFFERENT = frozenset("order_id email address1 phone transaction_id notes renews".split())


def converter_of(
    target: str, column: str, mapping: ImportMapping, survey: Survey, facts: AccountFacts
) -> Convert:
    """The function that converts the cleaned text of a field. It raises Invalid.

    column: whose facts hold. Amounts and statuses stay text: they depend on other fields.
    """
    convert = _converter(target, column, mapping, survey, facts)
    is_name = TARGETS[target].kind == "text" and target not in _CODES
    is_printed, cleaned = is_checked(target), cleaner_of(target)

    def checked(text: str) -> Any:
        if not (text := cleaned(text)):
            return None
        if not is_name:
            text = text.removeprefix("'")
        if is_printed:
            _require_sound(target, text)
        return convert(text)

    if target in _ALL_DIFFERENT:
        return checked
    return lru_cache(maxsize=512 if TARGETS[target].kind == "list" else 4096)(checked)


def _converter(
    target: str, column: str, mapping: ImportMapping, survey: Survey, facts: AccountFacts
) -> Convert:
    kind = TARGETS[target].kind
    if kind == "day":
        day_of_month = DAY_OF_MONTH.get(target, "")
        read = _day_converter(column, mapping, survey, facts)
        return partial(read, target, day_of_month=day_of_month)
    if target == "billing_interval":
        return partial(_billing_interval, target)
    if kind == "whole":
        most, least = _MOST.get(target, MAX_NUMBER), int(target != "due_days")
        return partial(texts.read_whole, target, most=most, least=least)
    if target in _CODES:
        return lambda text: short_text(target, texts.read_code(target, text))
    if target == "sent_issues":
        return _sent_issues
    if target == "sent_dates":
        read = _day_converter(column, mapping, survey, facts)
        return partial(_sent_dates, partial(read, "order_date"))
    if target == "title":
        return partial(read_title, target)
    simple: dict[str, Callable[[str, str], Any]] = {
        **READERS,
        "country": partial(read_country, find_similar=lru_cache(maxsize=4096)(similar_name)),
        "currency": _currency,
        "period": texts.read_period,
        "phone": _digits,
        "postcode": _digits,
        "status": short_text,
        "money": short_text,
    }
    if kind in simple:
        return partial(simple[kind], target)
    field = _FIELDS.get(target) or _FIELDS["first_name"]
    if kind == "email":
        return lambda text: field.check(bare_email(text))
    return field.check if target in _FIELDS else partial(short_text, target)


def _day_converter(
    column: str, mapping: ImportMapping, survey: Survey, facts: AccountFacts
) -> Callable[..., date | None]:
    """The function that reads the days of a column, by the field and the text."""
    zone = ZoneInfo(facts.time_zone)
    return partial(
        read_day,
        order=survey.date_orders.get(column) or mapping.date_order,
        zone=zone,
        written_in=ZoneInfo(mapping.time_zone) if mapping.time_zone else zone,
        is_unix=column in survey.unix_columns,
        day_zero=survey.day_zero,
    )


def _require_sound(target: str, text: str) -> None:
    """Raises: Invalid if a text was left by a program and cannot be repaired."""
    damage = find_damage(target, text)
    if damage and damage.meant is None and not damage.is_unsure:
        raise refusal_of(target, text, damage, _("Correct the cell, or empty it."))


def amount_converter(
    name: str, column: str, mapping: ImportMapping, survey: Survey
) -> Callable[[str, str], str]:
    """The function that converts the text of an amount in a currency. It raises Invalid.

    column: whose decimal mark holds.
    """
    mark = survey.decimal_marks.get(column) or mapping.decimal_mark
    may_be_negative = name in ("discount_amount", "refunded")

    @lru_cache(maxsize=4096)
    def convert(text: str, currency: str) -> str:
        amount = read_amount(
            name, text, decimal_mark=mark, currency=currency, may_be_negative=may_be_negative
        )
        if mapping.money_in != "cents" or not amount.strip("0."):
            return amount
        return money_text(texts.read_whole(name, amount, most=MAX_CENTS), currency)

    return convert


def _billing_interval(field: str, text: str) -> int | tuple[int, str] | None:
    """How many periods are billed together, or in words the period itself: `weekly`."""
    if text == "0":
        return None
    if any(char.isalpha() for char in text):
        return texts.read_period(field, text)
    return texts.read_whole(field, text, most=MAX_NUMBER)


def _digits(field: str, text: str) -> str:
    return short_text(field, texts.read_digits(field, text))


def _currency(field: str, text: str) -> str:
    return currency_code(field, {"€": "EUR"}.get(text, text))


def _sent_issues(text: str) -> str:
    """Numbers with `|` between them; they may be separated by commas or semicolons."""
    if "|" not in text:
        parts = [each.strip() for each in text.replace(";", ",").split(",")]
        if all(is_digits(each, at_most=MAX_DIGITS) for each in parts):
            text = "|".join(parts)
    return _FIELDS["sent_issues"].check(text)  # type: ignore[no-any-return]


def _sent_dates(read: Convert, text: str) -> str:
    """Dates as YYYY-MM-DD with `|` between them, some of them empty."""
    parts = _FIELDS["sent_dates"].check(text).replace(";", "|").split("|")
    try:
        days = [read(part) if (part := each.strip()) else None for each in parts]
    except Invalid as refusal:
        value = str(refusal).replace("`order_date`", "`sent_dates`")
        raise Invalid(value, field="sent_dates", value=text) from None
    return "|".join(day.isoformat() if day else "" for day in days)
