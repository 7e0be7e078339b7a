"""Read the file of a carrier in constant memory: first look at all of it, then read its rows."""

import codecs
import csv
import io
from array import array
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping
from contextlib import closing
from itertools import islice
from typing import BinaryIO

from msgspec import Struct

from masthead.model.carriers.columns import CarrierField
from masthead.model.carriers.dates import DateColumn, DateOrder
from masthead.model.carriers.files import (
    ENCODING_NAMES,
    MAX_COLUMNS,
    MAX_LINE,
    SAMPLE_LINES,
    SEPARATORS,
    CarrierLayout,
    UnclosedQuote,
    encoding_of,
    find_layout,
    split_row,
)
from masthead.model.carriers.references import is_reference
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.services.child_process import run_in_file_thread

BATCH = 5_000  # rows that are written together
MAX_ROW_LINES = 20  # lines of a row with line breaks in its cells
_CHUNK = 1024 * 1024  # bytes
_PAGE = 4_096

OpenFile = Callable[[], BinaryIO]


class CarrierFile(Struct, frozen=True):
    """A file and how to read it. open: opens it at its start. lines: how many it has.

    is_cut: whether it ends in the middle of a character, so its last row is incomplete.
    """

    open: OpenFile
    encoding: str
    layout: CarrierLayout
    date_order: DateOrder | None
    lines: int
    is_cut: bool

    def describe(self) -> str:
        """How the file was read, in a sentence."""
        separator = SEPARATORS.get(self.layout.separator)
        columns = _("one column")
        if separator:
            columns = _("columns separated by {separator}").format(separator=_(separator))
        parts = [_(ENCODING_NAMES[self.encoding]), columns]
        if not self.layout.header_line:
            parts.append(_("no line with column names"))
        elif self.layout.header_line > 1:
            text = _("column names in line {line}")
            parts.append(text.format(line=self.layout.header_line))
        if self.date_order is DateOrder.DAY_FIRST:
            parts.append(_("dates with the day first"))
        elif self.date_order is DateOrder.MONTH_FIRST:
            parts.append(_("dates with the month first"))
        return _("Read as {parts}.").format(parts=", ".join(parts))


class CarrierRow(Struct, frozen=True):
    """A row. number: of its first line. problem: why it cannot be read, or empty."""

    number: int
    cells: list[str]
    problem: str = ""


class UnmatchedRow(Struct, frozen=True):
    """A row that changed nothing, and why."""

    row: CarrierRow
    reason: str


def inspect_file(
    open_file: OpenFile,
    *,
    chosen: Mapping[CarrierField, str],
    date_order: DateOrder | None = None,
    needs_dates: bool = True,
) -> CarrierFile:
    """Look at all of a file: its encoding, its columns, and the order in its dates.

    chosen: columns that the user named. date_order: that the user chose. needs_dates: whether the
    dates in the file are used. Reads the file twice; call it in a thread. Raises: Invalid, OSError.
    """
    with open_file() as stream:
        encoding, lines, is_cut = _find_encoding(stream)
    layout = find_layout(_first_lines(open_file, encoding), chosen)
    file = CarrierFile(open_file, encoding, layout, None, lines, is_cut)
    if needs_dates and (places := layout.columns.get(CarrierField.DATE)):
        column = DateColumn()
        for row in read_rows(file):
            if places[0] < len(row.cells):
                column.add(row.cells[places[0]])
        file = CarrierFile(open_file, encoding, layout, column.decide(date_order), lines, is_cut)
    return file


def read_sample(open_file: OpenFile) -> list[str]:
    """The first lines of a file. Reads all of it; call it in a thread. Raises: Invalid."""
    with open_file() as stream:
        encoding, *_rest = _find_encoding(stream)
    return _first_lines(open_file, encoding)


def _first_lines(open_file: OpenFile, encoding: str) -> list[str]:
    with open_file() as stream, closing(_read_lines(stream, encoding)) as read:
        lines = [text for _number, text, _long in islice(read, SAMPLE_LINES)]
    if any("\0" in text for text in lines):
        raise Invalid(_("The file is not a text file. Save the table as CSV and use that file."))
    return lines


def _find_encoding(stream: BinaryIO) -> tuple[str, int, bool]:
    """The encoding, the number of lines, and whether the last character is cut. Raises: Invalid."""
    head = stream.read(_CHUNK)
    encoding = encoding_of(head)
    possible = [encoding] if encoding else ["utf-8", "cp1252"]
    decoders = {name: codecs.getincrementaldecoder(name)() for name in possible}
    lines, chunk, last = 0, head, b""
    while chunk and decoders:
        lines, last = lines + chunk.count(b"\n"), chunk
        for name, decoder in list(decoders.items()):
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError:
                del decoders[name]
        chunk = stream.read(_CHUNK)
    if not decoders:
        if encoding:
            text = _("The encoding of the file is {encoding}, but not all of it can be read.")
            raise Invalid(text.format(encoding=_(ENCODING_NAMES[encoding])))
        raise Invalid(
            _(
                "The encoding of the file is neither UTF-8 nor Windows-1252. Save it as UTF-8 and "
                "import it again."
            )
        )
    name, is_cut = next(iter(decoders)), False
    try:
        decoders[name].decode(b"", final=True)
    except UnicodeDecodeError:
        is_cut = True
    return name, lines + (not last.endswith((b"\n", b"\n\0"))), is_cut


