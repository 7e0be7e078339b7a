"""Letters as pages of a PDF. `pdf_process` runs this."""

from collections.abc import Sequence

from masthead.model.dispatch.labels import MM
from masthead.model.letters.printing import LetterParts
from masthead.services.dispatch.writers.label_printer import LabelPrinter
from masthead.services.letters.letter_page import (
    ADDRESS_AT,
    LEADING,
    LEFT,
    PAGE,
    PAGE_SIZE,
    RIGHT,
    SUBJECT_AT,
    TEXT_SIZE,
    WIDTH,
    begin_letter,
    draw_line,
    draw_text,
)
from masthead.store.letters.facts import LetterToPrint

# In millimetres
NAME_AT, DATE_AT, DATE_LEFT = 25.0, 55.0, 125.0
CODE_SIZE = 22.0  # of the QR code, beside the address
NAME_SIZE, CAPTION_SIZE = 14.0, 9.0  # points


def write_pdf(parts: LetterParts, letters: Sequence[LetterToPrint]) -> bytes:
    """The letters, each from a new page on. The same letters always give the same bytes.

    Takes about 3 ms for each letter.
    """
    printer = LabelPrinter(PAGE_SIZE)
    try:
        for letter in letters:
            _draw(printer, parts, letter)
        printer.describe(title=parts.title, subject="", keywords="", created_at=parts.created_at)
        return bytes(printer.save())
    finally:
        printer.close()


def _draw(printer: LabelPrinter, parts: LetterParts, letter: LetterToPrint) -> None:
    """Draw a letter on one page, or on more if its text is long."""
    begin_letter(printer, sender=parts.sender, address=letter.address)
    draw_line(printer, parts.name, LEFT, NAME_AT, NAME_SIZE, WIDTH)
    words = parts.words[letter.locale]
    draw_line(printer, words.date, DATE_LEFT, DATE_AT, TEXT_SIZE, PAGE[0] - DATE_LEFT - RIGHT)
    if parts.code_url:
        printer.draw_code(parts.code_url, DATE_LEFT * MM, ADDRESS_AT * MM, CODE_SIZE * MM)
        below = ADDRESS_AT + CODE_SIZE + CAPTION_SIZE / MM
        texts = (words.code_text, parts.code_url.partition("//")[2], parts.contact)
        for place, text in enumerate(texts):
            at = below + place * CAPTION_SIZE * LEADING / MM
            draw_line(printer, text, DATE_LEFT, at, CAPTION_SIZE, PAGE[0] - DATE_LEFT - RIGHT)
    draw_line(printer, letter.subject, LEFT, SUBJECT_AT, TEXT_SIZE, WIDTH)
    draw_text(printer, letter.body)
