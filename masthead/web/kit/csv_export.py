"""Send tables as CSV files."""

import csv
import io
from collections.abc import AsyncIterator, Mapping, Sequence

from starlette.responses import Response, StreamingResponse

from masthead.model.reports.column_names import translated_columns
from masthead.model.types.spreadsheets import guarded

ROWS = 200  # to read at a time


def csv_file(
    name: str,
    columns: Sequence[str],
    parts: AsyncIterator[Sequence[Mapping[str, object]]],
    *,
    headings: Sequence[str] | None = None,
) -> Response:
    """A file that is streamed while its rows are read.

    parts: rows by column name. headings: by default, the columns in the current language.
    """
    return StreamingResponse(
        _lines(columns, headings or translated_columns(columns), parts),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


async def _lines(
    columns: Sequence[str],
    headings: Sequence[str],
    parts: AsyncIterator[Sequence[Mapping[str, object]]],
) -> AsyncIterator[str]:
    # The byte order mark tells spreadsheets that the file is UTF-8
    yield "\ufeff" + ",".join(headings) + "\r\n"
    async for rows in parts:
        text = io.StringIO()
        writer = csv.writer(text)
        for row in rows:
            writer.writerow(_cell(row[column]) for column in columns)
        yield text.getvalue()


def _cell(value: object) -> str:
    return "" if value is None else guarded(str(value))
