"""Write the rows of a table twice: exact for machines, and safe for spreadsheets."""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from masthead.model.exports.export_files import ExportFile
from masthead.model.types.money import money_text
from masthead.model.types.spreadsheets import MARK, csv_lines, guarded
from masthead.store.engine.private_files import create_private, create_private_folder

SHEET_ROWS = 1_000_000  # of a file in `spreadsheet/`; programs take 1,048,576 with the first line


class WrittenFile(Struct, frozen=True):
    """A file of the export. name: its path in the folder. rows: without the line of names."""

    name: str
    rows: int
    bytes: int
    sha256: str
    columns: Sequence[str] = ()


class HashedFile:
    """A file whose size and digest are known when it is closed."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self.name, self.rows, self._bytes = name, 0, 0
        self._digest = hashlib.sha256()
        self._file = file

    def write(self, content: bytes, rows: int = 0) -> None:
        """Add bytes, which hold this number of rows."""
        self.rows += rows
        self._bytes += len(content)
        self._digest.update(content)
        self._file.write(content)

    def close(self, columns: Sequence[str] = ()) -> WrittenFile:
        """End the file; returns what the manifest says about it."""
        self._file.close()
        return WrittenFile(self.name, self.rows, self._bytes, self._digest.hexdigest(), columns)


class Folder:
    """A folder of private files; leaving it closes those that are still open."""

    def __init__(self, path: Path) -> None:
        self._path, self._stack = path, ExitStack()

    def __enter__(self) -> "Folder":
        return self

    def __exit__(self, *_error: object) -> None:
        self._stack.close()

    def open(self, name: str) -> HashedFile:
        """A new file. name: its path in the folder."""
        path = self._path / name
        create_private_folder(path.parent)
        return HashedFile(self._stack.enter_context(open(create_private(path), "wb")), name)

    def write(self, name: str, content: bytes) -> WrittenFile:
        """Write a whole file."""
        file = self.open(name)
        file.write(content)
        return file.close()


class TableFiles:
    """The files of a table in `csv/` and `spreadsheet/`."""

    def __init__(
        self, folder: Folder, name: str, columns: Sequence[str], texts: Sequence[int]
    ) -> None:
        self._folder, self._name, self._columns, self._texts = folder, name, columns, texts
        self.written: list[WrittenFile] = []
        self._exact = folder.open(f"csv/{name}.csv")
        self._exact.write(csv_lines([columns]))
        self._has_sheets = "content" not in columns  # a cell holds 32,767 characters
        self._sheet = self._open_sheet("") if self._has_sheets else None

    def _open_sheet(self, suffix: str) -> HashedFile:
        file = self._folder.open(f"spreadsheet/{self._name}{suffix}.csv")
        file.write(MARK + csv_lines([self._columns]))
        return file

    def write(self, rows: Sequence[Sequence[object]]) -> None:
        """Add rows. A million of them are a file of `spreadsheet/`, the rest is in further ones."""
        lines = csv_lines(rows)
        self._exact.write(lines, len(rows))
        if self._sheet is None:
            return
        free = SHEET_ROWS - self._sheet.rows
        if len(rows) > free:
            self._add_to_sheet(rows[:free])
            self.written.append(self._sheet.close(self._columns))
            self._sheet = self._open_sheet(f"-{len(self.written) + 1}")
            rows = rows[free:]
            lines = csv_lines(rows)
        self._add_to_sheet(rows, lines)

    def _add_to_sheet(self, rows: Sequence[Sequence[object]], lines: bytes | None = None) -> None:
        assert self._sheet is not None
        if any(_has_formula(row, self._texts) for row in rows):
            lines = csv_lines([guard(row, self._texts) for row in rows])
        self._sheet.write(csv_lines(rows) if lines is None else lines, len(rows))

    def close(self) -> list[WrittenFile]:
        """End the files."""
        self.written.append(self._exact.close(self._columns))
        if self._sheet is not None:
            self.written.append(self._sheet.close(self._columns))
        return self.written


def _has_formula(row: Sequence[object], texts: Sequence[int]) -> bool:
    cells = (row[place] for place in texts)
    return any(isinstance(cell, str) and guarded(cell) != cell for cell in cells)


def guard(row: Sequence[object], texts: Sequence[int]) -> list[object]:
    """The row with an apostrophe before each text that a spreadsheet would run as a formula."""
    cells = list(row)
    for place in texts:
        cell = cells[place]
        if isinstance(cell, str):
            cells[place] = guarded(cell)
    return cells


def cells_of(exported: ExportFile, rows: Iterable[Sequence[object]]) -> list[Sequence[object]]:
    """Rows of the store as cells: amounts as decimal texts, bytes in base64."""
    amounts = [
        (exported.columns.index(amount), exported.columns.index(currency))
        for amount, currency in exported.amounts.items()
    ]
    content = exported.columns.index("content") if "content" in exported.columns else None
    if not amounts and content is None:
        return list(rows)
    cells: list[Sequence[object]] = []
    for row in rows:
        values = list(row)
        for place, currency in amounts:
            amount = values[place]
            if amount is None:
                continue
            assert isinstance(amount, int)
            values[place] = money_text(amount, str(values[currency]))
        if content is not None:
            blob = values[content]
            assert isinstance(blob, bytes)
            values[content] = base64.b64encode(blob).decode()
        cells.append(values)
    return cells
