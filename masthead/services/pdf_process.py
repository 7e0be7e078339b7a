"""The process that writes PDFs and e-invoices.

Their libraries take half a second to import and 20 MB: commands and servers do not load them. So a
spare process imports them while somebody looks at a page that offers a PDF.
"""

import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from masthead.model.billing.printing import InvoiceFile, PrintedDocument
from masthead.model.errors import Invalid, Unavailable
from masthead.model.letters.printing import LetterParts
from masthead.model.reminders.printing import PayerLetter
from masthead.services.child_process import SpareProcess, run_in_child

if TYPE_CHECKING:  # what only renewal letters need takes 0.1 s
    from masthead.model.privacy.data_sheet import DataSheet
    from masthead.store.letters.facts import LetterToPrint


async def write_in_process(write: Callable[..., bytes], *args: object, account_id: int) -> bytes:
    """The bytes of a function below; 500 letters take three seconds. Raises: Invalid, Busy.

    If somebody wants one file, the next one is near: a spare process gets ready for it.
    """
    written = await run_in_child(write, *args, account_id=account_id, start=_spare_process.take)
    expect_pdf()
    return written


def expect_pdf() -> None:
    """Let a spare process get ready: somebody is likely to want a PDF soon. About a millisecond."""
    with suppress(OSError):  # the machine has no room for it now
        _spare_process.prepare()


def load_libraries() -> None:
    """Import what PDFs and e-invoices need, and what only writing one imports."""
    from masthead.services.billing.files import e_invoice  # noqa: F401, PLC0415
    from masthead.services.dispatch.writers.label_printer import LabelPrinter  # noqa: PLC0415
    from masthead.services.letters import letter_pdf  # noqa: F401, PLC0415
    from masthead.services.reminders import reminder_pdf  # noqa: F401, PLC0415

    printer = LabelPrinter((100, 100), is_archival=True)
    try:
        printer.add_page()
        printer.draw_code("A", 10, 10, 10)
        printer.draw("A", 10, 10, 10)
        printer.save()
    finally:
        printer.close()


_spare_process = SpareProcess(load_libraries)


async def write_each_in_process(
    works: Sequence[tuple[Callable[[Any], bytes], Any]], *, account_id: int
) -> list[bytes | Exception]:
    """The bytes of several functions below, each with one argument, or why it fails.

    Raises: Invalid, Busy; RuntimeError if the process fails.
    """
    return await run_in_child(write_each, works, account_id=account_id)


def write_letters(parts: LetterParts, letters: Sequence["LetterToPrint"]) -> bytes:
    """Renewal letters as one PDF."""
    from masthead.services.letters.letter_pdf import write_pdf  # noqa: PLC0415

    return write_pdf(parts, letters)


def write_payer_letters(letters: Sequence[PayerLetter]) -> bytes:
    """Reminders or notices of debits as one PDF, each with its invoices."""
    from masthead.services.reminders.reminder_pdf import write_pdf  # noqa: PLC0415

    return write_pdf(letters)


def write_data_sheet(sheet: "DataSheet") -> bytes:
    """The document about a subscriber as PDF."""
    from masthead.services.privacy.document_pdf import write_pdf  # noqa: PLC0415

    return write_pdf(sheet)


def write_documents(kind: InvoiceFile, documents: Sequence[PrintedDocument]) -> bytes:
    """The file of invoices; only a PDF can have several. Raises: Invalid."""
    if kind is InvoiceFile.PDF:
        from masthead.services.billing.files.invoice_pdf import write_pdf  # noqa: PLC0415

        return write_pdf(documents)
    from masthead.services.billing.files import e_invoice  # noqa: PLC0415

    if kind is InvoiceFile.FACTURX:
        return e_invoice.write_facturx(documents[0])
    return e_invoice.write_xrechnung(documents[0].document)


def write_invoice(document: PrintedDocument) -> bytes:
    """The file for an email: the e-invoice in a PDF, or a plain PDF if it would lack something."""
    try:
        return write_documents(InvoiceFile.FACTURX, [document])
    except Invalid:
        return write_documents(InvoiceFile.PDF, [document])


def write_each(works: Sequence[tuple[Callable[[Any], bytes], Any]]) -> list[bytes | Exception]:
    """The bytes of several functions, each with one argument, or why they fail."""
    return [_write_one(write, argument) for write, argument in works]


def _write_one(write: Callable[[Any], bytes], argument: Any) -> bytes | Exception:
    try:
        return write(argument)
    except (Invalid, Unavailable) as reason:
        return reason
    except MemoryError:  # of the process
        raise
    except Exception as reason:  # noqa: BLE001 - one file does not stop the others
        traceback.print_exc()  # it may not be picklable
        return RuntimeError(f"{type(reason).__name__}: {reason}")
