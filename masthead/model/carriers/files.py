"""What the files of carriers and mailing houses look like: encoding, separator, header and columns.

They are CSV files in any common encoding, with any common separator, often with title rows.
"""

import csv
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from masthead.model.carriers.columns import CarrierField, columns_of_names, names_new_address
from masthead.model.carriers.dates import is_date_text
from masthead.model.carriers.references import is_reference
from masthead.model.errors import Invalid, excerpt
from masthead.model.translations import gettext as _
from masthead.model.translations import gettext_noop
from masthead.model.types.spreadsheets import guarded
from masthead.model.types.text import is_digits

SEPARATORS = {
    ";": gettext_noop("semicolons"),
    ",": gettext_noop("commas"),
    "\t": gettext_noop("tabs"),
    "|": gettext_noop("vertical bars"),
}
SAMPLE_LINES = 60  # lines at the beginning that decide about separator and header
HEADER_LINES = 25  # the header is one of the first lines
MAX_LINE = 65_536  # characters
MAX_COLUMNS = 200

_MAGIC = {
    b"PK\x03\x04": gettext_noop("an Excel workbook or a ZIP file"),
    b"\xd0\xcf\x11\xe0": gettext_noop("an old Excel workbook"),
    b"%PDF": gettext_noop("a PDF"),
    b"\x1f\x8b": gettext_noop("a compressed file"),
}
_BOMS = {BOM_UTF8: "utf-8-sig", BOM_UTF16_LE: "utf-16", BOM_UTF16_BE: "utf-16"}
ENCODING_NAMES = {
    "utf-8": "UTF-8",
    "utf-8-sig": gettext_noop("UTF-8 with a byte order mark"),
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "cp1252": "Windows-1252",
}


class CarrierLayout(Struct, frozen=True):
    """How to read the rows of a file.

    separator: empty if there is one column only. header_line: the number of the line with the names
    of the columns, 0 if there is none. names: of the columns. columns: the places of the columns
    of each field, from 0. has_new_columns: whether the address columns are named as a new address.
    """

    separator: str
    header_line: int
    names: tuple[str, ...]
    columns: Mapping[CarrierField, tuple[int, ...]]
    has_new_columns: bool = False


class UnclosedQuote(Exception):
    """A line ends inside quotation marks: the row may go on in the next line."""


def encoding_of(head: bytes) -> str | None:
    """The encoding that the first bytes of a file show; None if it is UTF-8 or Windows-1252.

    Raises: Invalid if it is not a text file.
    """
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            text = _("The file is {kind}, not CSV. Save the table as CSV and use that file.")
            raise Invalid(text.format(kind=_(kind)))
    for mark, encoding in _BOMS.items():
        if head.startswith(mark):
            return encoding
    nulls = [head[place::2].count(0) for place in (0, 1)]
    if len(head) >= 4 and max(nulls) * 4 > len(head):  # Latin text has a zero in every second byte
        return "utf-16-be" if nulls[0] > nulls[1] else "utf-16-le"
    if b"\0" in head:
        raise Invalid(_("The file is not a text file. Save the table as CSV and use that file."))
    return None


def split_row(text: str, separator: str) -> list[str]:
    """The cells of one row. Raises: UnclosedQuote; csv.Error if the quotation marks are wrong."""
    if not separator:
        return [text.strip().strip('"').strip()]
    if '"' not in text:
        return [cell.strip() for cell in text.rstrip("\r\n").split(separator)]
    try:
        rows = list(csv.reader([text], delimiter=separator, strict=True))
    except csv.Error as reason:
        if "unexpected end of data" in str(reason):
            raise UnclosedQuote from None
        raise
    return [cell.strip() for cell in rows[0]] if rows else []


