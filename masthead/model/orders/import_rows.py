"""The rows of an import: from the cells of a table to an order."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

from masthead.model.errors import Invalid
from masthead.model.inputs import SubscriptionRow
from masthead.model.orders.order import Order, Terms, order_of_row
from masthead.model.types.text import MAX_DIGITS, is_digits
from masthead.model.validation import Field, decode_input, fields_of, shown

_FIELDS = fields_of(SubscriptionRow)
COLUMNS = tuple(_FIELDS)
REPORT = ("line", "column", "value", "reason")  # stand before the others in a file of rejects

# The columns whose cells are hardly ever said twice; the others' are remembered
_ALL_DIFFERENT = frozenset("order_id email address1 phone transaction_id notes renews".split())

_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def order_of_cells(cells: Mapping[str, str], terms: Terms) -> Order:
    """The order in one row. cells: text by column; empty means absent. Raises: Invalid.

    Costs about 15 µs: most cells say what one above them said. A row with anything wrong in it is
    read once more, field by field, to say what.
    """
    if "" in cells:
        raise Invalid("The row has more cells than the first line has names.", value=cells[""])
    try:
        given = {name: _read(name, text) for name, cell in cells.items() if (text := cell.strip())}
        row = SubscriptionRow(**given)
    except (Invalid, KeyError, TypeError, msgspec.ValidationError):
        row = _read_in_words(cells)
    return order_of_row(row, terms)


def _read_in_words(cells: Mapping[str, str]) -> SubscriptionRow:
    """The same row; what is wrong with it is told in the words of the API. Raises: Invalid."""
    raw = {
        name: _value(_FIELDS[name], text.strip()) for name, text in cells.items() if text.strip()
    }
    return decode_input(SubscriptionRow, raw)


def _read(name: str, text: str) -> Any:
    """A cell that is not empty, checked. Raises: Invalid, KeyError, msgspec.ValidationError."""
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
    """A cell as the type of its column."""
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
