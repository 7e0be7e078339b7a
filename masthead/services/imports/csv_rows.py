"""Read the rows of CSV files, in constant memory. A row that cannot be read spoils no other one."""

import csv
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TextIO

from masthead.model.errors import excerpt
from masthead.model.imports.tabular_data import Line
from masthead.model.translations import format_number, gettext as _
from masthead.services.imports.text_files import MARKS

MAX_CELL = csv.field_size_limit()  # characters: the limit of Python's own reader
MAX_CELLS = MAX_CELL  # of a line; a row of more is not split, because each takes 50 bytes or more
MAX_ROW_LINES = 200_000  # lines of a row with line breaks in its cells
_BLOCK = 1024 * 1024  # characters that are read together
_ESCAPED = 50  # lines of a row with backslashes before quotation marks
_AGAIN = 4  # characters that may be read again for each character of the file
_TOO_MANY = "too many cells"
_BLANKS = "".join(chr(code) for code in range(0x3001) if chr(code).isspace()) + MARKS


def read_rows(
    stream: TextIO, separator: str, columns: tuple[str, ...], *, first: int, has_marks: bool
) -> Iterator[Line]:
    """The rows from the place where the stream is, without blank ones.

    stream: opened with newline="". first: the number of its next line. columns: their names; empty
    if they are not yet known. has_marks: whether the file has invisible characters.
    Cost: linear. If quotation marks in many lines are not closed, each row may have only one line.
    """
    block, following, at = stream.readlines(_BLOCK), stream.readlines(_BLOCK), 0
    width, strip = len(columns), str.strip
    again = _BLOCK  # characters that may be read again
    while block:
        most = MAX_ROW_LINES if again > 0 else 1
        end = min(at + most, len(block))
        lines = _Lines(block, at, end, separator)
        reader = csv.reader(lines, delimiter=separator, strict=True)
        start, seen = at, 0  # seen: lines of this reader whose rows were read
        escaped, needs_more = 0, False
        try:
            for cells in reader:
                lines.begins_row = True
                count = reader.line_num - seen
                if count == 1 and len(cells) == width and not has_marks:
                    seen += 1
                    cells = list(map(strip, cells))
                    if any(cells):
                        yield Line(first + at + seen - 1, cells)
                    continue
                if not cells:
                    seen += count
                    continue
                start = at + seen
                line = check_cells(
                    first + start,
                    cells,
                    columns,
                    lines=block[start : start + count],
                    separator=separator,
                    is_last=not following and start + count == len(block),
                )
                if line is None:
                    seen += count
                    continue
                seen += 1 if line.problem else count
                yield line
                if line.problem and count > 1:
                    break  # go on with the line after the first one
        except csv.Error as reason:
            start = at + seen
            is_cut = "unexpected end" in str(reason)
            needs_more = is_cut and end == len(block) and end - start < most and bool(following)
            if not needs_more and not (is_cut and seen):  # else it is read again, as far as it goes
                tried = block[start : start + min(most, _ESCAPED)]
                cells, count, escaped = _with_escapes(tried, separator, width)
                problem = ""
                if not cells:
                    cells = _split(block[start], separator, width)
                    problem = _problem_of(str(reason), block[start], separator, columns)
                yield Line(first + start, cells, problem)
                seen += count
        next_at, read = at + seen, max(at + reader.line_num, start + escaped)
        again += _AGAIN * _length(block[at:next_at]) - _length(block[next_at:read])
        again, at = min(again, _BLOCK), next_at
        if at >= len(block) or needs_more:
            block, first, at = block[at:] + following, first + at, 0
            following = stream.readlines(_BLOCK)


def _length(lines: Sequence[str]) -> int:
    """The characters of the lines."""
    return sum(map(len, lines))


class _Lines:
    """The lines between two places, for Python's reader. Raises: csv.Error at too many cells.

    begins_row: whether the next line begins a row, and not in a cell with line breaks. Blanks
    around the quotation marks of such a line go.
    """

    def __init__(self, block: Sequence[str], at: int, end: int, separator: str) -> None:
        self._block, self._places, self._separator = block, iter(range(at, end)), separator
        self._padded, self._cell = _padded_cells(separator)
        self.begins_row = True

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._block[next(self._places)]
        if len(line) > MAX_CELLS and line.count(self._separator) > MAX_CELLS:
            raise csv.Error(_TOO_MANY)
        if self.begins_row and '"' in line and self._padded.search(line):
            line = self._cell.sub(_without_padding, line)
        self.begins_row = False
        return line


