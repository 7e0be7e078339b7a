"""Read the cells of an export as values of the database."""

import base64
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from masthead.model.errors import Invalid
from masthead.model.exports.nouns import Noun
from masthead.model.types.email_addresses import email_key
from masthead.services.exports.row_checks import unusable
from masthead.store.engine.interface import BOOLEAN_COLUMNS

_NUMBERS = frozenset(
    "width height part max_replacements max_replacements_issues spare_percent grace_copies".split()
)
Reader = Callable[[Sequence[str]], dict[str, Any]]


def row_reader(noun: Noun, nullable: Mapping[str, bool]) -> Reader:
    """A function that returns the values of a row by column.

    Both databases convert texts to numbers, dates and moments themselves when rows are inserted,
    except in the few tables with bytes. The account is updated.
    nullable: whether a column can be NULL; an empty cell is NULL or an empty text.
    """
    kept = [
        (place, name, _converter(noun, name, is_nullable=nullable[name]))
        for place, name in enumerate(noun.columns)
        if name not in noun.expressions
    ]

    def read(cells: Sequence[str]) -> dict[str, Any]:
        try:
            values = {name: convert(cells[place]) for place, name, convert in kept}
        except (ValueError, OverflowError):
            raise _unusable(noun, kept, cells) from None
        if noun.table == "subscriber":
            values["email_key"] = email_key(values["email"])
        return values

    return read


def _unusable(
    noun: Noun, kept: Sequence[tuple[int, str, Callable[[str], Any]]], cells: Sequence[str]
) -> Invalid:
    """The error for the first cell that cannot be converted."""
    for place, name, convert in kept:
        try:
            convert(cells[place])
        except (ValueError, OverflowError):
            return unusable(noun, name, cells[place])
    raise AssertionError(noun.name)


def _converter(noun: Noun, column: str, *, is_nullable: bool) -> Callable[[str], Any]:
    convert: Callable[[str], Any] = str
    if column in BOOLEAN_COLUMNS:
        convert = _flag
    elif column in noun.amounts:
        convert = _minor_units
    elif column == "content":
        convert = base64.b64decode
    elif column in _NUMBERS or (noun.table == "letterhead" and column == "number"):
        convert = int
    elif "content" in noun.columns and column.endswith("_at"):
        convert = datetime.fromisoformat
    if is_nullable:
        return lambda cell: convert(cell) if cell else None
    return convert


def _flag(cell: str) -> bool:
    return cell == "true"


def _minor_units(cell: str) -> int:
    """An amount with all decimals of its currency, in minor units."""
    return int(cell.replace(".", ""))
