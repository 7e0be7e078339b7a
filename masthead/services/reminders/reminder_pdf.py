"""Reminders as pages of a PDF, with the code to pay and the invoices. `pdf_process` runs this."""

from collections.abc import Sequence

from masthead.model.dispatch.labels import MM
from masthead.model.reminders.printing import PayerLetter
from masthead.model.translations import gettext as _, in_language
from masthead.services.billing.files.invoice_pdf import draw_document, draw_head
from masthead.services.billing.files.pay_code import epc_code
from masthead.services.dispatch.writers.label_printer import LabelPrinter
from masthead.services.letters.letter_page import (
    ADDRESS_AT,
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

# In millimetres
SIDE_LEFT, DATE_AT, CODE = 140.0, 56.0, 30.0
SMALL_SIZE = 8.0  # points


def write_pdf(reminders: Sequence[PayerLetter]) -> bytes:
    """The reminders, each from a new page on. The same ones always give the same bytes."""
    printer = LabelPrinter(PAGE_SIZE)
    try:
        for each in reminders:
            _draw(printer, each)
            for document in each.enclosed:
                draw_document(printer, document)
        first = reminders[0]
        title = f"{first.seller.name}: {first.subject}"
        printer.describe(title=title, subject="", keywords="", created_at=first.created_at)
        return bytes(printer.save())
    finally:
        printer.close()


def _draw(printer: LabelPrinter, reminder: PayerLetter) -> None:
    """Draw a reminder on one page, or on more if its text is long."""
    seller = reminder.seller
    sender = " · ".join([seller.name, seller.street, f"{seller.postcode} {seller.city}"])
    begin_letter(printer, sender=sender, address=reminder.address)
    draw_head(printer, seller.name, reminder.picture)
    draw_line(printer, reminder.day, SIDE_LEFT, DATE_AT, TEXT_SIZE, PAGE[0] - SIDE_LEFT - RIGHT)
    code = epc_code(seller, reminder.code_amount, reminder.reference)
    if code:
        printer.modules(code, SIDE_LEFT * MM, ADDRESS_AT * MM, CODE * MM)
        with in_language(reminder.language):
            caption = _("Scan to pay")
        draw_line(printer, caption, SIDE_LEFT, ADDRESS_AT + CODE + 4.0, SMALL_SIZE, CODE)
    draw_line(printer, reminder.subject, LEFT, SUBJECT_AT, TEXT_SIZE, WIDTH)
    draw_text(printer, reminder.body)
