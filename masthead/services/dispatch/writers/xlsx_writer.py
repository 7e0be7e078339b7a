"""XLSX files: a sheet with the addresses, all as text, and a sheet with the totals."""

import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from masthead.model.dispatch.files import FileTotals
from masthead.model.dispatch.profiles import FileField
from masthead.model.dispatch.runs import DispatchLine
from masthead.services.dispatch.writers.cells import RowBuilder, build_header, list_fields
from masthead.services.dispatch.writers.contents import CHUNK, FileContents, Problems

MAX_ROWS = 2**20 - 1  # of lines in a sheet; the first row has the headers
_WIDTHS = {FileField.SEQUENCE: 10, FileField.COPIES: 8, FileField.COUNTRY: 9, FileField.TITLE: 8}
_NUMBERS = frozenset({FileField.SEQUENCE, FileField.ISSUE, FileField.COPIES})


class XlsxWriter:
    """Writes the lines of a run as a workbook, by means of temporary files.

    A sheet holds a million lines; the rest is in further sheets.
    """

    def __init__(self, contents: FileContents, totals: FileTotals) -> None:
        self._contents, self._totals = contents, totals
        self._problems = Problems()
        self._rows = RowBuilder(contents, totals, self._problems)
        self._folder = tempfile.TemporaryDirectory(prefix="masthead-")
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
        self._workbook = xlsxwriter.Workbook(
            self._file,
            {
                "constant_memory": True,
                "tmpdir": self._folder.name,
                "strings_to_formulas": False,
                "strings_to_numbers": False,
                "strings_to_urls": False,
            },
        )
        created_at = contents.dispatch.created_at.astimezone(UTC).replace(tzinfo=None)
        self._workbook.set_properties(
            {
                "title": f"Issue {contents.dispatch.issue_number}, run {contents.dispatch.number}",
                "comments": f"run {contents.dispatch.id}, fingerprint "
                f"{contents.dispatch.fingerprint}",
                "created": created_at.replace(microsecond=0),
            }
        )
        self._text: Format = self._workbook.add_format({"num_format": "@"})
        self._bold: Format = self._workbook.add_format({"bold": True})
        self._fields = list_fields(contents)
        self._sheets, self._row = 0, 0
        self._sheet = self._add_sheet()

    def _add_sheet(self) -> Worksheet:
        self._sheets += 1
        name = "Addresses" if self._sheets == 1 else f"Addresses {self._sheets}"
        sheet: Worksheet = self._workbook.add_worksheet(name)
        for column, field in enumerate(self._fields):
            sheet.set_column(column, column, _WIDTHS.get(field, 20))
        sheet.freeze_panes(1, 0)
        for column, header in enumerate(build_header(self._contents)):
            sheet.write_string(0, column, header, self._bold)
        self._row = 0
        return sheet

    def write(self, lines: Sequence[DispatchLine]) -> bytes:
        """Add lines; returns nothing, because a workbook is written at the end."""
        numbers = [field in _NUMBERS for field in self._fields]
        for line in lines:
            if self._row == MAX_ROWS:
                self._sheet = self._add_sheet()
            self._row += 1
            for column, text in enumerate(self._rows.build(line)):
                if numbers[column]:
                    self._sheet.write_number(self._row, column, int(text))
                elif text:
                    self._sheet.write_string(self._row, column, text, self._text)
        return b""

    def finish(self) -> Iterator[bytes]:
        """The bytes of the workbook. Raises: Invalid."""
        self._problems.require_none(
            "Choose another export profile, such as one with more space, or correct the addresses "
            "and freeze a new run."
        )
        self._write_totals()
        self._workbook.close()
        self._file.seek(0)
        while chunk := self._file.read(CHUNK):
            yield chunk

    def _write_totals(self) -> None:
        dispatch, totals = self._contents.dispatch, self._totals
        sheet = self._workbook.add_worksheet("Totals")
        sheet.set_column(0, 1, 24)
        rows: list[tuple[str, str | int]] = [
            ("Issue", dispatch.issue_number),
            ("Run", dispatch.number),
            ("Run id", dispatch.id),
            ("Fingerprint", dispatch.fingerprint),
            ("Lines", totals.lines),
            *([("Addresses", totals.addresses)] if self._contents.settings.joins_copies else []),
            ("Digital, not in this file", totals.digital),
            ("Shortened", totals.shortened),
            ("Too long", totals.too_long),
        ]
        for section, counts in totals.by_section().items():
            rows += [(f"{section.capitalize()}: {name}", count) for name, count in counts.items()]
        for row, (name, value) in enumerate(rows):
            sheet.write_string(row, 0, name, self._bold)
            if isinstance(value, int):
                sheet.write_number(row, 1, value)
            else:
                sheet.write_string(row, 1, value)

    def close(self) -> None:
        """Delete the temporary files."""
        for sheet in self._workbook.worksheets():
            sheet.row_data_fh.close()  # if the workbook was not finished
        self._file.close()
        self._folder.cleanup()
