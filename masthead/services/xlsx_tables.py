"""XLSX files that are sent while their rows are read."""

import io
import re
import zipfile
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import IO, Any, NamedTuple
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
_METADATA = f"{_PACKAGE}/relationships/metadata"
_PACKAGE_TYPE = "application/vnd.openxmlformats-package"
_RELATION = '<Relationship Id="rId{}" Type="{}" Target="{}"/>'
_TYPE = '<Override PartName="/{}.xml" ContentType="{}+xml"/>'
_RELATIONS = f'<Relationships xmlns="{_PACKAGE}/relationships">{{}}</Relationships>'
_TYPES = (
    f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
    f'ContentType="{_PACKAGE_TYPE}.relationships+xml"/>{{}}</Types>'
)
# Places in the list of formats; days and moments are shown as on the computer of the reader
_BOLD, _TEXT, _DAY, _MOMENT, _DECIMALS = range(1, 6)
_FIXED_FORMATS = (
    '<xf/><xf fontId="1" applyFont="1"/><xf numFmtId="49" applyNumberFormat="1"/>'
    '<xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="22" applyNumberFormat="1"/>'
)
_FIRST_OWN = 164  # number of the first format that a workbook defines itself
_WIDTH = 20  # of a column, in characters, unless its heading is longer
_FROZEN_HEADINGS = (
    '<sheetViews><sheetView workbookViewId="0">'
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
    "</sheetView></sheetViews>"
)
_AS_TEXT = '<ignoredErrors><ignoredError sqref="A1:{}{}" numberStoredAsText="1"/></ignoredErrors>'


class Title(str):
    """A text that is shown bold."""


class Properties(NamedTuple):
    """What programs show about a workbook."""

    title: str
    description: str
    created_at: datetime


async def stream_table(
    title: str,
    headings: Sequence[str],
    columns: Sequence[str],
    parts: AsyncIterator[Sequence[Mapping[str, Any]]],
) -> AsyncIterator[bytes]:
    """A workbook with rows by column name, in a sheet with this title.

    Memory: constant. The first bytes come before the first row is read.
    """
    with closing(Workbook()) as workbook:
        workbook.begin_table(title, headings)
        yield workbook.take()
        async for rows in parts:
            values = ([row[name] for name in columns] for row in rows)  # made in the thread
            await run_in_file_thread(workbook.add, values)
            if written := workbook.take():
                yield written
        await run_in_file_thread(workbook.finish)
        yield workbook.take()


class _Output(io.RawIOBase):
    """What a ZIP file is written to: its bytes wait here until they are sent."""

    def __init__(self) -> None:
        self.waiting = bytearray()

    def write(self, content: bytes) -> int:  # type: ignore[override]
        """Add bytes."""
        self.waiting += content
        return len(content)


