"""Letters as pages of a PDF, with the address at the place of a window envelope.

DIN 5008, form B, for envelopes of the format DL (C6/5): the address begins 62.7 mm below the upper
edge and 25 mm from the left one, with the sender in a small line above it. `pdf_process` runs this.
"""

from collections.abc import Iterator, Sequence

from masthead.model.dispatch.labels import MM, PAPER_SIZES, Paper
from masthead.model.types.text import normalize
from masthead.services.dispatch.writers.fonts import uncovered_characters
from masthead.services.dispatch.writers.label_layout import wrap
from masthead.services.dispatch.writers.label_printer import LabelPrinter
from masthead.services.letters.pdf_process import Letterhead
from masthead.store.letters.facts import LetterToPrint

# In millimetres
LEFT, RIGHT, BOTTOM = 25.0, 20.0, 20.0
NAME_AT, SENDER_AT, DATE_AT, SUBJECT_AT, TEXT_AT = 25.0, 60.5, 55.0, 103.5, 113.5
ADDRESS_AT, ADDRESS_WIDTH, ADDRESS_HEIGHT = 62.7, 75.0, 27.3
DATE_LEFT, NEXT_PAGE_AT = 125.0, 25.0
FOLDS = (105.0, 210.0)
# In points
NAME_SIZE, SENDER_SIZE, TEXT_SIZE, MIN_SIZE = 14.0, 7.0, 11.0, 6.0
LEADING = 1.3


def write_pdf(head: Letterhead, letters: Sequence[LetterToPrint]) -> bytes:
    """The letters, each from a new page on. The same letters always give the same bytes.

    Takes about 3 ms for each letter.
    """
    page = PAPER_SIZES[Paper.A4]
    printer = LabelPrinter((page[0] * MM, page[1] * MM))
    try:
        for letter in letters:
            _draw(printer, head, letter, page)
        printer.describe(title=head.title, subject="", keywords="", created_at=head.created_at)
        return bytes(printer.save())
    finally:
        printer.close()


def _draw(
    printer: LabelPrinter, head: Letterhead, letter: LetterToPrint, page: tuple[float, float]
) -> None:
    """Draw a letter on one page, or on more if its text is long."""
    width = page[0] - LEFT - RIGHT
    printer.add_page()
    for fold in FOLDS:
        printer.rule(4 * MM, fold * MM, 8 * MM)
    _draw_line(printer, head.name, LEFT, NAME_AT, NAME_SIZE, width)
    _draw_line(printer, head.sender, LEFT, SENDER_AT, SENDER_SIZE, ADDRESS_WIDTH)
    _draw_line(printer, head.date, DATE_LEFT, DATE_AT, TEXT_SIZE, page[0] - DATE_LEFT - RIGHT)
    lines = letter.address.split("\n")
    step = min(TEXT_SIZE * LEADING, ADDRESS_HEIGHT * MM / len(lines))
    for place, line in enumerate(lines):
        top = ADDRESS_AT + step / MM * (place + 1)
        _draw_line(printer, line, LEFT, top, min(TEXT_SIZE, step), ADDRESS_WIDTH)
    _draw_line(printer, letter.subject, LEFT, SUBJECT_AT, TEXT_SIZE, width)
    y = TEXT_AT
    for line in _wrapped(printer, letter.body, width * MM / TEXT_SIZE):
        if y > page[1] - BOTTOM:
            printer.add_page()
            y = NEXT_PAGE_AT
        printer.draw(line, LEFT * MM, y * MM, TEXT_SIZE)
        y += TEXT_SIZE * LEADING / MM


def _draw_line(
    printer: LabelPrinter, text: str, x: float, y: float, size: float, width: float
) -> None:
    """Draw a line of text, smaller if it is wider than the place for it. x, y, width: in mm."""
    text = _printable(text)
    if text:
        needed = printer.measure(text) * size
        size = max(MIN_SIZE, size * min(1.0, width * MM / needed)) if needed else size
        printer.draw(text, x * MM, y * MM, size)


def _wrapped(printer: LabelPrinter, text: str, width: float) -> Iterator[str]:
    """The lines of a text that fit into a width. width: as a multiple of the font size."""
    for line in text.split("\n"):
        yield from wrap(_printable(line), width, printer.measure)


def _printable(text: str) -> str:
    """A text without the characters that no font has, such as emoji."""
    plain = normalize("NFC", text)
    missing = set(uncovered_characters(plain))
    return "".join(each for each in plain if each not in missing) if missing else plain