@cache
def _padded_cells(separator: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Finds blanks between a separator and a quotation mark; and each cell of a line.

    Python's reader takes such a quotation mark for a part of the text, or refuses the line.
    """
    mark, blank = re.escape(separator), "[ ]" if separator == "\t" else "[ \t]"
    quoted = '"[^"]*+(?:""[^"]*+)*+"'
    return (
        re.compile(rf'(?:^|{mark}){blank}+"|"{blank}+(?:{mark}|[\r\n]|$)'),
        re.compile(
            rf"(?P<mark>^|{mark})(?:{blank}*(?P<quoted>{quoted}){blank}*(?={mark}|[\r\n]*$)"
            rf'|"[^"]*+(?:""[^"]*+)*+\Z|[^{mark}]*)'  # a cell that goes on in the next line
        ),
    )


def _without_padding(cell: re.Match[str]) -> str:
    return cell["mark"] + cell["quoted"] if cell["quoted"] else cell[0]


def check_cells(
    number: int,
    cells: list[str],
    columns: tuple[str, ...],
    *,
    lines: Sequence[str] = (),
    separator: str = ",",
    is_last: bool = False,
) -> Line | None:
    """A row with its problem, if it has one; None if it is blank.

    lines: of the file, in which the cells are. is_last: whether the file ends with them.
    """
    width = len(columns)
    cells = [cell.strip(_BLANKS) for cell in cells]
    if not any(cells):
        return None
    if not width:
        return Line(number, cells, _nul(cells, columns))
    while len(cells) > width and not cells[-1]:
        cells.pop()
    if len(lines) > 1 and (len(cells) != width or _swallows(lines, width, separator)):
        return Line(number, _split(lines[0], separator, width), _unclosed())
    if len(cells) > width:
        text = _(
            "The row has {count} cells, but there are {columns} columns; `{cell}` is too many. Put "
            "cells that contain the separator into quotation marks."
        )
        problem = text.format(count=len(cells), columns=width, cell=excerpt(cells[width]))
        return Line(number, cells, problem)
    if len(cells) < width:
        if is_last and lines[-1][-1:] not in "\r\n":
            text = _(
                "The file ends in this row, after {count} of {columns} cells. Part of the file may "
                "be missing: export it again."
            )
            problem = text.format(count=len(cells), columns=width)
            return Line(number, _pad(cells, width), problem)
        cells = _pad(cells, width)
    return Line(number, cells, _nul(cells, columns))


def _swallows(lines: Sequence[str], width: int, separator: str) -> bool:
    """Whether a line inside quotation marks looks like a row of its own."""
    return width >= 4 and any(
        '"' not in line and line.count(separator) == width - 1 for line in lines[1:]
    )


def _nul(cells: list[str], columns: tuple[str, ...]) -> str:
    """The problem of a row with a NUL character; or empty."""
    for place, cell in enumerate(cells):
        if "\0" in cell:
            cells[place] = cell.replace("\0", "\N{REPLACEMENT CHARACTER}")
            name = columns[place] if place < len(columns) else str(place + 1)
            text = _("The column `{column}` contains a NUL character. Delete it.")
            return text.format(column=excerpt(name))
    return ""


def _with_escapes(lines: list[str], separator: str, width: int) -> tuple[list[str], int, int]:
    """The cells of a row in which a backslash is before quotation marks, as PHP writes it.

    Also returns the number of its lines; one if it cannot be read; and of the lines that were read.
    """
    if '\\"' not in lines[0]:
        return [], 1, 0
    reader = csv.reader(lines, delimiter=separator, strict=True, escapechar="\\")
    try:
        cells = [cell.strip(_BLANKS) for cell in next(reader)]
    except csv.Error:
        return [], 1, reader.line_num
    is_whole = len(cells) == width and not any("\0" in cell for cell in cells)
    return (cells, reader.line_num, 0) if is_whole else ([], 1, reader.line_num)


def _split(text: str, separator: str, width: int) -> list[str]:
    """The cells of a line that cannot be read, roughly."""
    cells = [excerpt(cell.strip(_BLANKS)) for cell in text.split(separator, max(width - 1, 0))]
    return _pad([cell.replace("\0", "\N{REPLACEMENT CHARACTER}") for cell in cells], width)


def _pad(cells: list[str], width: int) -> list[str]:
    return cells + [""] * (width - len(cells))


def _problem_of(reason: str, text: str, separator: str, columns: tuple[str, ...]) -> str:
    """A sentence for an error of Python's reader. text: the line that it read."""
    if reason == _TOO_MANY:
        message = _("The line has more than {most} cells. Check whether line breaks are missing.")
        return message.format(most=format_number(MAX_CELLS))
    if "field larger" in reason and len(text) > MAX_CELL:
        place, length = _longest(text, separator)
        if place >= len(columns):
            message = _("A cell has more than {most} characters. Shorten it.")
            return message.format(most=format_number(MAX_CELL))
        message = _(
            "The column `{column}` has a cell with {count} characters; it may have {most}. Shorten "
            "it."
        )
        return message.format(
            column=excerpt(columns[place]),
            count=format_number(length),
            most=format_number(MAX_CELL),
        )
    if "field larger" in reason or "unexpected end" in reason:
        return _unclosed()
    return _(
        "The quotation marks are wrong: after a closing one, the cell goes on. Write quotation "
        'marks inside a cell twice (`""`).'
    )


def _longest(text: str, separator: str) -> tuple[int, int]:
    """The place of the longest cell of a line, from 0, and its characters."""
    mark = re.escape(separator)
    cell = rf'(?:^|{mark})(?:"([^"]*(?:""[^"]*)*)"|([^{mark}]*))'
    lengths = [len(quoted or plain) for quoted, plain in re.findall(cell, text)]
    return max(enumerate(lengths), key=lambda each: each[1])


def _unclosed() -> str:
    return _(
        "A quotation mark is not closed, or the file was cut. Close it, or export the file again."
    )
