"""Converts the rows of an import to orders."""

from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from typing import Any

import msgspec

from masthead.model.errors import Invalid
from masthead.model.imports.rows.checks import STATED, row_refusals, split_list
from masthead.model.inputs import SubscriptionRow
from masthead.model.orders.order import Order, OrderDefaults, make_order
from masthead.model.types.enums import SubscriptionStatus
from masthead.model.types.fields import date_from_1900
from masthead.model.types.messages import shown
from masthead.model.types.text import MAX_DIGITS, is_digits
from masthead.model.validation import Field, decode_input, fields_of

_FIELDS = fields_of(SubscriptionRow)
COLUMNS = tuple(_FIELDS)
REPORT = ("line", "column", "value", "reason")  # the first columns in a file of rejects

# Columns whose values rarely repeat; the checked values of all other columns are cached
_ALL_DIFFERENT = frozenset("order_id email address1 phone transaction_id notes renews".split())

_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def order_of_cells(cells: Mapping[str, str], defaults: OrderDefaults) -> Order:
    """The order in one row. cells: text by column; an empty cell is absent. Raises: Invalid.

    Takes about 15 µs, because most values are cached. An invalid row is decoded a second time, to
    get the error message of the API.
    """
    if "" in cells:
        raise Invalid("The row has more cells than the first line has columns.", value=cells[""])
    try:
        given = {name: _read(name, text) for name, cell in cells.items() if (text := cell.strip())}
        row = SubscriptionRow(**given)
    except (Invalid, KeyError, TypeError, msgspec.ValidationError):
        row = _read_in_words(cells)
    return order_of_row(row, defaults)


def _read_in_words(cells: Mapping[str, str]) -> SubscriptionRow:
    """The row, decoded like a body of the API. Raises: Invalid with the message of the API."""
    raw = {
        name: _value(_FIELDS[name], text.strip()) for name, text in cells.items() if text.strip()
    }
    return decode_input(SubscriptionRow, raw)


def _read(name: str, text: str) -> Any:
    """The checked value of a cell. Raises: Invalid, KeyError, msgspec.ValidationError."""
    if name in _ALL_DIFFERENT:
        return _checked(name, text)
    return _remembered(name, text)


def _checked(name: str, text: str) -> Any:
    field = _FIELDS[name]
    value = _value(field, text)
    if field.kind is not str:
        value = msgspec.convert(value, field.hint)
    return field.check(value)


_remembered = lru_cache(maxsize=4096)(_checked)


def _value(field: Field, text: str) -> object:
    """The text of a cell, converted to the type of its column."""
    if "\0" in text:
        raise Invalid(f"`{field.name}` contains the character NUL.", field=field.name, value=text)
    if field.kind is bool:
        if text.lower() not in _FLAGS:
            raise Invalid(
                f"`{field.name}` is {shown(text)}; expected true or false, yes or no, 1 or 0.",
                field=field.name,
                value=text,
            )
        return _FLAGS[text.lower()]
    if field.kind is int and is_digits(text, at_most=MAX_DIGITS):
        return int(text)
    return text


def order_of_row(row: SubscriptionRow, defaults: OrderDefaults) -> Order:
    """The order in a decoded row of an import. Raises: Invalid with its first error."""
    for refusal in row_refusals(row):
        raise refusal
    return make_order(row, defaults, sent=sent_dates(row), status=stated_status(row))


def stated_status(row: SubscriptionRow) -> SubscriptionStatus | None:
    """The status that the order gets; None if it follows from the data."""
    return row.status if row.status in STATED else None


def sent_dates(row: SubscriptionRow) -> dict[int, date | None]:
    """The dates in `sent_dates` by the numbers in `sent_issues`. Raises: Invalid."""
    if not row.sent_issues:
        return {}
    numbers, days = split_list(row.sent_issues), split_list(row.sent_dates)
    return {
        int(number): _sent_day(row, day)
        for number, day in zip(numbers, days or [""] * len(numbers), strict=True)
    }


def _sent_day(row: SubscriptionRow, text: str) -> date | None:
    if not text:
        return None
    try:
        return date_from_1900("sent_dates", msgspec.convert(text, date))
    except msgspec.ValidationError:
        raise Invalid(
            f"`sent_dates` contains {shown(text)}; expected dates as YYYY-MM-DD.",
            field="sent_dates",
            value=row.sent_dates,
        ) from None
