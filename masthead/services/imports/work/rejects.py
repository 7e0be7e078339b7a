"""The file of refused rows: the columns of the original file, after those with the reasons.

It can be corrected and imported as it is: the columns of the report are ignored then.
"""

import csv
import io
from collections.abc import AsyncIterator, Sequence

from msgspec import structs

from masthead.model.imports.batches import ImportRow, RowOutcome
from masthead.model.imports.targets import REPORT
from masthead.model.pagination import Page, PageRequest, all_pages
from masthead.model.types.spreadsheets import guarded
from masthead.store.engine.interface import Reader
from masthead.store.imports import batch_rows

BOM = "\ufeff"


class RejectsText:
    """Makes the text of the file, row by row. separator: that of the original file."""

    def __init__(self, columns: Sequence[str], separator: str) -> None:
        self._text = io.StringIO()
        self._columns = [name for name in columns if name not in REPORT]
        self._places = [place for place, name in enumerate(columns) if name not in REPORT]
        self._width = len(columns)
        self._writer = csv.writer(self._text, delimiter=separator)
        self._last: ImportRow | None = None

    def head(self) -> str:
        """The first line."""
        return BOM + self._line([*REPORT, *self._columns])

    def add(self, row: ImportRow) -> str:
        """Add a refused row; returns the lines of the one before.

        Several orders of one line are one row of the file.
        """
        last = self._last
        if last is not None and last.line == row.line:
            self._last = structs.replace(last, reasons=[*last.reasons, *row.reasons])
            return ""
        text, self._last = self.end(), row
        return text

    def end(self) -> str:
        """The lines of the last row; the first one says why it is refused."""
        row, text = self._last, ""
        if row is None:
            return text
        report = [
            str(row.line),
            " | ".join(dict.fromkeys(each.column for each in row.reasons if each.column)),
            " | ".join(dict.fromkeys(each.value for each in row.reasons if each.value)),
            " | ".join(dict.fromkeys(each.text for each in row.reasons)),
        ]
        for each in row.cells:
            kept = [each[place] if place < len(each) else "" for place in self._places]
            text += self._line([*report, *kept, *each[self._width :]])
            report = [str(row.line), "", "", ""]
        return text

    def _line(self, cells: Sequence[str]) -> str:
        self._writer.writerow([guarded(cell) for cell in cells])
        text = self._text.getvalue()
        self._text.seek(0)
        self._text.truncate()
        return text


async def read_rejects(
    db: Reader, account_id: int, batch_id: str, columns: Sequence[str], separator: str
) -> AsyncIterator[str]:
    """The file of the refused rows of a batch, part by part. Queries: one for 200 rows."""
    text = RejectsText(columns, separator)
    yield text.head()

    async def list_page(request: PageRequest) -> Page[ImportRow]:
        async with db.read(aside=True) as connection:  # not during `yield`: clients may be slow
            return await batch_rows.list_rows(
                connection, account_id, batch_id, RowOutcome.REFUSED, request
            )

    async for page in all_pages(list_page):
        yield "".join(text.add(row) for row in page)
    yield text.end()