class Workbook:
    """An XLSX file that is written row by row: numbers, days, moments, yes or no, and texts.

    Moments have no time zone in a workbook, so they must be those of the reader.
    """

    def __init__(self, properties: Properties | None = None) -> None:
        self._properties = properties
        self._decimals: list[int] = []  # of the formats for numbers, in their order
        self._output = _Output()
        self._zip = zipfile.ZipFile(self._output, "w", zipfile.ZIP_DEFLATED)
        self._names: list[str] = []  # of the sheets
        self._sheet: IO[bytes] | None = None

    def take(self) -> bytes:
        """The bytes that were written since the last time."""
        written = bytes(self._output.waiting)
        self._output.waiting.clear()
        return written

    def begin_table(
        self, title: str, headings: Sequence[str], widths: Sequence[float] | None = None
    ) -> None:
        """Begin a sheet. It holds a million rows; the rest is in further sheets.

        headings: of the columns; none if the first row has none. widths: of the columns.
        """
        self._title, self._headings, self._sheets = title, headings, 0
        self._widths = widths or [max(_WIDTH, len(each) + 2) for each in headings]
        self._letters = [_letters(number) for number in range(len(self._widths))]
        self._begin_sheet()

    def add(self, rows: Iterable[Sequence[object]]) -> None:
        """Write rows."""
        for row in rows:
            if self._line > MAX_ROWS or self._size > MAX_BYTES:
                self._begin_sheet()
            self._write_row(row)

    def finish(self) -> None:
        """Write the end."""
        self._end_sheet()
        for name, content in _list_parts(self._names, self._decimals, self._properties).items():
            with self._open(name) as part:
                part.write((_HEAD + content).encode())
        self._zip.close()

    def close(self) -> None:
        """Close the file, even if it is not finished."""
        if self._sheet:
            self._sheet.close()
        self._zip.close()

    def _open(self, name: str) -> IO[bytes]:
        part = zipfile.ZipInfo(name)  # without a time: the same rows are the same bytes
        part.compress_type = zipfile.ZIP_DEFLATED
        return self._zip.open(part, "w")

    def _begin_sheet(self) -> None:
        self._end_sheet()
        self._sheets += 1
        self._names.append(self._title if self._sheets == 1 else f"{self._title} {self._sheets}")
        self._sheet = self._open(f"xl/worksheets/sheet{len(self._names)}.xml")
        self._line = self._size = 0
        columns = "".join(
            f'<col min="{number}" max="{number}" width="{width + 0.7}" customWidth="1"/>'
            for number, width in enumerate(self._widths, 1)
        )
        self._write(
            f"{_HEAD}<worksheet {_MAIN}>{_FROZEN_HEADINGS if self._headings else ''}"
            f"<cols>{columns}</cols><sheetData>"
        )
        if self._headings:
            self._write_row([Title(heading) for heading in self._headings])
        self._size = 0  # bytes of its rows

    def _end_sheet(self) -> None:
        if self._sheet:
            texts = self._line and _AS_TEXT.format(self._letters[-1], self._line)  # also `01067`
            self._write(f"</sheetData>{texts or ''}</worksheet>")
            self._sheet.close()

    def _write_row(self, values: Sequence[object]) -> None:
        """Write a row; it may have more cells than there are headings."""
        self._line += 1
        self._letters += map(_letters, range(len(self._letters), len(values)))
        places = zip(self._letters, map(self._cell, values), strict=False)
        texts = (f'<c r="{letters}{self._line}"{cell}</c>' for letters, cell in places if cell)
        self._write(f'<row r="{self._line}">{"".join(texts)}</row>')

    def _write(self, text: str) -> None:
        assert self._sheet
        self._size += self._sheet.write(text.encode())

    def _cell(self, value: object) -> str:
        """A cell, after its place; empty if there is no value."""
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
            case Title():
                return _text_cell(value, _BOLD)
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


def _list_parts(
    names: Sequence[str], decimals: Sequence[int], properties: Properties | None
) -> dict[str, str]:
    """The parts of the workbook besides its sheets, by name. decimals: of formats for numbers."""
    shown, relations, types = "", "", _type("workbook", "sheet.main") + _type("styles", "styles")
    for number, name in enumerate(names, 1):
        shown += f'<sheet name={quoteattr(name)} sheetId="{number}" r:id="rId{number}"/>'
        relations += _relation(number, "worksheet", f"worksheets/sheet{number}.xml")
        types += _type(f"worksheets/sheet{number}", "worksheet")
    relations += _relation(len(names) + 1, "styles", "styles.xml")
    begin = f'<workbook {_MAIN} xmlns:r="{_KIND}">'
    parts = {
        "xl/workbook.xml": f"{begin}<sheets>{shown}</sheets></workbook>",
        "xl/styles.xml": _styles(decimals),
        "xl/_rels/workbook.xml.rels": _RELATIONS.format(relations),
    }
    begins = _relation(1, "officeDocument", "xl/workbook.xml")
    if properties:
        parts["docProps/core.xml"] = _core_properties(properties)
        begins += _RELATION.format(2, f"{_METADATA}/core-properties", "docProps/core.xml")
        types += _TYPE.format("docProps/core", f"{_PACKAGE_TYPE}.core-properties")
    return {
        **parts,
        "_rels/.rels": _RELATIONS.format(begins),
        "[Content_Types].xml": _TYPES.format(types),
    }


def _core_properties(properties: Properties) -> str:
    created = properties.created_at.astimezone(UTC)
    return (
        f'<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"<dc:title>{escape(properties.title)}</dc:title>"
        f"<dc:description>{escape(properties.description)}</dc:description>"
        f'<dcterms:created xsi:type="dcterms:W3CDTF">{created:%Y-%m-%dT%H:%M:%SZ}</dcterms:created>'
        "</cp:coreProperties>"
    )


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
    return _RELATION.format(number, f"{_KIND}/{kind}", target)


def _type(part: str, kind: str) -> str:
    return _TYPE.format(f"xl/{part}", f"{_SHEET_TYPE}.{kind}")
