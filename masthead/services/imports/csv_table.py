"""CSV files of any dialect as tables."""

import csv
import io
import re
from codecs import BOM_UTF16_LE
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TextIO

from masthead.model.errors import Invalid, excerpt
from masthead.model.imports.layouts import (
    SAMPLE_ROWS,
    SEPARATORS,
    FindLayout,
    TableLayout,
    choose_separator,
    find_layout,
    is_total,
)
from masthead.model.imports.tabular_data import Line, Table
from masthead.model.translations import gettext as _
from masthead.services.imports.csv_rows import read_rows
from masthead.services.imports.text_files import TextFile, inspect_text

_SAMPLE = 512 * 1024  # characters
_SAMPLE_LINES = 10_000
_TAIL = 64 * 1024  # bytes
_LONG = 600  # characters; a longer line is not `sep=;`
_SEPARATOR_LINE = re.compile(r'\ufeff?"?sep=([^"\w\r\n])"?[;,|\t]*\s*', re.IGNORECASE)


def open_csv(
    path: Path, *, name: str, encoding: str | None = None, find: FindLayout = find_layout
) -> Table:
    """The table in a CSV file. encoding: None if it is to be found.

    find: finds the columns in the first rows. Raises: Invalid; OSError.
    """
    file = inspect_text(path, encoding)
    sample, is_all = _read_sample(file)
    start = 1
    if sample and (named := _SEPARATOR_LINE.fullmatch(sample[0][:_LONG])):
        start = 2
        samples = {named[1]: _sample_rows(sample, named[1], start)}
    else:
        samples = {separator: _sample_rows(sample, separator, 1) for separator in SEPARATORS}
    good = {
        separator: [(line.number, line.cells) for line in rows if not line.problem]
        for separator, rows in samples.items()
    }
    unreadable = {mark: len(rows) - len(good[mark]) for mark, rows in samples.items()}
    separator = choose_separator(good, unreadable)
    wrong = [line for line in samples[separator] if line.problem]
    if wrong and not any(any(cells) for _number, cells in good[separator]):
        text = _("Line {line}: {problem}")
        raise Invalid(text.format(line=wrong[0].number, problem=wrong[0].problem))
    layout, body = find(good[separator]), start
    if layout.header:
        body = layout.header + _count_lines(sample[layout.header - 1 :], separator)
    if file.bad is not None and not (file.bad.is_end and layout.keeps_all):
        raise _bad_byte(file, separator, layout, body)
    notes = list(layout.notes)
    if file.samples:
        text = _(
            "Words with letters outside ASCII: {words}. If they look wrong, choose another "
            "encoding, or save the file as CSV UTF-8."
        )
        words = ", ".join(f"`{excerpt(word)}`" for word in file.samples)
        notes.append(text.format(words=words))
    below = [cells for number, cells in good[separator] if number > layout.header]
    if is_all and not below and not wrong and not layout.keeps_all:
        text = _(
            "The file has column names in line {line}, but no rows below them. Export the table "
            "again, with its rows, and use that file."
        )
        raise Invalid(text.format(line=layout.header))
    totals = 0
    if not layout.keeps_all:
        first_filled = sum(bool(cells[0]) for cells in below) * 2 >= len(below)
        totals = _totals_line(file, separator, body, is_first_filled=first_filled)
    if totals:
        notes.append(_("Line {line} has totals and is left out.").format(line=totals))

    return Table(
        name=name,
        columns=layout.columns,
        description=_describe(file, separator, layout),
        notes=tuple(notes),
        separator=separator,
        row_count=max(file.lines - body + 1 - bool(totals), 0),
        sheets=(),
        read=partial(_read, file, separator, layout.columns, body, totals),
        path=path,
        encoding=file.encoding,
        is_cut=file.bad is not None,
        totals=int(bool(totals)),
    )


@contextmanager
def _open(file: TextFile) -> Iterator[TextIO]:
    errors = "replace" if file.bad else "strict"
    with file.path.open(encoding=file.encoding, errors=errors, newline="") as stream:
        yield stream


