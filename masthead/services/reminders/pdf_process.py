"""The process that writes the PDF of reminders, because the libraries for it load slowly."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from masthead.model.billing.documents import Seller
from masthead.services.billing.files.pdf_process import LetterheadPicture, PrintedDocument
from masthead.services.child_process import run_in_child


class PrintedReminder(Struct, frozen=True, kw_only=True):
    """A reminder to print. code_amount: in cents; 0 if no banking app can read it.

    enclosed: the invoices that go with it. language: a locale.
    """

    subject: str
    body: str
    address: str
    day: str
    reference: str
    code_amount: int
    seller: Seller
    picture: LetterheadPicture | None
    enclosed: Sequence[PrintedDocument]
    language: str
    created_at: datetime


async def write_in_process(account_id: int, reminders: Sequence[PrintedReminder]) -> bytes:
    """The reminders as one PDF, each with its invoices. Raises: Invalid, Busy."""
    return await run_in_child(write_with_library, reminders, account_id=account_id)


def write_with_library(reminders: Sequence[PrintedReminder]) -> bytes:
    """The reminders as one PDF, in a process that loads the libraries for it."""
    from masthead.services.reminders.reminder_pdf import write_pdf  # noqa: PLC0415

    return write_pdf(reminders)
