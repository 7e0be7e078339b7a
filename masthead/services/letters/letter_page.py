"""A page of a letter with the address at the place of a window envelope.

DIN 5008, form B, for envelopes of the format DL (C6/5): the address begins 62.7 mm below the upper
edge and 25 mm from the left one, with the sender in a small line above it.
"""

from collections.abc import Iterator

from masthead.model.dispatch.labels import MM, PAPER_SIZES, Paper
from masthead.model.types.text import normalize
from masthead.services.dispatch.writers.fonts import uncovered_characters
from masthead.services.dispatch.writers.label_layout import wrap
from masthead.services.dispatch.writers.label_printer import LabelPrinter

# In millimetres
PAGE = PAPER_SIZES[Paper.A4]
LEFT, RIGHT = 25.0, 20.0
WIDTH = PAGE[0] - LEFT - RIGHT
SENDER_AT, SUBJECT_AT = 60.5, 103.5
ADDRESS_AT, ADDRESS_WIDTH, ADDRESS_HEIGHT = 62.7, 75.0, 27.3
TEXT_AT, BOTTOM, NEXT_PAGE_AT = 113.5, 20.0, 25.0
FOLDS = (105.0, 210.0)
# In points
PAGE_SIZE = PAGE[0] * MM, PAGE[1] * MM
SENDER_SIZE, TEXT_SIZE, MIN_SIZE = 7.0, 11.0, 6.0
LEADING = 1.3


def begin_letter(printer: LabelPrinter, *, sender: str, address: str) -> None:
    """Begin a page with marks for folding, the line of the sender, and the address."""
    printer.add_page()
    for fold in FOLDS:
        printer.rule(4 * MM, fold * MM, 8 * MM)
    draw_line(printer, sender, LEFT, SENDER_AT, SENDER_SIZE, ADDRESS_WIDTH)
    lines = address.split("\n")
    step = min(TEXT_SIZE * LEADING, ADDRESS_HEIGHT * MM / len(lines))
    for place, line in enumerate(lines):
        top = ADDRESS_AT + step / MM * (place + 1)
        draw_line(printer, line, LEFT, top, min(TEXT_SIZE, step), ADDRESS_WIDTH)


def draw_text(printer: LabelPrinter, text: str) -> None:
    """Draw the text of a letter below its subject, on more pages if it is long."""
    y = TEXT_AT
    for line in wrapped(printer, text, WIDTH * MM / TEXT_SIZE):
        if y > PAGE[1] - BOTTOM:
            printer.add_page()
            y = NEXT_PAGE_AT
        printer.draw(line, LEFT * MM, y * MM, TEXT_SIZE)
        y += TEXT_SIZE * LEADING / MM


def draw_line(
    printer: LabelPrinter, text: str, x: float, y: float, size: float, width: float
) -> None:
    """Draw a line of text, smaller if it is wider than the place for it. x, y, width: in mm."""
    text = printable(text)
    if text:
        needed = printer.measure(text) * size
        size = max(MIN_SIZE, size * min(1.0, width * MM / needed)) if needed else size
        printer.draw(text, x * MM, y * MM, size)


def wrapped(printer: LabelPrinter, text: str, width: float) -> Iterator[str]:
    """The lines of a text that fit into a width. width: as a multiple of the font size."""
    for line in text.split("\n"):
        yield from wrap(printable(line), width, printer.measure)


def printable(text: str) -> str:
    """A text without the characters that no font has, such as emoji."""
    plain = normalize("NFC", text)
    missing = set(uncovered_characters(plain))
    return "".join(each for each in plain if each not in missing) if missing else plain