def _rows_of(lines: Sequence[str], separator: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each line that can be read by itself, with its number."""
    for number, line in enumerate(lines, 1):
        try:
            cells = split_row(line, separator)
        except (UnclosedQuote, csv.Error):
            continue
        if any(cells) and len(cells) <= MAX_COLUMNS:
            yield number, cells


def find_layout(lines: Sequence[str], chosen: Mapping[CarrierField, str]) -> CarrierLayout:
    """The layout of a file by its first lines.

    chosen: columns that the user named: by the name in the header, or by the number from 1.
    Raises: Invalid if no column has copy keys or copy ids.
    """
    candidates = [(separator, list(_rows_of(lines, separator))) for separator in SEPARATORS]
    candidates = [(sep, rows) for sep, rows in candidates if any(len(row) > 1 for _, row in rows)]
    candidates.append(("", list(_rows_of(lines, ""))))
    layouts = [
        found
        for separator, rows in candidates
        for found in _layouts(separator, rows, {**chosen})
        if {CarrierField.KEY, CarrierField.COPY} & found.columns.keys()
    ]
    if not layouts:
        raise _no_keys(lines, chosen)
    return max(layouts, key=lambda it: (bool(it.header_line), len(it.columns), len(it.names)))


def guess_layout(lines: Sequence[str]) -> CarrierLayout:
    """The layout of a file in which no column was recognized: the widest rows, without columns."""
    widest: tuple[int, list[str], str] = (0, [], "")
    for separator in SEPARATORS:
        for number, cells in _rows_of(lines, separator):
            if len(cells) > len(widest[1]):
                widest = (number, cells, separator)
    return CarrierLayout(widest[2], widest[0], tuple(widest[1]), {})


def _layouts(
    separator: str, rows: Sequence[tuple[int, list[str]]], chosen: Mapping[CarrierField, str]
) -> Iterator[CarrierLayout]:
    """The layouts that are possible with a separator."""
    for number, cells in rows:
        if number > HEADER_LINES:
            break
        columns = columns_of_names(cells, chosen)
        if columns is not None and not any(is_reference(cell) for cell in cells):
            yield CarrierLayout(
                separator, number, tuple(cells), columns, names_new_address(cells, columns, chosen)
            )
    if rows and (found := _by_content(rows, chosen)):
        header_line, names = _header_before(rows, found.get(CarrierField.KEY, (0,))[0])
        if header_line:  # the other columns may have known names
            found = {**(columns_of_names(names, chosen) or {}), **found}
        is_new = names_new_address(names, found, chosen)
        yield CarrierLayout(separator, header_line, names, found, is_new)


def _header_before(
    rows: Sequence[tuple[int, list[str]]], key_place: int
) -> tuple[int, tuple[str, ...]]:
    """Number and cells of the row before the first one with a key, if it can be the header."""
    width = max(len(row) for _, row in rows)
    previous: tuple[int, list[str]] = (0, [])
    for number, cells in rows:
        if is_reference(cells[key_place] if key_place < len(cells) else ""):
            break
        previous = (number, cells)
    if previous[0] and len(previous[1]) == width and all(previous[1]):
        return previous[0], tuple(previous[1])
    return 0, tuple(f"column {place}" for place in range(1, width + 1))


def _by_content(
    rows: Sequence[tuple[int, list[str]]], chosen: Mapping[CarrierField, str]
) -> dict[CarrierField, tuple[int, ...]] | None:
    """The columns of a file without a header, by their cells and the chosen numbers."""
    references, dates = Counter[int](), Counter[int]()
    for _number, cells in rows:
        for place, cell in enumerate(cells):
            references[place] += is_reference(cell)
            dates[place] += is_date_text(cell)
    columns: dict[CarrierField, tuple[int, ...]] = {}
    for counts, field in ((references, CarrierField.KEY), (dates, CarrierField.DATE)):
        (place, count), *_ = counts.most_common(1)
        if count and count * 3 >= len(rows):
            columns[field] = (place,)
    for field, text in chosen.items():
        if not text:
            columns.pop(field, None)
            continue
        places = [int(part) - 1 for part in text.split("+") if is_digits(part, at_most=4)]
        if not places or not all(0 <= place < len(references) for place in places):
            return None
        columns[field] = tuple(places)
    return columns


def _no_keys(lines: Sequence[str], chosen: Mapping[CarrierField, str]) -> Invalid:
    first = next((line.strip() for line in lines if line.strip()), "")
    if not first:
        return Invalid(_("The file is empty."))
    if chosen:
        named = ", ".join(f"`{excerpt(text)}`" for text in chosen.values())
        return Invalid(
            _(
                "The file has no header with the columns {columns}. Its first line is `{line}`."
            ).format(columns=named, line=excerpt(first))
        )
    return Invalid(
        _(
            "The file has no column with copy keys or copy IDs. Name that column in the first line "
            "{key} or {copy}, or say which one it is. The first line is `{line}`."
        ).format(key="`copy_key`", copy="`copy_id`", line=excerpt(first)),
        field="key",
    )


def report_row(cells: Sequence[str]) -> list[str]:
    """The cells of a row of a report, changed so that no spreadsheet runs one as a formula."""
    return [guarded(cell) for cell in cells]
