"""A table as an XLSX file that is sent while its rows are read."""

import io
import re
import zipfile
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import IO, Any
from xml.sax.saxutils import escape, quoteattr

from masthead.services.child_process import run_in_file_thread

MAX_ROWS = 2**20 - 1  # of a sheet, without the row with the titles
MAX_BYTES = 1_500_000_000  # of the rows of a sheet: Excel refuses ZIP64 in a file that is streamed
_MAX_TEXT = 32_767  # characters of a cell; Excel refuses more
# Excel reads `_x001B_` as a control character. XML has none, so they are written in this way
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]")
_LOOKS_WRITTEN = re.compile(r"_(?=x[0-9a-fA-F]{4}_)")
_EPOCH = datetime(1899, 12, 30)  # noqa: DTZ001 - workbooks have no time zones
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_FORMATS = "http://schemas.openxmlformats.org/"
_MAIN = f'xmlns="{_FORMATS}spreadsheetml/2006/main"'
_KIND = f"{_FORMATS}officeDocument/2006/relationships"
_PACKAGE = f"{_FORMATS}package/2006"
_SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_RELATIONS = f'<Relationships xmlns="{_PACKAGE}/relationships">{{}}</Relationships>'
_TYPES = (
    f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{}</Types>'
)
# Places in the list of formats; days and moments are shown as on the computer of the reader
_BOLD, _TEXT, _DAY, _MOMENT, _DECIMALS = range(1, 6)
_FIXED_FORMATS = (
    '<xf/><xf fontId="1" applyFont="1"/><xf numFmtId="49" applyNumberFormat="1"/>'
    '<xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="22" applyNumberFormat="1"/>'
)
_FIRST_OWN = 164  # number of the first format that a workbook defines itself


async def stream_table(
    title: str,
    headings: Sequence[str],
    columns: Sequence[str],
    parts: AsyncIterator[Sequence[Mapping[str, Any]]],
) -> AsyncIterator[bytes]:
    """A workbook with rows by column name: numbers, days, moments, yes or no, and texts.

    Moments have no time zone in a workbook, so they must be those of the reader.

    title: of its sheet. A sheet holds a million rows; the rest is in further sheets. Memory:
    constant. The first bytes come before the first row is read.
    """
    workbook = _Workbook(title, headings, columns)
    yield workbook.take()
    async for rows in parts:
        if written := await run_in_file_thread(workbook.add, rows):
            yield written
    yield await run_in_file_thread(workbook.close)


class _Output(io.RawIOBase):
    """What a ZIP file is written to: its bytes wait here until they are sent."""

    def __init__(self) -> None:
        self.waiting = bytearray()

    def write(self, content: bytes) -> int:  # type: ignore[override]
        """Add bytes."""
        self.waiting += content
        return len(content)


class _Workbook:
    """A workbook that is written row by row."""

    def __init__(self, title: str, headings: Sequence[str], columns: Sequence[str]) -> None:
        self._title, self._headings, self._columns = title, headings, columns
        self._letters = [_letters(number) for number in range(len(headings))]
        self._decimals: list[int] = []  # of the formats for numbers, in their order
        self._output = _Output()
        self._zip = zipfile.ZipFile(self._output, "w", zipfile.ZIP_DEFLATED)
        self._names: list[str] = []  # of the sheets
        self._begin_sheet()

    def take(self) -> bytes:
        """The bytes that were written since the last time."""
        written = bytes(self._output.waiting)
        self._output.waiting.clear()
        return written

    def add(self, rows: Sequence[Mapping[str, Any]]) -> bytes:
        """Write rows; returns what can be sent."""
        for row in rows:
            if self._line > MAX_ROWS or self._size > MAX_BYTES:
                self._end_sheet()
                self._begin_sheet()
            self._write_row(self._cell(row[name]) for name in self._columns)
        return self.take()

    def close(self) -> bytes:
        """Write the end; returns what can be sent."""
        self._end_sheet()
        for name, content in _list_parts(self._names, self._decimals).items():
            self._zip.writestr(name, _HEAD + content)
        self._zip.close()
        return self.take()

    def _begin_sheet(self) -> None:
        number = len(self._names) + 1
        self._names.append(self._title if number == 1 else f"{self._title} {number}")
        self._sheet: IO[bytes] = self._zip.open(f"xl/worksheets/sheet{number}.xml", "w")
        self._line = self._size = 0
        self._write(
            f'{_HEAD}<worksheet {_MAIN}><sheetViews><sheetView workbookViewId="0">'
            '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
            f'</sheetView></sheetViews><cols><col min="1" max="{len(self._headings)}" width="20.7" '
            'customWidth="1"/></cols><sheetData>'
        )
        self._write_row(_text_cell(each, _BOLD) for each in self._headings)
        self._size = 0  # bytes of its rows

    def _end_sheet(self) -> None:
        self._write("</sheetData></worksheet>")
        self._sheet.close()

    def _write_row(self, cells: Iterable[str]) -> None:
        """cells: what follows the place of each; empty for a cell without a value."""
        self._line += 1
        places = zip(self._letters, cells, strict=True)
        texts = (f'<c r="{letters}{self._line}"{cell}</c>' for letters, cell in places if cell)
        self._write(f'<row r="{self._line}">{"".join(texts)}</row>')

    def _write(self, text: str) -> None:
        self._size += self._sheet.write(text.encode())

    def _cell(self, value: object) -> str:
        match value:
            case None | "":
                return ""
            case bool():
                return f' t="b"><v>{value:d}</v>'
            case int():
                return f"><v>{value}</v>"
            case Decimal():
                return f' s="{self._format(str(value))}"><v>{value}</v>'
            case datetime():
                past = value.replace(tzinfo=None, microsecond=0) - _EPOCH
                return f' s="{_MOMENT}"><v>{past.days + past.seconds / 86_400}</v>'
            case date():
                return f' s="{_DAY}"><v>{value.toordinal() - _EPOCH.toordinal()}</v>'
        return _text_cell(str(value), _TEXT)

    def _format(self, number: str) -> int:
        """The place of the format with as many decimals as a number has."""
        decimals = len(number.partition(".")[2])
        if decimals not in self._decimals:
            self._decimals.append(decimals)
        return _DECIMALS + self._decimals.index(decimals)


