"""Send tables as CSV or XLSX files, as the address asks."""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import compress
from typing import Any
from zoneinfo import ZoneInfo

from starlette.responses import Response

from masthead.model.errors import NotFound
from masthead.model.identity.rights import Right
from masthead.model.reports.column_names import AMOUNTS, MONEY, translated_columns
from masthead.model.translations import current_language, set_language
from masthead.services.child_process import run_in_file_thread
from masthead.services.xlsx_tables import write_table
from masthead.temporary_files import TemporaryFile
from masthead.web.kit.attachments import attachment
from masthead.web.kit.context import PageContext
from masthead.web.kit.csv_export import csv_file
from masthead.web.kit.desk_pages import ENDINGS

XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
CHUNK = 64 * 1024  # bytes

Parts = AsyncIterator[Sequence[Mapping[str, Any]]]


def asked_ending(context: PageContext) -> str:
    """The kind of file that an address names as its last part. Raises: NotFound."""
    ending = context.request.url.path.rstrip("/").rpartition("/")[2]
    if ending not in ENDINGS:
        raise NotFound("file", ending)
    return ending


async def table_file(
    context: PageContext,
    name: str,
    columns: Sequence[str],
    parts: Parts,
    *,
    title: str,
    headings: Sequence[str] | None = None,
) -> Response:
    """A file in constant memory, in the security log; CSV is streamed while its rows are read.

    name: ends with `.csv` or `.xlsx`. parts: rows by column name; amounts may be texts. title: of
    the sheet in a workbook. headings: by default, the columns in the current language. Users who
    may not see money get no columns with amounts.

    Raises: Invalid, Busy.
    """
    context.log_download(name)
    headings = headings or translated_columns(columns)
    if not context.membership.may(Right.SEE_MONEY):
        shown = [each not in MONEY for each in columns]
        columns, headings = list(compress(columns, shown)), list(compress(headings, shown))
    rows = _with_numbers(parts, AMOUNTS.intersection(columns), current_language())
    if name.endswith(".csv"):
        return csv_file(name, columns, rows, headings=headings, style=context.csv_style)
    workbook = await write_table(context.account_id, title, headings, columns, rows)
    size = str(workbook.path.stat().st_size)
    return attachment(_read(workbook), name, XLSX_TYPE, {"Content-Length": size})


async def _with_numbers(parts: Parts, amounts: frozenset[str], language: str) -> Parts:
    """The rows with decimal numbers in the columns of amounts, whose texts the API returns."""
    set_language(language)  # rows are read when the page, and its language, are done
    async for rows in parts:
        yield [
            {**row, **{name: Decimal(row[name]) for name in amounts if row[name]}} for row in rows
        ]


async def begun(parts: Parts) -> Parts:
    """The same rows, of which the first part is read now: what it refuses is not a file yet."""
    first = await anext(parts, ())

    async def all_parts() -> Parts:
        yield first
        async for rows in parts:
            yield rows

    return all_parts()


async def in_zone(parts: Parts, zone: ZoneInfo) -> Parts:
    """The rows with their moments in a time zone, as spreadsheets read them: without the zone."""
    async for rows in parts:
        yield [{name: _local(value, zone) for name, value in row.items()} for row in rows]


def _local(value: Any, zone: ZoneInfo) -> Any:
    if not isinstance(value, datetime):
        return value
    return value.astimezone(zone).replace(tzinfo=None, microsecond=0)


async def _read(file: TemporaryFile) -> AsyncIterator[bytes]:
    """The bytes of a file, which is deleted after that."""
    with file.path.open("rb") as stream:
        while chunk := await run_in_file_thread(stream.read, CHUNK):
            yield chunk
