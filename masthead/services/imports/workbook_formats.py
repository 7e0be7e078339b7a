"""What a workbook says about its numbers: which are shown as codes, and the day of number 0."""

import zipfile
from collections import deque
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from posixpath import join, normpath
from typing import IO

from masthead.model.imports.values.digit_formats import DigitFormat, read_format
from masthead.services.imports.workbook_open_document import CellStyles, CodeCells, first_day
from masthead.services.imports.workbook_xml import Attributes, local_name, parse

_BOOK, _STYLES = "xl/workbook.xml", "xl/styles.xml"
_RELATIONS = "xl/_rels/workbook.xml.rels"
_OPEN_CONTENT, _OPEN_STYLES = "content.xml", "styles.xml"
_MAC_DAY = date(1904, 1, 1)


def codes_of(path: Path, sheet: str) -> Iterator[tuple[int, dict[int, str]]]:
    """The rows of a sheet with codes: the number of the row, and the texts by column, from 0.

    Codes are shown with leading zeros, or with signs. Memory: constant. Cost: little if no style
    of the workbook shows codes. Raises: expat.ExpatError; ValueError.
    """
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        if names >= {_BOOK, _STYLES, _RELATIONS}:
            formats = _formats(archive)
            entry = _entry_of(archive, sheet)
            if formats and entry in names:
                with archive.open(entry) as stream:
                    yield from _Cells(formats).read(stream)
        elif _OPEN_CONTENT in names:
            styles = CellStyles()
            if _OPEN_STYLES in names:
                with archive.open(_OPEN_STYLES) as stream:
                    for _piece in parse(stream, styles.start, styles.end, styles.text):
                        pass
            with archive.open(_OPEN_CONTENT) as stream:
                yield from CodeCells(styles, sheet).read(stream)


def day_zero_of(path: Path) -> date | None:
    """The day that a workbook shows for the number 0; None if it is that of most workbooks.

    Raises: expat.ExpatError; ValueError.
    """
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        if _BOOK in names:
            for name, given in _elements(archive, _BOOK):
                if name == "workbookPr" and given.get("date1904") in ("1", "true", "on"):
                    return _MAC_DAY
            return None
        with archive.open(_OPEN_CONTENT) as stream:
            return first_day(stream)


def _elements(archive: zipfile.ZipFile, entry: str) -> list[tuple[str, Attributes]]:
    """The elements of a small document."""
    found: list[tuple[str, Attributes]] = []
    with archive.open(entry) as stream:
        for _piece in parse(stream, lambda name, given: found.append((name, given))):
            pass
    return found


def _formats(archive: zipfile.ZipFile) -> dict[str, DigitFormat]:
    """The formats that show codes, by the numbers of the styles that use them."""
    codes = dict[str, DigitFormat]()
    styles = dict[str, DigitFormat]()
    count, is_used = 0, False
    for name, given in _elements(archive, _STYLES):
        if name == "numFmt" and (format := read_format(given.get("formatCode", ""))):
            codes[given.get("numFmtId", "")] = format
        elif name in ("cellXfs", "cellStyles"):
            is_used = name == "cellXfs"
        elif name == "xf" and is_used:
            if given.get("numFmtId") in codes:
                styles[str(count)] = codes[given["numFmtId"]]
            count += 1
    return styles


def _entry_of(archive: zipfile.ZipFile, sheet: str) -> str:
    """The entry with a sheet; no entry if its place is not known."""
    relation = ""
    for name, given in _elements(archive, _BOOK):
        if name == "sheet" and given.get("name") == sheet:
            relation = next((given[key] for key in given if local_name(key) == "id"), "")
    places = {
        given.get("Id"): given.get("Target", "")
        for name, given in _elements(archive, _RELATIONS)
        if name == "Relationship"
    }
    return normpath(join("/xl", places.get(relation, ""))).lstrip("/")


class _Cells:
    """Collects the cells of a sheet that are shown as codes."""

    def __init__(self, formats: dict[str, DigitFormat]) -> None:
        self._format_of: Callable[[str], DigitFormat | None] = formats.get
        self._rows = deque[tuple[int, dict[int, str]]]()
        self._row, self._column = 0, -1
        self._format: DigitFormat | None = None
        self._found = dict[int, str]()
        self._value: list[str] | None = None

    def read(self, stream: IO[bytes]) -> Iterator[tuple[int, dict[int, str]]]:
        """The rows with codes."""
        for _piece in parse(stream, self._start, self._end, self._text):
            while self._rows:
                yield self._rows.popleft()

    def _start(self, name: str, given: Attributes) -> None:
        if name == "c":
            self._column = _column_of(given["r"]) if "r" in given else self._column + 1
            is_number = given.get("t", "n") == "n"
            self._format = self._format_of(given.get("s", "0")) if is_number else None
        elif name == "v":
            self._value = [] if self._format else None
        elif name == "row":
            self._row = int(given.get("r", self._row + 1))
            self._column, self._found = -1, {}

    def _text(self, text: str) -> None:
        if self._value is not None:
            self._value.append(text)

    def _end(self, name: str) -> None:
        if self._value is not None and self._format:
            shown = self._format.show("".join(self._value))
            if shown is not None:
                self._found[self._column] = shown
            self._value = None
        elif name == "row" and self._found:
            self._rows.append((self._row, self._found))


def _column_of(cell: str) -> int:
    """The column of a cell such as `B2`, from 0."""
    column = 0
    for letter in cell.rstrip("0123456789"):
        column = column * 26 + ord(letter) - 64
    return column - 1
