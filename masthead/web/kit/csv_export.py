"""Send tables as CSV files, with the separators that spreadsheets of the reader expect."""

import csv
import io
from collections.abc import AsyncIterator, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum

from babel.numbers import get_decimal_symbol
from starlette.responses import Response

from masthead.model.translations import gettext as _
from masthead.model.types.spreadsheets import guarded
from masthead.web.kit.attachments import UTF8_CSV, attachment
from masthead.web.kit.formatting import get_locale

ROWS = 200  # to read at a time


class CsvStyle(StrEnum):
    """What separates the cells of a CSV file, and what the decimals of a number."""

    SEMICOLON = "semicolon"  # and decimal commas, as Excel reads and writes in many countries
    COMMA = "comma"  # and decimal points

    @property
    def separator(self) -> str:
        """The character between two cells."""
        return ";" if self is CsvStyle.SEMICOLON else ","

    @property
    def decimal(self) -> str:
        """The decimal mark."""
        return "," if self is CsvStyle.SEMICOLON else "."


def usual_style(locale: str) -> CsvStyle:
    """The style of spreadsheets in a locale."""
    has_comma = get_decimal_symbol(get_locale(locale)) == ","
    return CsvStyle.SEMICOLON if has_comma else CsvStyle.COMMA


def csv_file(
    name: str,
    columns: Sequence[str],
    parts: AsyncIterator[Sequence[Mapping[str, object]]],
    *,
    headings: Sequence[str],
    style: CsvStyle,
) -> Response:
    """A file that is streamed while its rows are read. parts: rows by column name."""
    words = {True: _("yes"), False: _("no")}  # in the language of the request, which ends before
    return attachment(_lines(columns, headings, parts, style, words), name, UTF8_CSV)


async def _lines(
    columns: Sequence[str],
    headings: Sequence[str],
    parts: AsyncIterator[Sequence[Mapping[str, object]]],
    style: CsvStyle,
    words: Mapping[bool, str],
) -> AsyncIterator[str]:
    # The byte order mark tells spreadsheets that the file is UTF-8
    yield "\ufeff" + style.separator.join(headings) + "\r\n"
    async for rows in parts:
        text = io.StringIO()
        writer = csv.writer(text, delimiter=style.separator)
        for row in rows:
            writer.writerow(_cell(row[column], style, words) for column in columns)
        yield text.getvalue()


def _cell(value: object, style: CsvStyle, words: Mapping[bool, str]) -> str:
    match value:
        case None:
            return ""
        case bool():
            return words[value]
        case int():
            return str(value)
        case Decimal():
            return str(value).replace(".", style.decimal)
    return guarded(str(value))
