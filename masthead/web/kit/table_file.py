"""Send tables as CSV or XLSX files."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from starlette.responses import Response, StreamingResponse

from masthead.services.child_process import run_in_file_thread
from masthead.services.xlsx_tables import TableWorkbook
from masthead.web.kit.csv_export import csv_file

XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
ENDINGS = ("csv", "xlsx")

Parts = AsyncIterator[Sequence[Mapping[str, Any]]]


def table_file(
    name: str,
    columns: Sequence[str],
    parts: Parts,
    *,
    headings: Sequence[str],
    title: str,
) -> Response:
    """A file that is streamed while its rows are read, in constant memory.

    name: ends with `.csv` or `.xlsx`. title: of the sheet in a workbook.
    """
    if name.endswith(".csv"):
        return csv_file(name, columns, parts, headings=headings)
    return StreamingResponse(
        _workbook(title, columns, headings, parts),
        media_type=XLSX_TYPE,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


async def _workbook(
    title: str, columns: Sequence[str], headings: Sequence[str], parts: Parts
) -> AsyncIterator[bytes]:
    """The bytes of a workbook with these rows."""
    with TableWorkbook(title, columns, headings=headings) as workbook:
        async for rows in parts:
            await run_in_file_thread(workbook.write, rows)
        chunks = workbook.finish()
        while chunk := await run_in_file_thread(next, chunks, b""):
            yield chunk
