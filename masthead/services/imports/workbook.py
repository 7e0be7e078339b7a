"""Sheets of Excel and OpenDocument workbooks as tables."""

import csv
import io
import mmap
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import msgspec

from masthead.model.errors import Invalid, excerpt
from masthead.model.imports.archives import (
    DAMAGED,
    OPEN_DOCUMENT,
    check_size,
    kind_of_archive,
    memory_limit,
)
from masthead.model.imports.file_kinds import OLD_WORKBOOK, OLE
from masthead.model.imports.layouts import SAMPLE_ROWS, FindLayout, is_total
from masthead.model.imports.tabular_data import Line, Table
from masthead.model.translations import format_number, gettext as _
from masthead.model.types.text import MAX_TEXT
from masthead.services.child_process import child_memory, machine_memory
from masthead.services.imports.csv_rows import check_cells
from masthead.services.imports.workbook_rows import MAX_CELL, MAX_SECONDS, SheetFound
from masthead.supervision import supervised_environment
from masthead.temporary_files import TemporaryFile

MAX_DIRECTORY = 64 * 1024  # bytes of an archive's list of entries: 500, and a workbook has 20
MODULE = "masthead.services.imports.workbook_rows"


def open_workbook(
    path: Path,
    *,
    name: str,
    sheet: str | None,
    rows: TemporaryFile | None,
    find: FindLayout,
) -> Table:
    """The table in a sheet. Memory: constant; a process of its own reads the workbook.

    rows: the file that gets the rows; None for a new one, which lives as long as the table. find:
    finds the columns in the first rows.
    Raises: Invalid; OSError.
    """
    kind, unpacked = _check_archive(path)
    rows = rows or TemporaryFile(".csv")
    memory = memory_limit(unpacked, child_memory(machine_memory()))
    suffix = ".ods" if kind == OPEN_DOCUMENT else ".xlsx"
    named = rows.path.with_suffix(suffix)  # so that the process tells which limit it has met
    named.symlink_to(path.absolute())
    try:
        found = _read_in_process(named, rows.path, sheet, memory)
    finally:
        named.unlink()
    if found.error:
        raise _refusal(found, sheet, memory)
    sample = [
        (number, [cell.strip() for cell in cells])
        for number, cells in islice(_records(rows.path), 10 * SAMPLE_ROWS)
        if any(cells)
    ][:SAMPLE_ROWS]
    layout = find(sample)
    below = [cells for number, cells in sample if number > layout.header]
    if not below and not layout.keeps_all:
        text = _(
            "The sheet `{sheet}` has column names in row {line}, but no rows below them. Use the "
            "file with its rows, or choose another sheet."
        )
        raise Invalid(text.format(sheet=excerpt(found.sheet), line=layout.header))
    last, count = _last_row(rows.path, layout.header)
    first_filled = sum(bool(cells[0]) for cells in below) * 2 >= len(below)
    is_sum = not layout.keeps_all and is_total(last[1], is_first_filled=first_filled)
    totals = last[0] if is_sum else 0
    notes = list(layout.notes)
    if totals:
        notes.append(_("Line {line} has totals and is left out.").format(line=totals))
    if others := [excerpt(other) for other in found.sheets if other != found.sheet]:
        text = _("The workbook has other sheets with rows, which are not read: {sheets}.")
        notes.append(text.format(sheets=", ".join(f"`{other}`" for other in others)))
    description = _("Read as {kind}, sheet `{sheet}`, {place}.")

    return Table(
        name=name,
        columns=layout.columns,
        description=description.format(kind=_(kind), sheet=found.sheet, place=layout.named_in()),
        notes=tuple(notes),
        separator=",",
        row_count=count - bool(totals),
        sheets=found.sheets,
        read=partial(_read, rows, layout.columns, layout.header, totals),
        path=path,
        day_zero=found.day_zero,
        totals=int(is_sum),
    )


def _read(
    rows: TemporaryFile, columns: tuple[str, ...], header: int, totals: int
) -> Iterator[Line]:
    """The rows below the header, without the one with totals (0 if there is none)."""
    for number, cells in _records(rows.path):
        if number > header and number != totals:
            line = check_cells(number, cells, columns)
            if line is not None:
                yield line


