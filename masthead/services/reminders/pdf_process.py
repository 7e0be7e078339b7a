"""The process that writes the PDF of reminders, because the libraries for it load slowly."""

from collections.abc import Sequence

from masthead.model.reminders.printing import PrintedReminder
from masthead.services.child_process import run_in_child


async def write_in_process(account_id: int, reminders: Sequence[PrintedReminder]) -> bytes:
    """The reminders as one PDF, each with its invoices. Raises: Invalid, Busy."""
    return await run_in_child(write_with_library, reminders, account_id=account_id)


def write_with_library(reminders: Sequence[PrintedReminder]) -> bytes:
    """The reminders as one PDF, in a process that loads the libraries for it."""
    from masthead.services.reminders.reminder_pdf import write_pdf  # noqa: PLC0415

    return write_pdf(reminders)
