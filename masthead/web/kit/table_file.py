"""Send tables as CSV or XLSX files."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from starlette.responses import Response, StreamingResponse

from masthead.services.child_process import run_in_file_thread
from masthead.services.xlsx_tables import write_table
from masthead.temporary_files import TemporaryFile
from masthead.web.kit.csv_export import csv_file

XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
ENDINGS = ("csv", "xlsx")
CHUNK = 64 * 1024  # bytes

Parts = AsyncIterator[Sequence[Mapping[str, Any]]]


async def table_file(
    account_id: int,
    name: str,
    columns: Sequence[str],
    parts: Parts,
    *,
    headings: Sequence[str],
    title: str,
) -> Response:
    """A file in constant memory: a CSV file is streamed while its rows are read.

    name: ends with `.csv` or `.xlsx`. title: of the sheet in a workbook. Raises: Invalid, Busy.
    """
    if name.endswith(".csv"):
        return csv_file(name, columns, parts, headings=headings)
    workbook = await write_table(account_id, title, headings, columns, parts)
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Content-Length": str(workbook.path.stat().st_size),
    }
    return StreamingResponse(_read(workbook), media_type=XLSX_TYPE, headers=headers)


async def _read(file: TemporaryFile) -> AsyncIterator[bytes]:
    """The bytes of a file, which is deleted after that."""
    with file.path.open("rb") as stream:
        while chunk := await run_in_file_thread(stream.read, CHUNK):
            yield chunk
