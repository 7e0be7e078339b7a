"""Amounts and days of bank statements, and the errors about them."""

from calendar import monthrange
from datetime import date

from masthead.model.billing.bank_lines import (
    FIRST_DAY,
    LAST_DAY,
    MAX_BANK_LINES,
    BankLine,
    mask_ibans,
)
from masthead.model.errors import Invalid, excerpt
from masthead.model.translations import format_number, gettext as _
from masthead.model.types.money import CURRENCIES, minor_units


def amount_of(text: str, currency: str, *, line: int) -> int:
    """An amount with a point or a comma, in minor units, without a sign. Raises: Invalid."""
    plain = text.strip().replace(",", ".")
    whole, _point, decimals = plain.partition(".")
    whole = whole.lstrip("0") or "0"  # banks fill amounts up, as in `0000000000149.87`
    decimals = decimals.rstrip("0") if len(decimals) > CURRENCIES[currency] else decimals
    try:
        return minor_units("amount", f"{whole}.{decimals}" if decimals else whole, currency)
    except Invalid:
        raise unreadable(_("amount"), text, line=line) from None


def currency_of(text: str, *, line: int) -> str:
    """An ISO 4217 code. Raises: Invalid."""
    if text in CURRENCIES:
        return text
    raise unreadable(_("currency"), text, line=line)


def iso_day(text: str, *, line: int) -> date:
    """The day of a date or a moment of XML. Raises: Invalid."""
    try:
        return date.fromisoformat(text.strip()[:10])
    except ValueError:
        raise unreadable(_("date"), text, line=line) from None


def short_day(text: str, *, line: int) -> date:
    """The day of six digits, year first. Raises: Invalid.

    Banks that count 30 days in each month write 30 February: it is the last day of the month.
    """
    year, month, day = 2000 + int(text[:2]), int(text[2:4]), int(text[4:6])
    if 1 <= month <= 12 and 1 <= day <= 31:
        return date(year, month, min(day, monthrange(year, month)[1]))
    raise unreadable(_("date"), text, line=line)


def check_days(line: BankLine) -> None:
    """Raises: Invalid if a line has a day with which nobody can calculate."""
    for day in (line.booking_date, line.value_date or line.booking_date):
        if not FIRST_DAY <= day <= LAST_DAY:
            raise unreadable(_("date"), str(day), line=line.line)


def unreadable(what: str, text: str, *, line: int) -> Invalid:
    """The error for a value that cannot be read. what: the value, as people call it."""
    message = _(
        "Line {line}: the {what} is `{text}`, which is none. Nothing was imported. Download the "
        "statement from the bank again."
    )
    return Invalid(
        message.format(line=format_number(line), what=what, text=excerpt(mask_ibans(text)))
    )


def damaged(line: int, detail: str = "") -> Invalid:
    """The error for a file of which a part is missing. detail: a sentence about it."""
    message = _(
        "The file ends or breaks in line {line}: part of it is missing or was changed. Nothing was "
        "imported. Download the statement from the bank again."
    ).format(line=format_number(line))
    return Invalid(f"{message} {detail}".rstrip(), code="damaged_file")


def other_format(kind: str) -> Invalid:
    """The error for another message of a bank. kind: its name."""
    text = _(
        "The file is {kind}, not a statement. Download the statement as camt.053, MT940 or CSV "
        "and use that file."
    )
    return Invalid(text.format(kind=kind), code="wrong_format")


def check_count(count: int) -> None:
    """Raises: Invalid if a file has too many lines."""
    if count > MAX_BANK_LINES:
        message = _(
            "The file has more than {most} lines. Download the statement in parts, such as one for "
            "each month, and import these."
        )
        raise Invalid(message.format(most=format_number(MAX_BANK_LINES)), code="too_many_lines")