def _letters(number: int) -> str:
    """The name of a column: A, B, …, Z, AA, AB, …."""
    name = chr(ord("A") + number % 26)
    return name if number < 26 else _letters(number // 26 - 1) + name


def _text_cell(text: str, style: int) -> str:
    plain = _LOOKS_WRITTEN.sub("_x005F_", text[:_MAX_TEXT])
    plain = _CONTROL.sub(lambda found: f"_x{ord(found[0]):04X}_", plain)
    shown = escape(plain)
    return f' s="{style}" t="inlineStr"><is><t xml:space="preserve">{shown}</t></is>'


def _list_parts(names: Sequence[str], decimals: Sequence[int]) -> dict[str, str]:
    """The parts of the workbook beside its sheets, by name. decimals: of formats for numbers."""
    shown, relations, types = "", "", _type("workbook", "sheet.main") + _type("styles", "styles")
    for number, name in enumerate(names, 1):
        shown += f'<sheet name={quoteattr(name)} sheetId="{number}" r:id="rId{number}"/>'
        relations += _relation(number, "worksheet", f"worksheets/sheet{number}.xml")
        types += _type(f"worksheets/sheet{number}", "worksheet")
    relations += _relation(len(names) + 1, "styles", "styles.xml")
    begin = f'<workbook {_MAIN} xmlns:r="{_KIND}">'
    return {
        "xl/workbook.xml": f"{begin}<sheets>{shown}</sheets></workbook>",
        "xl/styles.xml": _styles(decimals),
        "xl/_rels/workbook.xml.rels": _RELATIONS.format(relations),
        "_rels/.rels": _RELATIONS.format(_relation(1, "officeDocument", "xl/workbook.xml")),
        "[Content_Types].xml": _TYPES.format(types),
    }


def _styles(decimals: Sequence[int]) -> str:
    """The fonts, and the formats in the order of their places."""
    defined, used = "", _FIXED_FORMATS
    for number, count in enumerate(decimals, _FIRST_OWN):
        code = f"0.{'0' * count}" if count else "0"
        defined += f'<numFmt numFmtId="{number}" formatCode="{code}"/>'
        used += f'<xf numFmtId="{number}" applyNumberFormat="1"/>'
    return (
        f"<styleSheet {_MAIN}>{defined and f'<numFmts>{defined}</numFmts>'}"
        '<fonts><font><sz val="11"/><name val="Calibri"/></font>'
        '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
        '<fills><fill><patternFill patternType="none"/></fill>'
        '<fill><patternFill patternType="gray125"/></fill></fills>'
        "<borders><border/></borders><cellStyleXfs><xf/></cellStyleXfs>"
        f"<cellXfs>{used}</cellXfs></styleSheet>"
    )


def _relation(number: int, kind: str, target: str) -> str:
    return f'<Relationship Id="rId{number}" Type="{_KIND}/{kind}" Target="{target}"/>'


def _type(part: str, kind: str) -> str:
    return f'<Override PartName="/xl/{part}.xml" ContentType="{_SHEET_TYPE}.{kind}+xml"/>'