def _check_archive(path: Path) -> tuple[str, int]:
    """The kind of a workbook, and its unpacked bytes. Raises: Invalid if it is none, or a bomb."""
    with path.open("rb") as stream:
        if stream.read(8) == OLE:
            raise _old_file(path)
    try:
        with _Archive(path.open("rb", buffering=0)) as stream, zipfile.ZipFile(stream) as archive:
            unpacked = sum(it.file_size for it in archive.infolist())
            check_size(path.stat().st_size, unpacked)
            kind = kind_of_archive(archive.namelist(), _start_of(archive, "mimetype"))
            if b"encryption-data" in _start_of(archive, "META-INF/manifest.xml"):
                raise Invalid(_password())
            return kind, unpacked
    except DAMAGED as reason:
        raise Invalid(_damaged()) from reason


class _Archive(io.BufferedReader):
    """An archive whose list of entries is short; it is read at once, before all entries."""

    def read(self, size: int | None = -1) -> bytes:
        """The next bytes. Raises: Invalid if they are too many."""
        if size is None or size > MAX_DIRECTORY:
            text = _(
                "The workbook has too many parts. Save the sheet as CSV UTF-8 and use that file."
            )
            raise Invalid(text)
        return super().read(size)


def _start_of(archive: zipfile.ZipFile, entry: str) -> bytes:
    """The first bytes of an entry; empty if there is none."""
    if entry not in archive.namelist():
        return b""
    with archive.open(entry) as stream:
        return stream.read(64 * 1024)


def _old_file(path: Path) -> Invalid:
    """The error for a file in the format of old Office programs."""
    with (
        path.open("rb") as stream,
        mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content,
    ):
        if content.find("EncryptedPackage".encode("utf-16-le")) >= 0:
            return Invalid(_password())
        if content.find("WordDocument".encode("utf-16-le")) >= 0:
            return Invalid(
                _(
                    "The file is an old Word document. Save its table as CSV UTF-8 or .xlsx and "
                    "use that file."
                )
            )
    return Invalid(_(OLD_WORKBOOK))


def _read_in_process(path: Path, target: Path, sheet: str | None, memory: int) -> SheetFound:
    """Read a sheet in a process with limits. memory: bytes. Raises: Invalid."""
    wanted = [] if sheet is None else [sheet[:MAX_TEXT]]  # an argument must not be too long
    done = subprocess.run(  # noqa: S603 - masthead itself
        [sys.executable, "-P", "-m", MODULE, str(path), str(target), str(memory), *wanted],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=supervised_environment(),
        check=False,
    )
    if done.returncode < 0:  # a signal: the limit of memory or time
        return SheetFound("memory")
    if done.returncode:
        raise Invalid(_damaged())
    return msgspec.json.decode(done.stdout, type=SheetFound)


def _refusal(found: SheetFound, sheet: str | None, memory: int) -> Invalid:
    if found.error == "memory":
        text = _(
            "The workbook needs too much memory or time: more than {size} MB, or {minutes} "
            "minutes. Save the sheet as CSV UTF-8, which needs little, and use that file."
        )
        return Invalid(
            text.format(size=format_number(memory // 1024**2), minutes=MAX_SECONDS // 60)
        )
    if found.error == "damaged":
        return Invalid(_damaged())
    if found.error == "long cell":
        text = _("A cell in row {line} has more than {most} characters. Shorten it.")
        return Invalid(text.format(line=format_number(found.line), most=format_number(MAX_CELL)))
    if not found.sheets:
        return Invalid(
            _("The workbook is empty. Export the table again, with its rows, and use that file.")
        )
    text = _("The workbook has no sheet `{sheet}` with rows. Use one of these: {sheets}.")
    names = ", ".join(f"`{excerpt(name)}`" for name in found.sheets)
    return Invalid(text.format(sheet=excerpt(sheet), sheets=names), field="sheet", value=sheet)


def _password() -> str:
    return _(
        "The workbook is protected by a password. Save it without one, or as CSV UTF-8, and use "
        "that file."
    )


def _damaged() -> str:
    return _(
        "The workbook is damaged, or part of it is missing because the upload was cut. Upload it "
        "again, or save it again as .xlsx or CSV UTF-8."
    )


def _records(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows of the sheet with their numbers."""
    with path.open(encoding="utf-8", newline="") as stream:
        yield from enumerate(csv.reader(stream), 1)


def _last_row(path: Path, header: int) -> tuple[tuple[int, Sequence[str]], int]:
    """The last row with cells, and the number of rows below the header."""
    last: tuple[int, Sequence[str]] = (0, ())
    count = 0
    for number, cells in _records(path):
        if any(cells) and number > header:
            last, count = (number, cells), count + 1
    return last, count
