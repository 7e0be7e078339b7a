"""The file of rejected rows, which never replaces another file."""

import os
import re
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO

from masthead.cli.command import CommandError
from masthead.services.imports.reading import FileReading
from masthead.services.imports.work.placed import PlacedRow
from masthead.services.imports.work.rejects import RejectsText
from masthead.store.engine.private_files import create_private

_OF_REJECTS = re.compile(r"(.+)\.rejects(-[0-9]+)?\.csv")


def rejects_path(file: Path) -> Path:
    """The file for the rejected rows of a file, or of such a file that was corrected."""
    corrected = _OF_REJECTS.fullmatch(file.name)
    return file.with_name(f"{corrected[1] if corrected else file.name}.rejects.csv")


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


class RejectsWriter:
    """Writes rejected rows to a file; the first row creates it."""

    def __init__(self, wanted: Path, reading: FileReading, stack: ExitStack) -> None:
        self._wanted, self._stack = wanted, stack
        self._text = RejectsText(reading.table.columns, reading.table.separator)
        self._stream: TextIO | None = None
        self.path: Path | None = None

    def add(self, placed: PlacedRow) -> None:
        """Write a row."""
        if self._stream is None:
            self.path, stream = open_numbered(self._wanted)
            self._stream = self._stack.enter_context(stream)
            self._stack.callback(self._end, stream)
            self._stream.write(self._text.head())
        self._stream.write(self._text.add(placed.stored))

    def _end(self, stream: TextIO) -> None:
        stream.write(self._text.end())


def open_numbered(wanted: Path) -> tuple[Path, TextIO]:
    """Create a private file; if it exists, one with the next free number: `a-2.csv`."""
    number = 1
    while True:
        name = f"{wanted.stem}-{number}{wanted.suffix}" if number > 1 else wanted.name
        path = wanted.with_name(name)
        try:
            descriptor = create_private(path)
        except FileExistsError:
            number += 1
            continue
        return path, open(descriptor, "w", encoding="utf-8", newline="")