def _read_lines(stream: BinaryIO, encoding: str) -> Generator[tuple[int, str, bool], None, None]:
    """Number, text and whether it is too long, of each line; the rest of a long one is skipped."""
    text = io.TextIOWrapper(stream, encoding=encoding, errors="replace", newline="")
    number = 0
    try:
        while line := text.readline(MAX_LINE):
            number += 1
            is_long = len(line) == MAX_LINE and line[-1] not in "\r\n"
            rest = line
            while is_long and rest and rest[-1] not in "\r\n":
                rest = text.readline(MAX_LINE)
            yield number, line, is_long
    finally:
        text.detach()  # the caller closes the stream


def read_rows(file: CarrierFile) -> Iterator[CarrierRow]:
    """The rows after the header, without blank ones. Memory: constant.

    A row that cannot be read has a problem, and reading goes on with the line after its first one.
    """
    with file.open() as stream, closing(_read_lines(stream, file.encoding)) as lines:
        waiting: list[tuple[int, str, bool]] = []
        while True:
            line = waiting.pop(0) if waiting else next(lines, None)
            if line is None:
                return
            number, text, is_long = line
            if number <= file.layout.header_line or not text.strip():
                continue
            if is_long:
                yield CarrierRow(number, [text[:200]], _too_long())
                continue
            row = _read_row(number, text, file.layout, lines, waiting)
            if any(row.cells) or row.problem:
                yield row


def _read_row(
    number: int,
    text: str,
    layout: CarrierLayout,
    lines: Iterator[tuple[int, str, bool]],
    waiting: list[tuple[int, str, bool]],
) -> CarrierRow:
    """The row that begins in a line. waiting: lines that were read ahead, and belong to no row."""
    ahead = 0
    try:
        try:
            cells = split_row(text, layout.separator)
        except UnclosedQuote:
            ahead_lines = _look_ahead(text, lines, waiting)
            reader = csv.reader(ahead_lines, delimiter=layout.separator, strict=True)
            cells = [cell.strip() for cell in next(reader)]
            ahead = reader.line_num - 1
    except csv.Error as reason:
        is_open = "unexpected end of data" in str(reason)
        problem = _not_closed() if is_open else _("The quotation marks are wrong.")
        return CarrierRow(number, [_clean(text)], problem)
    if ahead and (len(cells) != len(layout.names) or _has_key(waiting[:ahead], layout)):
        return CarrierRow(number, [_clean(text)], _not_closed())
    if len(cells) > MAX_COLUMNS:
        problem = _("It has more than {most} columns.").format(most=MAX_COLUMNS)
        return CarrierRow(number, [_clean(text)], problem)
    del waiting[:ahead]
    return CarrierRow(number, [_clean(cell) for cell in cells])


def _look_ahead(
    text: str, lines: Iterator[tuple[int, str, bool]], waiting: list[tuple[int, str, bool]]
) -> Iterator[str]:
    """A line, and the lines after it that may belong to its row; they are also added to waiting."""
    yield text
    for ahead in range(MAX_ROW_LINES):
        if ahead == len(waiting) and (line := next(lines, None)) is not None:
            waiting.append(line)
        if ahead == len(waiting) or waiting[ahead][2]:
            return
        yield waiting[ahead][1]


def _not_closed() -> str:
    return _("A quotation mark is not closed.")


def _too_long() -> str:
    return _("The line is longer than {most} characters.").format(most=MAX_LINE)


def _has_key(lines: list[tuple[int, str, bool]], layout: CarrierLayout) -> bool:
    """Whether lines that seem to be inside quotation marks are rows of their own."""
    return any(
        is_reference(cell.strip().strip('"'))
        for _, text, _ in lines
        for cell in text.split(layout.separator or None)
    )


def _clean(text: str) -> str:
    """The text without characters that cannot be stored."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").strip() if text else text


def cell_of(file: CarrierFile, row: CarrierRow, field: CarrierField) -> str:
    """The cells of a field in a row, joined; empty if it has none."""
    glue = "-" if field is CarrierField.POSTCODE else " "
    places = file.layout.columns.get(field, ())
    return glue.join(
        row.cells[place]
        for place in places
        if row.cells[place : place + 1] != [""] and place < len(row.cells)
    )


async def read_batches(file: CarrierFile) -> AsyncIterator[list[CarrierRow]]:
    """The rows in batches, each read in a thread."""
    rows = read_rows(file)
    while batch := await run_in_file_thread(lambda: list(islice(rows, BATCH))):
        yield batch


class FirstLines:
    """The line in which each number first occurred. Memory: 4 bytes for numbers that are close."""

    def __init__(self) -> None:
        self._pages: dict[int, array[int]] = {}

    def find(self, number: int) -> int:
        """The line of the first occurrence; 0 if there was none."""
        page = self._pages.get(number // _PAGE)
        return page[number % _PAGE] if page else 0

    def add(self, number: int, line: int) -> None:
        """Remember that a number occurred in a line."""
        page = self._pages.get(number // _PAGE)
        if page is None:
            page = self._pages[number // _PAGE] = array("L", bytes(_PAGE * array("L").itemsize))
        page[number % _PAGE] = line
