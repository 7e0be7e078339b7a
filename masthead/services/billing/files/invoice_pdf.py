"""Invoices as pages of a PDF. `pdf_process` runs this.

A document is laid out as blocks from top to bottom, so that the number of its pages is known
before the first one is drawn.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, time

from msgspec import Struct

from masthead.model.billing.documents import Document, join_copies
from masthead.model.billing.printing import LetterheadPicture, PrintedDocument
from masthead.model.dispatch.labels import MM
from masthead.model.translations import gettext as _, in_language
from masthead.services.billing.files import wording
from masthead.services.billing.files.pay_code import pay_code
from masthead.services.dispatch.writers.label_printer import AttachedFile, LabelPrinter
from masthead.services.letters.letter_page import (
    LEADING,
    LEFT,
    PAGE,
    PAGE_SIZE,
    SUBJECT_AT,
    WIDTH,
    begin_letter,
    draw_line,
    printable,
    wrapped,
)

# In millimetres
TITLE_AT, NEXT_PAGE_AT, BOTTOM = SUBJECT_AT, 25.0, 35.0
HEAD_AT, HEAD_BOX = 12.0, (WIDTH, 32.0)  # the picture of the letterhead fits into it
FACTS_LEFT, FACTS_WIDTH, FACTS_AT = 115.0, 75.0, 56.0
COPIES_AT, RATE_AT, AMOUNT_AT = 125.0, 145.0, LEFT + WIDTH  # right edges of columns
TEXT_WIDTH = 85.0
TOTAL_AT = 90.0  # where the labels of totals begin
CODE = 30.0  # the side of the QR code, with a margin around it
CODE_LEFT = LEFT + WIDTH - CODE
STEP = 4.8  # from line to line
GAP, ROW_GAP = 4.0, 1.5
MOST_WHOLE = 8  # lines of text of a row that stay on one page
# In points
NAME_SIZE, TITLE_SIZE, SIZE, SMALL_SIZE = 14.0, 14.0, 10.0, 8.0


class Block(Struct, frozen=True):
    """A part of a page. height: in mm. draw: gets the printer and the upper edge in mm.

    is_row: whether it belongs to the table, whose head is repeated on each page.
    """

    height: float
    draw: Callable[[LabelPrinter, float], None]
    is_row: bool = False


def write_pdf(documents: Sequence[PrintedDocument]) -> bytes:
    """The documents, each from a new page on. The same ones always give the same bytes."""
    printer = LabelPrinter(PAGE_SIZE)
    try:
        for each in documents:
            draw_document(printer, each)
        _describe(printer, documents[0].document)
        return bytes(printer.save())
    finally:
        printer.close()


def write_archival_pdf(printed: PrintedDocument, file: AttachedFile, *, metadata: str) -> bytes:
    """A document as PDF/A-3 with its e-invoice. metadata: XMP, which says what the file is."""
    printer = LabelPrinter(PAGE_SIZE, is_archival=True)
    try:
        draw_document(printer, printed)
        language = printed.document.language.replace("_", "-")
        printer.attach(file, metadata=metadata, language=language)
        _describe(printer, printed.document)
        return bytes(printer.save())
    finally:
        printer.close()


def moment_of(document: Document) -> datetime:
    """What the files of a document have as the moment of their creation: its day."""
    return datetime.combine(document.issue_date, time(), UTC)


def _describe(printer: LabelPrinter, document: Document) -> None:
    with in_language(document.language):
        title = f"{document.seller.name}: {wording.title_of(document)}"
    printer.describe(title=title, subject="", keywords="", created_at=moment_of(document))


def draw_document(printer: LabelPrinter, printed: PrintedDocument) -> None:
    """Draw a document on one page, or on more if it has many lines."""
    document = printed.document
    with in_language(document.language):
        seller = document.seller
        sender = " · ".join([seller.name, seller.street, f"{seller.postcode} {seller.city}"])
        begin_letter(printer, sender=sender, address=document.payer.address)
        draw_head(printer, seller.name, printed.picture)
        for place, (label, value) in enumerate(wording.facts_of(document)):
            y = FACTS_AT + place * STEP
            draw_line(printer, label, FACTS_LEFT, y, SMALL_SIZE, FACTS_WIDTH * 0.45)
            draw_line(printer, value, FACTS_LEFT + FACTS_WIDTH * 0.48, y, SIZE, FACTS_WIDTH * 0.52)
        draw_line(printer, wording.title_of(document), LEFT, TITLE_AT, TITLE_SIZE, WIDTH)
        pages = list(_paginate(list(_blocks(printer, document))))
        for number, blocks in enumerate(pages, 1):
            if number > 1:
                printer.add_page()
                draw_line(printer, wording.title_of(document), LEFT, 18.0, SMALL_SIZE, WIDTH)
            y = TITLE_AT + GAP if number == 1 else NEXT_PAGE_AT
            if blocks and blocks[0].is_row:
                y += _draw_table_head(printer, document, y)
            for block, before in zip(blocks, [None, *blocks], strict=False):
                if block.is_row and before is not None and not before.is_row:
                    y += _draw_table_head(printer, document, y)
                block.draw(printer, y)
                y += block.height
            _draw_footer(printer, document, number, len(pages))


def _paginate(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """The blocks of each page."""
    page: list[Block] = []
    used = TITLE_AT + GAP
    for block in blocks:
        head = STEP + GAP if block.is_row and not (page and page[-1].is_row) else 0.0
        if page and used + head + block.height > PAGE[1] - BOTTOM:
            yield page
            page, used = [], NEXT_PAGE_AT
            head = STEP + GAP if block.is_row else 0.0
        page.append(block)
        used += head + block.height
    yield page


def _blocks(printer: LabelPrinter, document: Document) -> Iterator[Block]:
    """All that is below the title, in its order."""
    correction = wording.correction_of(document)
    if correction:
        yield from _text_blocks(printer, correction)
        yield Block(GAP, lambda _printer, _y: None)
    money = wording.money_writer(document)
    percent = wording.percent_writer(document.language)
    for line in join_copies(document.lines):
        amount = money(line.net if document.shows_net else line.total)
        cells = [
            (COPIES_AT, str(line.quantity)),
            (RATE_AT, percent(line.rate)),
            (AMOUNT_AT, amount),
        ]
        yield from _row_blocks(printer, line.text, line.detail, cells)
    yield _totals_block(document)
    for sentence in wording.vat_sentences(document):
        yield from _text_blocks(printer, sentence)
    yield _payment_block(document)


def _text_blocks(printer: LabelPrinter, text: str) -> Iterator[Block]:
    for line in wrapped(printer, text, WIDTH * MM / SIZE):
        yield Block(STEP, _line_drawer(line, SIZE))


def _line_drawer(text: str, size: float) -> Callable[[LabelPrinter, float], None]:
    return lambda printer, y: draw_line(printer, text, LEFT, y + STEP, size, WIDTH)


def _row_blocks(
    printer: LabelPrinter, text: str, detail: str, cells: Sequence[tuple[float, str]]
) -> Iterator[Block]:
    """A line of the table: its text and numbers, then the detail in small letters."""
    pieces = [
        *((piece, SIZE) for piece in wrapped(printer, text, TEXT_WIDTH * MM / SIZE)),
        *(
            (piece, SMALL_SIZE)
            for piece in (wrapped(printer, detail, TEXT_WIDTH * MM / SMALL_SIZE) if detail else ())
        ),
    ]
    # They stay on one page; a detail of any length goes on at the next
    parts = [pieces[:MOST_WHOLE], *([each] for each in pieces[MOST_WHOLE:])]
    for place, part in enumerate(parts):
        space = ROW_GAP if place == len(parts) - 1 else 0.0
        drawer = _row_drawer(part, cells if place == 0 else ())
        yield Block(len(part) * STEP + space, drawer, is_row=True)


def _row_drawer(
    pieces: Sequence[tuple[str, float]], cells: Sequence[tuple[float, str]]
) -> Callable[[LabelPrinter, float], None]:
    def draw(printer: LabelPrinter, y: float) -> None:
        for place, (text, size) in enumerate(pieces, 1):
            draw_line(printer, text, LEFT, y + place * STEP, size, TEXT_WIDTH)
        for right, value in cells:
            _draw_right(printer, value, right, y + STEP, SIZE)

    return draw


def _totals_block(document: Document) -> Block:
    totals = wording.totals_of(document)

    def draw(printer: LabelPrinter, y: float) -> None:
        printer.rule(LEFT * MM, (y + 1.5) * MM, WIDTH * MM)
        for place, (label, value) in enumerate(totals, 1):
            is_last = place == len(totals)
            at = y + GAP + place * STEP + (1.5 if is_last else 0)
            size = SIZE * 1.2 if is_last else SIZE
            draw_line(printer, label, TOTAL_AT, at, size, 65.0)
            _draw_right(printer, value, AMOUNT_AT, at, size)
            if is_last:
                printer.rule(TOTAL_AT * MM, (at + 1.5) * MM, (AMOUNT_AT - TOTAL_AT) * MM)

    return Block(GAP + STEP * (len(totals) + 2), draw)


def _payment_block(document: Document) -> Block:
    """How to pay, with the code beside it."""
    lines, code = wording.payment_lines(document), pay_code(document)

    def draw(printer: LabelPrinter, y: float) -> None:
        width = (CODE_LEFT - LEFT - GAP) if code else WIDTH
        for place, line in enumerate(lines, 1):
            draw_line(printer, line, LEFT, y + GAP + place * STEP, SIZE, width)
        if code:
            printer.modules(code, CODE_LEFT * MM, (y + GAP) * MM, CODE * MM)
            caption = _("Scan to pay")
            draw_line(printer, caption, CODE_LEFT, y + GAP + CODE + STEP, SMALL_SIZE, CODE)

    return Block(GAP + max(len(lines) * STEP, CODE + STEP + 1.0 if code else 0.0), draw)


def draw_head(printer: LabelPrinter, name: str, picture: LetterheadPicture | None) -> None:
    """The picture of the letterhead at the right; without one, the name of the publisher."""
    if picture is None:
        draw_line(printer, name, LEFT, 25.0, NAME_SIZE, WIDTH)
        return
    scale = min(HEAD_BOX[0] / picture.width, HEAD_BOX[1] / picture.height)
    width, height = picture.width * scale, picture.height * scale
    x = LEFT + WIDTH - width
    printer.picture(picture.content, x * MM, HEAD_AT * MM, width * MM, height * MM)


def _draw_table_head(printer: LabelPrinter, document: Document, y: float) -> float:
    """Draw the heads of the columns; returns their height."""
    text, *numbers = wording.table_head(document)
    draw_line(printer, text, LEFT, y + STEP, SMALL_SIZE, TEXT_WIDTH)
    for right, head in zip((COPIES_AT, RATE_AT, AMOUNT_AT), numbers, strict=True):
        _draw_right(printer, head, right, y + STEP, SMALL_SIZE)
    printer.rule(LEFT * MM, (y + STEP + 1.5) * MM, WIDTH * MM)
    return STEP + GAP - 1.0


def _draw_footer(printer: LabelPrinter, document: Document, number: int, count: int) -> None:
    lines = [
        piece
        for line in wording.footer_lines(document)
        for piece in wrapped(printer, line, (WIDTH - 20) * MM / SMALL_SIZE)
    ]
    top = PAGE[1] - BOTTOM + 8.0
    step = min(SMALL_SIZE * LEADING / MM, (BOTTOM - 16.0) / max(1, len(lines) - 1))
    printer.rule(LEFT * MM, (top - 4.0) * MM, WIDTH * MM)
    for place, line in enumerate(lines):
        draw_line(printer, line, LEFT, top + place * step, min(SMALL_SIZE, step * MM), WIDTH - 22)
    page = _("Page {number} of {count}").format(number=number, count=count)
    _draw_right(printer, page, AMOUNT_AT, top, SMALL_SIZE)


def _draw_right(printer: LabelPrinter, text: str, right: float, y: float, size: float) -> None:
    """Draw a text that ends at a place."""
    plain = printable(text)
    printer.draw(plain, right * MM - printer.measure(plain) * size, y * MM, size)
