"""Draw texts on the pages of a PDF, with the fonts that they need."""

from collections.abc import Sequence
from datetime import datetime
from importlib import import_module
from io import BytesIO
from itertools import groupby
from typing import TYPE_CHECKING, cast

from msgspec import Struct

from masthead.lazy_modules import LazyModule
from masthead.services.dispatch.writers.fonts import MAIN_FONT, font_of, simple_characters

if TYPE_CHECKING:
    import segno
else:
    segno = LazyModule("segno")


if TYPE_CHECKING:
    from fpdf import FPDF
    from fpdf.fonts import TTFFont

UNIT = 1000.0  # the size at which widths are measured: they are exact in any size


class AttachedFile(Struct, frozen=True):
    """A file in a PDF."""

    name: str
    media_type: str
    description: str
    content: bytes
    created_at: datetime


class LabelPrinter:
    """A PDF document. Texts in Latin, Greek and Cyrillic letters are drawn directly.

    Other texts are shaped by HarfBuzz: letters that join, marks, and text from right to left.
    """

    def __init__(self, page_size: tuple[float, float], *, is_archival: bool = False) -> None:
        """is_archival: whether it is a PDF/A-3, which keeps its look and can contain files."""
        # Imported with the first document: it takes half a second and 20 MB
        library = import_module("fpdf")
        self._pdf: FPDF = library.FPDF(
            unit="pt", format=page_size, enforce_compliance="PDF/A-3B" if is_archival else None
        )
        # Viewers offer to print labels and the address for a window at 100 %, and no letter on the
        # back of another one
        self._pdf.viewer_preferences = library.ViewerPreferences(
            print_scaling="None", duplex="Simplex"
        )
        self._pdf.set_auto_page_break(False)
        self._pdf.set_margin(0)
        self._pdf.c_margin = 0
        self._pdf.alias_nb_pages("")  # otherwise `{nb}` in an address is replaced
        self._pdf.add_font(MAIN_FONT.stem, fname=MAIN_FONT)
        self._pdf.set_font(MAIN_FONT.stem, size=10)
        self._fallbacks: list[str] = []
        self._simple = simple_characters()
        self._widths: dict[str, float] = {}

    def describe(self, *, title: str, subject: str, keywords: str, created_at: datetime) -> None:
        """Set what viewers show as the properties of the document."""
        self._pdf.set_title(title)
        self._pdf.set_subject(subject)
        self._pdf.set_keywords(keywords)
        self._pdf.set_creation_date(created_at)

    def attach(self, file: AttachedFile, *, metadata: str, language: str) -> None:
        """Attach a file that says the same as the pages. metadata: XMP of the document.

        language: of the pages, such as `de-DE`.
        """
        self._pdf.set_lang(language)
        self._pdf.set_xmp_metadata(metadata)
        self._pdf.embed_file(
            bytes=file.content,
            basename=file.name,
            mime_type=file.media_type,
            desc=file.description,
            creation_date=file.created_at,
            modification_date=file.created_at,
            associated_file_relationship="Alternative",
            compress=True,
        )

    def add_page(self) -> None:
        """Begin a page."""
        self._pdf.add_page()

    def measure(self, text: str) -> float:
        """The width of a text at a font size of 1."""
        if self._simple.issuperset(text):
            return sum(self._width_of(character) for character in text)
        self._begin_shaping(text)
        self._pdf.set_font_size(UNIT)
        width = self._pdf.get_string_width(text) / UNIT
        self._end_shaping()
        return width

    def draw(self, text: str, x: float, baseline: float, font_size: float) -> None:
        """Draw a text. x, baseline: from the left and the top edge of the page."""
        self._pdf.set_font_size(font_size)
        if self._simple.issuperset(text):
            self._pdf.text(x, baseline, text)
            return
        self._begin_shaping(text)
        height = font_size
        self._pdf.set_xy(x, baseline - 0.5 * height - 0.3 * font_size)  # as `cell` places text
        self._pdf.cell(h=height, text=text)
        self._end_shaping()
        # The library may set the font for this line alone (`q … Q`) and then take it for that of
        # the page (issue 1772 of fpdf2). After another size, it sets the font for the next text.
        self._pdf.set_font_size(UNIT)

    def rule(self, x: float, y: float, width: float) -> None:
        """Draw a thin line from left to right, such as a mark for folding."""
        self._pdf.set_line_width(0.25)
        self._pdf.line(x, y, x + width, y)

    def picture(self, content: bytes, x: float, y: float, width: float, height: float) -> None:
        """Draw a picture. x, y: of its upper left corner, from that of the page."""
        self._pdf.image(BytesIO(content), x, y, width, height)

    def modules(self, rows: Sequence[Sequence[int]], x: float, y: float, side: float) -> None:
        """Draw the dark modules of a QR code. side: of the whole code. Takes some milliseconds."""
        step = side / len(rows)
        for place, row in enumerate(rows):
            for is_dark, cells in groupby(enumerate(row), key=lambda cell: bool(cell[1])):
                if is_dark:
                    columns = [column for column, _dark in cells]
                    left, width = x + columns[0] * step, len(columns) * step
                    self._pdf.rect(left, y + place * step, width, step, style="F")

    def draw_code(self, text: str, x: float, y: float, size: float) -> None:
        """Draw a text as a QR code. x, y: its upper left corner; size: its side."""
        self.modules(segno.make(text, error="l", micro=False).matrix, x, y, size)

    def _width_of(self, character: str) -> float:
        width = self._widths.get(character)
        if width is None:
            self._pdf.set_font_size(UNIT)
            width = self._widths[character] = self._pdf.get_string_width(character) / UNIT
        return width

    def _begin_shaping(self, text: str) -> None:
        for character in text:
            path = font_of(character)
            if path is not None and path != MAIN_FONT and path.stem not in self._fallbacks:
                self._pdf.add_font(path.stem, fname=path)
                self._fallbacks.append(path.stem)
                self._pdf.set_fallback_fonts(self._fallbacks)
        self._pdf.set_text_shaping(True)

    def _end_shaping(self) -> None:
        self._pdf.set_text_shaping(False)

    def save(self) -> bytearray:
        """The bytes of the document."""
        return self._pdf.output()

    def close(self) -> None:
        """Close the files of the fonts."""
        for font in self._pdf.fonts.values():
            cast("TTFFont", font).ttfont.close()
