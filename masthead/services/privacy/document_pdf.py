"""The document about a subscriber as a PDF. `pdf_process` runs this."""

from collections.abc import Iterator

from masthead.model.dispatch.labels import MM
from masthead.model.privacy.data_sheet import DataSheet
from masthead.services.dispatch.writers.label_printer import LabelPrinter
from masthead.services.letters.letter_page import PAGE, PAGE_SIZE, wrapped

# In millimetres
LEFT, RIGHT, TOP, BOTTOM = 20.0, 20.0, 22.0, 20.0
LABELS = 50.0  # the width of the column of labels
# In points
TITLE_SIZE, HEADING_SIZE, TEXT_SIZE, PAGE_NUMBER_SIZE = 16.0, 12.0, 9.5, 8.0
LEADING = 1.35


class _Pages:
    """Pages that are filled from above; a new one begins where a line does not fit."""

    def __init__(self, printer: LabelPrinter) -> None:
        self._printer = printer
        self._number = 0
        self._y = 0.0
        self._begin()

    def _begin(self) -> None:
        self._printer.add_page()
        self._number += 1
        self._y = TOP
        text = str(self._number)
        width = self._printer.measure(text) * PAGE_NUMBER_SIZE
        x = (PAGE[0] - RIGHT) * MM - width
        self._printer.draw(text, x, (PAGE[1] - BOTTOM / 2) * MM, PAGE_NUMBER_SIZE)

    def keep(self, height: float) -> None:
        """Begin a page unless the rest of this one has a height, in millimetres."""
        if self._y + height > PAGE[1] - BOTTOM and self._y > TOP:
            self._begin()

    def skip(self, height: float) -> None:
        """Leave a space, in millimetres."""
        self._y += height

    def rule(self) -> None:
        """Draw a thin line."""
        self._printer.rule(LEFT * MM, self._y * MM, (PAGE[0] - LEFT - RIGHT) * MM)

    def write(self, text: str, size: float) -> None:
        """Write lines of the whole width."""
        for line in self._lines(text, PAGE[0] - LEFT - RIGHT, size):
            self._next_line(size)
            self._printer.draw(line, LEFT * MM, self._y * MM, size)

    def write_field(self, label: str, text: str) -> None:
        """Write a label, and beside it the lines of its text."""
        beside = LEFT + LABELS
        labels = list(self._lines(label, LABELS - 4, TEXT_SIZE))
        texts = list(self._lines(text, PAGE[0] - beside - RIGHT, TEXT_SIZE))
        for place in range(max(len(labels), len(texts))):
            self._next_line(TEXT_SIZE)
            if place < len(labels):
                self._printer.draw(labels[place], LEFT * MM, self._y * MM, TEXT_SIZE)
            if place < len(texts):
                self._printer.draw(texts[place], beside * MM, self._y * MM, TEXT_SIZE)

    def _next_line(self, size: float) -> None:
        step = size * LEADING / MM
        self.keep(step)
        self._y += step

    def _lines(self, text: str, width: float, size: float) -> Iterator[str]:
        """The lines of a text; a word that is too long is divided anywhere."""
        most = width * MM / size
        for line in wrapped(self._printer, text, most):
            rest = line
            while self._printer.measure(rest) > most:
                end = next(
                    end
                    for end in range(len(rest) - 1, 0, -1)
                    if end == 1 or self._printer.measure(rest[:end]) <= most
                )
                yield rest[:end]
                rest = rest[end:]
            yield rest


def write_pdf(sheet: DataSheet) -> bytes:
    """The document as PDF. The same sheet always gives the same bytes."""
    printer = LabelPrinter(PAGE_SIZE)
    try:
        pages = _Pages(printer)
        pages.write(sheet.title, TITLE_SIZE)
        pages.skip(2)
        for note in sheet.notes:
            pages.write(note, TEXT_SIZE)
        for section in sheet.sections:
            pages.keep(30)
            pages.skip(7)
            pages.write(f"{section.title} ({len(section.records)})", HEADING_SIZE)
            for record in section.records:
                pages.keep(12)
                pages.skip(2)
                pages.rule()
                for label, text in record:
                    pages.write_field(label, text)
        printer.describe(title=sheet.title, subject="", keywords="", created_at=sheet.written_at)
        return bytes(printer.save())
    finally:
        printer.close()