def _read_sample(file: TextFile) -> tuple[list[str], bool]:
    """The first lines, and whether these are all lines."""
    with _open(file) as stream:
        sample = stream.readlines(_SAMPLE)
        is_all = len(sample) <= _SAMPLE_LINES and not stream.read(1)
        return sample[:_SAMPLE_LINES], is_all


def _sample_rows(sample: list[str], separator: str, start: int) -> list[Line]:
    """The first rows, with any number of cells."""
    text = io.StringIO("".join(sample[start - 1 :]), newline="")
    rows = read_rows(text, separator, (), first=start, has_marks=True)
    return list(islice(rows, SAMPLE_ROWS))


def _count_lines(sample: Sequence[str], separator: str) -> int:
    """The number of lines of the first row."""
    reader = csv.reader(sample, delimiter=separator, strict=True)
    next(reader)
    return reader.line_num


def _read(
    file: TextFile, separator: str, columns: tuple[str, ...], body: int, totals: int
) -> Iterator[Line]:
    """The rows from the line `body` on, without the line with totals (0 if there is none)."""
    with _open(file) as stream:
        for _number in range(body - 1):
            stream.readline()
        rows = read_rows(stream, separator, columns, first=body, has_marks=file.has_marks)
        if totals:
            rows = (line for line in rows if line.number != totals)
        yield from rows


def _bad_byte(file: TextFile, separator: str, layout: TableLayout, body: int) -> Invalid:
    """The error for a byte that is not of the encoding."""
    bad = file.bad
    assert bad is not None
    if bad.is_end:
        text = _(
            "The file ends in the middle of a character in line {line}: part of it is missing. "
            "Export it again and use that file."
        )
        return Invalid(text.format(line=bad.line))
    column = ""
    for line in _read(file, separator, layout.columns, body, 0):
        if line.number > bad.line:
            break
        names = zip(layout.columns, line.cells, strict=False)
        column = next((name for name, cell in names if "\N{REPLACEMENT CHARACTER}" in cell), "")
    if file.encoding == "cp1252":
        text = _(
            "The encoding of the file is neither UTF-8 nor Windows-1252: line {line}, {place} has "
            "the byte {byte}. Save it as CSV UTF-8 and use that file."
        )
    else:
        text = _(
            "The encoding of the file is {encoding}, but line {line}, {place} has the byte {byte}, "
            "which is not. Correct that line or save the file as CSV UTF-8, and use it again."
        )
    place = _("column `{column}`").format(column=excerpt(column)) if column else _("a cell")
    return Invalid(
        text.format(encoding=file.encoding_name(), line=bad.line, place=place, byte=bad.text),
        field=column,
    )


def _totals_line(file: TextFile, separator: str, body: int, *, is_first_filled: bool) -> int:
    """The number of the last line if it has totals, otherwise 0."""
    with file.path.open("rb") as stream:
        encoding = file.encoding
        if encoding == "utf-16":
            encoding = "utf-16-le" if stream.read(2) == BOM_UTF16_LE else "utf-16-be"
        size = stream.seek(0, io.SEEK_END)
        start = max(size - _TAIL, 0) & ~1  # UTF-16 has two bytes for a character
        stream.seek(start)
        text = stream.read().decode(encoding, errors="replace").removeprefix("\ufeff")
    lines = io.StringIO(text, newline="").readlines()
    number = file.lines
    for line in reversed(lines[1:] if start else lines):
        try:
            cells = [
                cell.strip()
                for row in csv.reader([line], delimiter=separator, strict=True)
                for cell in row
            ]
        except csv.Error:
            return 0
        if any(cells):
            is_last = number >= body and is_total(cells, is_first_filled=is_first_filled)
            return number if is_last else 0
        number -= 1
    return 0


def _describe(file: TextFile, separator: str, layout: TableLayout) -> str:
    """How the file is read, in a sentence."""
    parts = [file.encoding_name()]
    if len(layout.columns) == 1:
        parts.append(_("one column"))
    else:
        name = _(SEPARATORS[separator]) if separator in SEPARATORS else f"`{separator}`"
        parts.append(_("columns separated by {separator}").format(separator=name))
    parts.append(layout.named_in())
    return _("Read as {parts}.").format(parts=", ".join(parts))
