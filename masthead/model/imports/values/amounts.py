"""Amounts as people and programs write them, with a decimal point or comma, and with currencies.

Each function takes the name of the field and the text of a cell, trimmed and not empty, and returns
the value, or raises Invalid.
"""

import re

from masthead.model.errors import Invalid, excerpt
from masthead.model.imports.values.currency_words import currencies_of
from masthead.model.imports.values.texts import check_digits_are_kept
from masthead.model.translations import gettext as _
from masthead.model.types.money import CURRENCIES

_PADDING = str.maketrans("", "", " \u00a0\u2007\u2009\u202f\t'’")


_LONGEST = 100  # characters of an amount; the pattern takes too long for much longer texts


_AMOUNT = re.compile(r"(\D*?)([.,]?\d[\d.,]*)(\D*)", re.ASCII)


_NO_CENTS = re.compile(r"(?<=[.,])(?:[-–—−]{1,2}|=)|:[-–—−]")  # 12,- and 12.– and 12:-


_SIGNS = str.maketrans("", "", "()+-−")


def _not_an_amount(field: str, text: str) -> Invalid:
    message = _("`{field}` is `{text}`; expected an amount such as `42.00`, `42,00` or `$42.00`.")
    return Invalid(message.format(field=field, text=excerpt(text)), field=field, value=text)


def split_amount(field: str, text: str) -> tuple[str, list[str], bool]:
    """The digits and marks of an amount, its symbols or codes, and whether it is negative.

    Raises: Invalid.
    """
    check_digits_are_kept(field, text)
    compact = _NO_CENTS.sub("", text.translate(_PADDING), count=1) if len(text) <= _LONGEST else ""
    match = _AMOUNT.fullmatch(compact)
    if match is None:
        raise _not_an_amount(field, text)
    before, digits, after = match.groups()
    if before.isalpha() and digits[0] == ".":  # Fr.12
        before, digits = f"{before}.", digits[1:]
    signs = [each for each in before + after if each in "()-−"]
    symbols = [each for part in (before, after) if (each := part.translate(_SIGNS))]
    if signs not in ([], ["-"], ["−"], ["(", ")"]):
        raise _not_an_amount(field, text)
    if not all(map(currencies_of, symbols)):
        raise _not_an_amount(field, text)
    return digits.rstrip(".,"), symbols, bool(signs)


def decimal_mark_of(digits: str) -> str:
    """What the digits of an amount say about the decimal mark: `.`, `,`, `?` or "" (nothing).

    `?`: one mark before three digits, as in `1.234`, which may separate thousands.
    """
    points, commas = digits.count("."), digits.count(",")
    if points and commas:
        return "." if digits.rindex(".") > digits.rindex(",") else ","
    if points + commas == 0:
        return ""
    mark = "." if points else ","
    if points + commas > 1:
        return "," if points else "."  # 1.234.567
    whole, _mark, decimals = digits.partition(mark)
    if len(decimals) != 3 or len(whole) > 3:
        return mark
    return mark if whole in ("", "0") else "?"


def read_amount(
    field: str, text: str, *, decimal_mark: str, currency: str, may_be_negative: bool = False
) -> str:
    """A decimal amount such as `42.00`.

    decimal_mark: of the column, for amounts such as `1.234`; "" if it is not known.
    currency: of the row. may_be_negative: whether `-5.00` means 5.00, as for discounts.
    Raises: Invalid.
    """
    digits, symbols, is_negative = split_amount(field, text)
    if any(currency not in currencies_of(each) for each in symbols):
        message = _(
            "`{field}` is `{text}`, but the currency is {currency}. Map a column to the currency, "
            "or correct the amount."
        ).format(field=field, text=excerpt(text), currency=currency)
        raise Invalid(message, field=field, value=text)
    mark = decimal_mark_of(digits)
    if mark == "?":
        mark = decimal_mark
        if CURRENCIES[currency] == 0:
            mark = "." if "," in digits else ","
        if not mark:
            message = _(
                "`{field}` is `{text}`, which may be with or without thousands. Say which sign is "
                "the decimal mark."
            )
            raise Invalid(message.format(field=field, text=text), field=field, value=text)
    thousands = "," if mark == "." else "."
    whole, _mark, decimals = digits.partition(mark or ".")
    groups = whole.split(thousands)
    if any(each in decimals for each in ".,") or any(len(each) != 3 for each in groups[1:]):
        raise _not_an_amount(field, text)
    whole = "".join(groups)
    decimals = decimals.rstrip("0").ljust(CURRENCIES[currency], "0")
    amount = (whole.lstrip("0") or "0") + (f".{decimals}" if decimals else "")
    if is_negative and amount.strip("0.") and not may_be_negative:
        message = _("`{field}` is `{text}`; an amount below zero cannot be imported.")
        raise Invalid(message.format(field=field, text=excerpt(text)), field=field, value=text)
    return amount


def is_positive(text: str) -> bool:
    """Whether an amount is above zero. A text that is no amount counts as one: it is refused."""
    try:
        digits, _symbols, is_negative = split_amount("", text)
    except Invalid:
        return True
    return not is_negative and bool(digits.strip("0.,"))
