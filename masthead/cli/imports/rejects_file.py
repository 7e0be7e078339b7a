"""The file of rejected rows, which never replaces another file."""

import os
import re
from contextlib import ExitStack, closing
from pathlib import Path
from typing import BinaryIO

from masthead.cli.command import CommandError
from masthead.services.imports.reading import FileReading
from masthead.services.imports.table import is_workbook
from masthead.services.imports.work.placed import PlacedRow
from masthead.services.imports.work.rejects import (
    CsvRejects,
    Rejects,
    RejectsWriter,
    WorkbookRejects,
)
from masthead.store.engine.private_files import create_private

_OF_REJECTS = re.compile(r"(.+)\.rejects(-[0-9]+)?\.(csv|xlsx)")


def rejects_path(file: Path) -> Path:
    """The file for the rejected rows of a file, or of such a file that was corrected."""
    corrected = _OF_REJECTS.fullmatch(file.name)
    ending = "xlsx" if is_workbook(file) else "csv"
    return file.with_name(f"{corrected[1] if corrected else file.name}.rejects.{ending}")


def require_file(file: Path) -> None:
    """Raises: CommandError if a file to import does not exist."""
    if file.is_dir():
        raise CommandError(f"`{file}` is a folder. Name the CSV file or the workbook in it.")
    if not file.is_file():
        raise CommandError(f"There is no file `{file}`.")


def require_folder(rejects: Path) -> None:
    """Raises: CommandError before anything is imported, if the file cannot be created."""
    folder = rejects.absolute().parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise CommandError(f"`{rejects}` cannot be created: there is no such folder to write to.")


class RejectsOfRehearsal:
    """Writes rejected rows to a file; the first row creates it."""

    def __init__(self, wanted: Path, reading: FileReading, stack: ExitStack) -> None:
        self._wanted, self._table, self._stack = wanted, reading.table, stack
        self._rejects: Rejects | None = None
        self.path: Path | None = None

    def add(self, placed: PlacedRow) -> None:
        """Write a row."""
        if self._rejects is None:
            self.path, stream, writer = open_rejects(self._wanted, self._table.separator)
            self._stream = self._stack.enter_context(stream)
            self._rejects = Rejects(self._table.columns, writer)
            self._stack.callback(self._end, self._rejects)
            self._stream.write(self._rejects.head())
        self._stream.write(self._rejects.add(placed.stored))

    def _end(self, rejects: Rejects) -> None:
        with closing(rejects):
            self._stream.write(rejects.end())


def open_rejects(wanted: Path, separator: str) -> tuple[Path, BinaryIO, RejectsWriter]:
    """Create a private file; if it exists, one with the next free number: `a-2.csv`.

    separator: of CSV. It is a workbook if its name ends with `.xlsx`.
    """
    is_xlsx = wanted.suffix.lower() == ".xlsx"
    writer = WorkbookRejects("Rejected rows") if is_xlsx else CsvRejects(separator)
    number = 1
    while True:
        name = f"{wanted.stem}-{number}{wanted.suffix}" if number > 1 else wanted.name
        path = wanted.with_name(name)
        try:
            descriptor = create_private(path)
        except FileExistsError:
            number += 1
            continue
        return path, open(descriptor, "wb"), writer
