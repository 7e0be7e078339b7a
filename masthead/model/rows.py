"""The rows of an import: from the cells of a table to an order."""

from collections.abc import Mapping

from masthead.model.decoding import Field, decode_input, fields_of, shown
from masthead.model.errors import Invalid
from masthead.model.inputs import SubscriptionRow
from masthead.model.orders import Order, Terms, order_of_row

COLUMNS = tuple(fields_of(SubscriptionRow))
REPORT = ("line", "column", "value", "reason")  # stand before the others in a file of rejects

_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def order_of_cells(cells: Mapping[str, str], terms: Terms) -> Order:
    """The order in one row. cells: text by column; empty means absent. Raises: Invalid."""
    fields = fields_of(SubscriptionRow)
    if "" in cells:
        raise Invalid("The row has more cells than the first line has names.", value=cells[""])
    raw = {name: _value(fields[name], text.strip()) for name, text in cells.items() if text.strip()}
    return order_of_row(decode_input(SubscriptionRow, raw), terms)


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
    if field.kind is int and text.isascii() and text.isdigit() and len(text) < 20:
        return int(text)
    return text
