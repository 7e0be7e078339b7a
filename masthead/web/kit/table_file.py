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
from masthead.services.xlsx_tables import stream_table
from masthead.web.kit.attachments import attachment
from masthead.web.kit.context import PageContext
from masthead.web.kit.csv_export import CsvStyle, csv_file
from masthead.web.kit.desk_pages import ENDINGS

XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

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
    is_recorded: bool = False,
) -> Response:
    """A file that is sent while its rows are read, in constant memory.

    It is in the security log, and in the audit log. is_recorded: whether it is there already.
    name: ends with `.csv` or `.xlsx`. parts: rows by column name; amounts may be texts. title: of
    the sheet in a workbook. headings: by default, those of the columns in the current language; a
    CSV file with commas, which programs read, has the names of the columns. Users who may not see
    money get no columns with amounts.
    """
    context.log_download(name)
    if not is_recorded:
        await context.record_download(name)
    if name.endswith(".csv") and context.csv_style is CsvStyle.COMMA:
        headings = columns
    headings = headings or translated_columns(columns)
    if not context.membership.may(Right.SEE_MONEY):
        shown = [each not in MONEY for each in columns]
        columns, headings = list(compress(columns, shown)), list(compress(headings, shown))
    rows = _with_numbers(parts, AMOUNTS.intersection(columns), current_language())
    if name.endswith(".csv"):
        return csv_file(name, columns, rows, headings=headings, style=context.csv_style)
    return attachment(stream_table(title, headings, columns, rows), name, XLSX_TYPE)


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
