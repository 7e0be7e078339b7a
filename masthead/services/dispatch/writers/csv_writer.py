"""CSV files: UTF-8 with a byte order mark, or Windows-1252."""

import csv
import io
from collections.abc import Iterator, Sequence

from masthead.model.dispatch.address_checks import missing_characters
from masthead.model.dispatch.files import FileTotals
from masthead.model.dispatch.profiles import Encoding, FileField, FormulaRule
from masthead.model.dispatch.runs import DispatchLine
from masthead.model.types.spreadsheets import guarded
from masthead.model.types.text import normalize
from masthead.services.dispatch.writers.cells import (
    OWN_FIELDS,
    Row,
    RowBuilder,
    build_header,
    list_fields,
)
from masthead.services.dispatch.writers.characters import describe_characters
from masthead.services.dispatch.writers.contents import FileContents, Problems

NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
TAB = "\t"  # makes a number a text in Excel and in LibreOffice, which ignores blanks
_CODECS = {Encoding.UTF_8: "utf-8", Encoding.WINDOWS_1252: "cp1252"}
_GUARDS = {
    FormulaRule.SPACE: NO_BREAK_SPACE,
    FormulaRule.APOSTROPHE: "'",
    FormulaRule.KEEP: "",
}


class CsvWriter:
    """Writes the lines of a run as CSV."""

    def __init__(self, contents: FileContents, totals: FileTotals) -> None:
        settings = contents.settings
        self._contents, self._problems = contents, Problems()
        self._rows = RowBuilder(contents, totals, self._problems)
        self._separator = settings.separator.value
        self._codec = _CODECS[settings.encoding]
        self._guard = _GUARDS[settings.formulas]
        fields = list_fields(contents)
        self._texts = [place for place, field in enumerate(fields) if field not in OWN_FIELDS]
        self._postcodes = [
            place for place, field in enumerate(fields) if field is FileField.POSTCODE_TEXT
        ]
        is_marked = settings.encoding is Encoding.UTF_8
        header = [guarded(name, self._guard) for name in build_header(contents)]
        self._width = len(header)
        self._start = (b"\xef\xbb\xbf" if is_marked else b"") + self._encode_header(header)

    def write(self, lines: Sequence[DispatchLine]) -> bytes:
        """Add lines; returns their bytes."""
        rows = [self._guarded(self._rows.build(line)) for line in lines]
        text = self._format(rows)
        try:
            content = text.encode(self._codec)
        except UnicodeEncodeError:
            content = self._encode_each(lines, rows)
        start, self._start = self._start, b""
        return start + content

    def finish(self) -> Iterator[bytes]:
        """The rest of the bytes: the header, if there are no lines. Raises: Invalid."""
        self._problems.require_none(
            "Choose another export profile, such as one for UTF-8 or with more space, or correct "
            "the addresses and freeze a new run."
        )
        yield self._start

    def close(self) -> None:
        """Nothing to delete."""

    def _encode_header(self, header: Row) -> bytes:
        return self._format([header]).encode(self._codec)

    def _format(self, rows: Sequence[Row]) -> str:
        """The rows as text. Most rows need no quotes; the `csv` module writes the others."""
        separators, texts = self._width - 1, list[str]()
        for row in rows:
            text = self._separator.join(row)
            if text.count(self._separator) != separators or '"' in text or self._width == 1:
                text = self._quoted(row)
            texts.append(text)
        return "".join([f"{text}\r\n" for text in texts])

    def _quoted(self, row: Row) -> str:
        text = io.StringIO()
        csv.writer(text, delimiter=self._separator, lineterminator="").writerow(row)
        return text.getvalue()

    def _guarded(self, row: Row) -> Row:
        """The row, changed so that no spreadsheet runs a cell as a formula."""
        for place in self._texts:
            row[place] = guarded(row[place], self._guard)
        for place in self._postcodes:
            if row[place][:1].isdigit():
                row[place] = TAB + row[place]  # a spreadsheet keeps its zeros
        return row

    def _encode_each(self, lines: Sequence[DispatchLine], rows: Sequence[Row]) -> bytes:
        """The rows that the encoding can write; the others are problems."""
        contents: list[bytes] = []
        for line, row in zip(lines, rows, strict=True):
            text = self._format([[normalize("NFC", cell) for cell in row]])
            try:
                contents.append(text.encode(self._codec))
            except UnicodeEncodeError:
                missing = sorted(missing_characters(text, self._codec))
                named = describe_characters(missing)
                self._problems.add(
                    f"{self._contents.describe(line)}: Windows-1252 does not have {named}."
                )
        return b"".join(contents)
