"""How cells of a file are read, with an example for each column whose texts change."""

from collections.abc import Sequence
from datetime import date
from typing import TypeGuard

from msgspec import Struct

from masthead.model.imports.mapping import ImportMapping, Rule
from masthead.model.imports.rows.prepared import PreparedRow
from masthead.model.imports.targets import TARGETS
from masthead.model.imports.values.days import NO_DAY
from masthead.model.orders.order import Order
from masthead.model.subscriptions.lifecycle import next_day

# The attributes of an order whose cells are converted, with the fields that they come from; the
# first field with a value counts
CONVERTED = {
    "order_date": ("order_date",),
    "period_start": ("period_start",),
    "period_end": ("next_payment_date", "period_end"),
    "cancelled_date": ("cancelled_date",),
    "price": ("price",),
    "discount_amount": ("discount_amount",),
    "refunded": ("refunded",),
    "country": ("country",),
    "medium": ("medium",),
    "status": ("status",),
}
MONEY = ("price", "discount_amount", "refunded")


class Conversion(Struct, frozen=True):
    """A cell, and what it becomes. field: of the order. value: an amount is in minor units."""

    column: str
    cell: str
    field: str
    value: date | int | str
    currency: str


def find_conversions(
    rows: Sequence[PreparedRow], mapping: ImportMapping, columns: Sequence[str]
) -> list[Conversion]:
    """The first cell of each converted column that is not written like its value."""
    found: dict[str, Conversion] = {}
    for row in rows:
        if row.order is None:
            continue
        for name, fields in CONVERTED.items():
            column, cell, field = _source(row, mapping, columns, fields)
            value = _value(row.order, name, field)
            if column and column not in found and _differs(value, name, cell):
                found[column] = Conversion(column, cell, name, value, row.order.currency)
    return list(found.values())


def _source(
    row: PreparedRow, mapping: ImportMapping, columns: Sequence[str], fields: Sequence[str]
) -> tuple[str, str, str]:
    """The column that gives a row its value, the cell and the field; "" if none does."""
    for field in fields:
        empty = NO_DAY if TARGETS[field].kind == "day" else ()
        for column in mapping.columns.get(field, Rule()).columns:
            cell = row.lines[0].cells[columns.index(column)].strip() if column in columns else ""
            if cell and cell.lower() not in empty:
                return column, cell, field
    return "", "", ""


def _value(order: Order, name: str, field: str) -> date | int | str | None:
    """What a field of the file became: a membership is paid until the day before its payment."""
    value: date | int | str | None = getattr(order, name)
    if field == "next_payment_date" and isinstance(value, date):
        return next_day(value)
    return value


def _differs(value: date | int | str | None, name: str, cell: str) -> TypeGuard[date | int | str]:
    """Whether the cell is another text than its value. An order without a value says nothing.

    Neither does one of several orders that share the amount of a row.
    """
    if value is None or (name in MONEY and _digits(cell) != _digits(str(value))):
        return False
    return bool(value) and (name in MONEY or str(value) != cell)  # 4200 may be cents


def _digits(text: str) -> str:
    """The digits of an amount, without zeros at its ends: those of 3.50 € and of 350 cents."""
    return "".join(filter(str.isdecimal, text)).strip("0")
