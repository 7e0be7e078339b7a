"""A table as an XLSX file, written row by row by means of temporary files."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from types import TracebackType
from typing import Any, Self

CHUNK = 64 * 1024  # bytes
MAX_ROWS = 2**20 - 1  # of a sheet, without the row with the titles


class TableWorkbook:
    """Writes a table as a workbook in constant memory. All cells are texts except whole numbers.

    headings: of the columns, if they are not their names.

    A sheet holds a million rows; the rest is in further sheets. Its methods block: call them in a
    thread.
    """

    def __init__(self, title: str, columns: Sequence[str], *, headings: Sequence[str] = ()) -> None:
        self._title, self._columns = title, columns
        self._headings = headings or columns
        self._folder = tempfile.TemporaryDirectory(prefix="masthead-")
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
        self._workbook = import_module("xlsxwriter").Workbook(
            self._file,
            {
                "constant_memory": True,
                "tmpdir": self._folder.name,
                "strings_to_formulas": False,
                "strings_to_numbers": False,
                "strings_to_urls": False,
            },
        )
        self._text = self._workbook.add_format({"num_format": "@"})
        self._bold = self._workbook.add_format({"bold": True})
        self._sheets = 0
        self._add_sheet()

    def _add_sheet(self) -> None:
        self._sheets += 1
        name = self._title if self._sheets == 1 else f"{self._title} {self._sheets}"
        self._sheet = self._workbook.add_worksheet(name)
        self._sheet.set_column(0, len(self._columns) - 1, 20)
        self._sheet.freeze_panes(1, 0)
        for column, header in enumerate(self._headings):
            self._sheet.write_string(0, column, header, self._bold)
        self._row = 0

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add rows by column name."""
        for row in rows:
            if self._row == MAX_ROWS:
                self._add_sheet()
            self._row += 1
            for column, name in enumerate(self._columns):
                value = row[name]
                if isinstance(value, int):
                    self._sheet.write_number(self._row, column, value)
                elif value is not None and value != "":
                    self._sheet.write_string(self._row, column, str(value), self._text)

    def finish(self) -> Iterator[bytes]:
        """The bytes of the workbook."""
        self._workbook.close()
        self._file.seek(0)
        while chunk := self._file.read(CHUNK):
            yield chunk

    def __enter__(self) -> Self:
        """The workbook itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Delete the temporary files, whether the workbook was finished or not."""
        for sheet in self._workbook.worksheets():
            sheet.row_data_fh.close()
        self._file.close()
        self._folder.cleanup()
