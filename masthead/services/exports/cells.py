"""Read the cells of an export as values of the database, which have the types of their columns."""

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from masthead.model.exports.export_files import ExportFile
from masthead.model.types.email_addresses import loaded_key
from masthead.services.exports.row_checks import unusable
from masthead.store.engine.interface import BOOLEAN_COLUMNS
from masthead.store.engine.table_columns import Column

_NUMBERS = frozenset(
    "width height part max_replacements max_replacements_issues spare_percent spare_copies "
    "grace_copies".split()
)
_WHOLE_NUMBERS, _MOMENTS = ("bigint", "integer"), ("timestamptz", "timestamp with time zone")
_LARGEST, _DIGITS = 2**63 - 1, re.compile(r"-?[0-9]{1,19}")
_FIRST_YEAR, _LAST_YEAR = 1900, 9999
Reader = Callable[[Sequence[str]], dict[str, Any]]


def row_reader(exported: ExportFile, stored: Mapping[str, Column]) -> Reader:
    """A function that returns the values of a row by column.

    Both databases convert texts to numbers, dates and moments themselves when rows are inserted,
    except in the few tables with bytes. The account is updated. SQLite would store other texts as
    they are, so that they are checked here.
    stored: the columns of the table; an empty cell is NULL or an empty text.
    """
    kept = [
        (place, name, _converter(exported, name, stored[name]))
        for place, name in enumerate(exported.columns)
        if name not in exported.expressions
    ]

    def read(cells: Sequence[str]) -> dict[str, Any]:
        values = dict[str, Any]()
        place, column = 0, ""
        try:
            for place, column, convert in kept:
                values[column] = convert(cells[place])
        except (ValueError, OverflowError):
            raise unusable(exported, column, cells[place]) from None
        if exported.table == "subscriber":
            values["email_key"] = loaded_key(values["email"])
        return values

    return read


def _converter(exported: ExportFile, column: str, stored: Column) -> Callable[[str], Any]:
    convert: Callable[[str], Any] = _text
    if column in BOOLEAN_COLUMNS:
        convert = _flag
    elif column in exported.amounts:
        convert = _minor_units
    elif column == "content":
        convert = base64.b64decode
    elif column in _NUMBERS or (exported.table == "letterhead" and column == "number"):
        convert = int
    elif "content" in exported.columns and column.endswith("_at"):
        convert = datetime.fromisoformat
    elif stored.type in _WHOLE_NUMBERS:
        convert = _whole_number
    elif stored.type in _MOMENTS:
        convert = _moment
    if stored.is_nullable:
        return lambda cell: convert(cell) if cell else None
    return convert


def _flag(cell: str) -> bool:
    if cell not in ("true", "false", ""):
        raise ValueError
    return cell == "true"


def _text(cell: str) -> str:
    """Any text that both databases can store."""
    if "\0" in cell:
        raise ValueError
    return cell


def _minor_units(cell: str) -> int:
    """An amount with all decimals of its currency, in minor units."""
    return _number(cell.replace(".", ""))


def _whole_number(cell: str) -> str:
    _number(cell)
    return cell


def _number(cell: str) -> int:
    if not _DIGITS.fullmatch(cell) or abs(number := int(cell)) > _LARGEST:
        raise ValueError
    return number


def _moment(cell: str) -> str:
    """A moment with its offset, which pages can show in any time zone."""
    moment = datetime.fromisoformat(cell)
    if moment.tzinfo is None or not _FIRST_YEAR <= moment.year < _LAST_YEAR:
        raise ValueError
    return cell
