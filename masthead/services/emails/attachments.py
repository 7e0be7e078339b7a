"""The files of emails: PDFs of invoices and of reminders."""

from collections.abc import Sequence
from typing import Any

import structlog

from masthead.mail import Attachment
from masthead.model.billing.documents import DocumentKind
from masthead.model.billing.printing import InvoiceFile
from masthead.model.errors import NotFound, Unavailable
from masthead.model.file_names import file_name
from masthead.model.translations import in_language
from masthead.services.billing.files.deliver import with_pictures
from masthead.services.pdf_process import write_each_in_process, write_invoice, write_payer_letters
from masthead.services.reminders.printing import print_reminders
from masthead.store import accounts
from masthead.store.background.outbox import QueuedEmail
from masthead.store.billing import invoices
from masthead.store.engine.interface import Connection, Database
from masthead.store.reminders.records import find_reminders

log = structlog.get_logger()


class BatchAttachments:
    """The files of a batch of emails, each until its email asks for it.

    One process writes those of an account: it takes half a second to start, which is more than a
    file does. If that fails, each is written alone, so that one that is to blame stops no other.
    """

    def __init__(self, db: Database, emails: Sequence[QueuedEmail]) -> None:
        """emails: in the order in which they ask."""
        self._db = db
        self._waiting = [each for each in emails if each.invoice_id or each.reminder_id]
        self._written: dict[str, Attachment | Exception] = {}  # by the id of the email

    async def get(self, email: QueuedEmail) -> Attachment | None:
        """The file of an email; None if it has none. Raises: Busy, or why it cannot be made."""
        ids = [each.id for each in self._waiting]
        if email.id not in ids:
            return None
        self._waiting = self._waiting[ids.index(email.id) :]  # those before are done
        if email.id not in self._written:
            account = email.account_id
            own = [each for each in self._waiting if each.account_id == account]
            self._written |= await self._write(account, own)
        file = self._written.pop(email.id)
        if isinstance(file, Exception):
            raise file
        return file

    async def _write(
        self, account_id: int, emails: Sequence[QueuedEmail]
    ) -> dict[str, Attachment | Exception]:
        """Each file, or why it cannot be made, by the id of the email. Raises: Busy."""
        try:
            return await _write_files(self._db, account_id, emails)
        except Exception as reason:
            if len(emails) == 1:
                return {emails[0].id: reason}
            if isinstance(reason, Unavailable):
                raise
            log.exception("files of emails are written one by one", account=account_id)
        written: dict[str, Attachment | Exception] = {}
        for each in emails:
            written |= await self._write(account_id, [each])
        return written


async def _write_files(
    db: Database, account_id: int, emails: Sequence[QueuedEmail]
) -> dict[str, Attachment | Exception]:
    """The file of each email, or why it cannot be made, by the id of the email.

    Raises: Invalid if they need too much memory or time; Busy; RuntimeError if the process fails.
    """
    async with db.read() as connection:
        tasks = {
            **await _list_invoices(connection, account_id, emails),
            **await _list_reminders(connection, account_id, emails),
        }
    works = [(write, printed) for _name, write, printed in tasks.values()]
    written = await write_each_in_process(works, account_id=account_id)
    found: dict[str, Attachment | Exception] = {
        each.id: NotFound("file of the email", each.id) for each in emails
    }
    for (id, (name, _write, _printed)), file in zip(tasks.items(), written, strict=True):
        if isinstance(file, Exception):
            found[id] = file
        else:
            found[id] = Attachment(name, InvoiceFile.PDF.media_type, file)
    return found


# By the id of the email: the name of the file, the function that writes it, and its argument
Tasks = dict[str, tuple[str, Any, Any]]


async def _list_invoices(db: Connection, account_id: int, emails: Sequence[QueuedEmail]) -> Tasks:
    """The invoices and credit notes to write. Queries: two."""
    asked = {each.id: each.invoice_id for each in emails if each.reminder_id is None}
    ids = {id for id in asked.values() if id is not None}
    found = await invoices.list_invoices(db, account_id, ids) if ids else []
    found = [each for each in found if each.kind is not DocumentKind.FEE]  # the reminder says it
    documents = await with_pictures(db, account_id, [each.document for each in found])
    printed = {each.id: document for each, document in zip(found, documents, strict=True)}
    return {
        email: (InvoiceFile.PDF.name_of(of.document.number), write_invoice, of)
        for email, invoice in asked.items()
        if (of := printed.get(invoice or "")) is not None
    }


async def _list_reminders(db: Connection, account_id: int, emails: Sequence[QueuedEmail]) -> Tasks:
    """The reminders to write, with their invoices. Queries: seven at most."""
    asked = {each.id: each.reminder_id for each in emails if each.reminder_id is not None}
    if not asked:
        return {}
    account = await accounts.get_account(db, account_id)
    found = await find_reminders(db, account_id, set(asked.values()))
    made = await print_reminders(db, account, found)
    printed = {each.id: reminder for each, reminder in zip(found, made, strict=True)}
    tasks: Tasks = {}
    for email, id in asked.items():
        if (reminder := printed.get(id)) is not None:
            with in_language(reminder.language):
                name = file_name("reminder.pdf")
            tasks[email] = (name, write_payer_letters, [reminder])
    return tasks
