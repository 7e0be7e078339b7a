"""Cells of CSV files for people: no spreadsheet runs one as a formula.

A spreadsheet may split a file at another character than the one that separates its cells: at `;`
where a comma is the decimal mark, or at tabs. So a formula may also begin inside of a cell.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence

MARK = "\ufeff".encode()  # tells spreadsheets that a file is UTF-8

# Where a cell could begin, if blanks, quotes or apostrophes and then a sign of a formula follow.
# The part that is looked at ends at the next such place, so the time is linear
_FORMULA = re.compile(r"^(?='*[\t\r])|(^|[,;\t\r\n])(?=[\"' \xa0]*[=+\-@])")
_GUARDED = re.compile(r"^'(?='*[\t\r])|(^|[,;\t\r\n])'(?=[\"' \xa0]*[=+\-@])")
APOSTROPHE = "'"


def guarded(text: str, guard: str = APOSTROPHE) -> str:
    """The text of a cell, with a guard before each formula that it could become."""
    return _FORMULA.sub(lambda found: (found[1] or "") + guard, text)


def unguarded(text: str) -> str:
    """The text before `guarded`, with an apostrophe as the guard."""
    return _GUARDED.sub(lambda found: found[1] or "", text)


def csv_lines(rows: Iterable[Sequence[object]]) -> bytes:
    """Rows as RFC 4180 says: commas, quotes where they are needed, and CRLF; None is empty."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()
