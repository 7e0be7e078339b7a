"""The file of refused rows: the columns of the original file, after those with the reasons.

It is CSV, or a workbook if the original file is one. It can be corrected and imported as it is: the
columns of the report are ignored then.
"""

import csv
import io
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from datetime import date
from decimal import Decimal
from pathlib import PurePath

from msgspec import structs

from masthead.model.imports.batches import ImportBatch, ImportRow, RowOutcome
from masthead.model.imports.targets import REPORT
from masthead.model.pagination import Page, PageRequest, all_pages
from masthead.model.translations import gettext as _
from masthead.model.types.spreadsheets import guarded
from masthead.services.xlsx_tables import Workbook
from masthead.store.engine.interface import Reader
from masthead.store.imports import batch_rows

BOM = "\ufeff"
_WORKBOOKS = (".xlsx", ".xlsm", ".ods")
# What the import reads from cells with such values. Whole numbers may be codes: they stay texts
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,9})\.[0-9]{0,3}[1-9]", re.ASCII)
_DAY = re.compile(r"(?:19[1-9]|20[0-9])[0-9]-[01][0-9]-[0-3][0-9]", re.ASCII)


class CsvRejects:
    """CSV. separator: that of the original file."""

    def __init__(self, separator: str) -> None:
        self._text = io.StringIO()
        self._writer = csv.writer(self._text, delimiter=separator)

    def begin(self, headings: Sequence[str]) -> bytes:
        """The first line."""
        return BOM.encode() + self.write(headings)

    def write(self, cells: Sequence[str]) -> bytes:
        """The line with these cells."""
        self._writer.writerow([guarded(cell) for cell in cells])
        text = self._text.getvalue()
        self._text.seek(0)
        self._text.truncate()
        return text.encode()

    def end(self) -> bytes:
        """Nothing follows the lines."""
        return b""

    def close(self) -> None:
        """Nothing is open."""


class WorkbookRejects:
    """An XLSX file. Numbers with decimals and days are numbers and days, as they were."""

    def __init__(self, title: str) -> None:
        self._title, self._workbook = title, Workbook()

    def begin(self, headings: Sequence[str]) -> bytes:
        """Begin the sheet."""
        self._workbook.begin_table(self._title, headings)
        return self._workbook.take()

    def write(self, cells: Sequence[str]) -> bytes:
        """Add a line; returns the bytes that are ready."""
        self._workbook.add([[_value_of(cell) for cell in cells]])
        return self._workbook.take()

    def end(self) -> bytes:
        """The rest of the bytes."""
        self._workbook.finish()
        return self._workbook.take()

    def close(self) -> None:
        """Close the workbook."""
        self._workbook.close()


def _value_of(cell: str) -> object:
    """The value of a cell, from which the import reads the same text."""
    if _NUMBER.fullmatch(cell):
        return Decimal(cell)
    if _DAY.fullmatch(cell):
        try:
            return date.fromisoformat(cell)
        except ValueError:  # such as 2026-02-30
            return cell
    return cell


RejectsWriter = CsvRejects | WorkbookRejects


def writer_of(batch: ImportBatch) -> tuple[RejectsWriter, str]:
    """What writes the file of an import, and the ending of its name."""
    if PurePath(batch.name).suffix.lower() in _WORKBOOKS:
        return WorkbookRejects(_("Refused rows")), "xlsx"
    return CsvRejects(batch.layout.separator), "csv"


class Rejects:
    """Makes the file, row by row. columns: of the original file."""

    def __init__(self, columns: Sequence[str], writer: RejectsWriter) -> None:
        self._columns = [name for name in columns if name not in REPORT]
        self._places = [place for place, name in enumerate(columns) if name not in REPORT]
        self._width = len(columns)
        self._writer = writer
        self._last: ImportRow | None = None

    def head(self) -> bytes:
        """The first line."""
        return self._writer.begin([*REPORT, *self._columns])

    def add(self, row: ImportRow) -> bytes:
        """Add a refused row; returns the lines of the one before.

        Several orders of one line are one row of the file.
        """
        last = self._last
        if last is not None and last.line == row.line:
            self._last = structs.replace(last, reasons=[*last.reasons, *row.reasons])
            return b""
        lines, self._last = self._write_last(), row
        return lines

    def end(self) -> bytes:
        """The lines of the last row, and the end of the file."""
        return self._write_last() + self._writer.end()

    def close(self) -> None:
        """Close the file, even if it is not at its end."""
        self._writer.close()

    def _write_last(self) -> bytes:
        """The lines of the last row; the first one says why it is refused."""
        row, lines = self._last, b""
        if row is None:
            return lines
        report = [
            str(row.line),
            " | ".join(dict.fromkeys(each.column for each in row.reasons if each.column)),
            " | ".join(dict.fromkeys(each.value for each in row.reasons if each.value)),
            " | ".join(dict.fromkeys(each.text for each in row.reasons)),
        ]
        for each in row.cells:
            kept = [each[place] if place < len(each) else "" for place in self._places]
            lines += self._writer.write([*report, *kept, *each[self._width :]])
            report = [str(row.line), "", "", ""]
        return lines


async def read_rejects(
    db: Reader, account_id: int, batch_id: str, columns: Sequence[str], writer: RejectsWriter
) -> AsyncIterator[bytes]:
    """The file of the refused rows of a batch, part by part. Queries: one for 200 rows."""

    async def list_page(request: PageRequest) -> Page[ImportRow]:
        async with db.read(aside=True) as connection:  # not during `yield`: clients may be slow
            return await batch_rows.list_rows(
                connection, account_id, batch_id, RowOutcome.REFUSED, request
            )

    with closing(Rejects(columns, writer)) as rejects:
        yield rejects.head()
        async for page in all_pages(list_page):
            yield b"".join(rejects.add(row) for row in page)
        yield rejects.end()
