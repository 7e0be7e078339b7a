"""Give out the files of stored invoices, or a sample of one."""

from collections.abc import Sequence

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.billing.documents import Document, DocumentKind
from masthead.model.billing.printing import InvoiceFile, LetterheadPicture, PrintedDocument
from masthead.model.billing.samples import sample_document
from masthead.model.billing.settings import BillingSettings
from masthead.model.billing.terms import require_settings
from masthead.model.errors import Invalid, NotFound
from masthead.model.translations import gettext as _
from masthead.services.pdf_process import write_documents, write_in_process
from masthead.store import accounts
from masthead.store.audit import trail
from masthead.store.billing import invoices, letterheads, settings as settings_store
from masthead.store.engine.interface import Connection, Database, Transaction

MOST = 500  # invoices in one PDF, which takes some seconds


async def write_file(db: Database, account_id: int, invoice_id: str, kind: InvoiceFile) -> bytes:
    """A file of an invoice or a credit note; takes about a second.

    Raises: NotFound; Invalid if an e-invoice would lack something; Busy.
    """
    async with db.read() as connection:
        invoice = await invoices.get_invoice(connection, account_id, invoice_id)
        if invoice.kind is DocumentKind.FEE:  # the reminder says it
            raise NotFound("invoice", invoice_id)
        printed = await with_pictures(connection, account_id, [invoice.document])
    return await write_in_process(write_documents, kind, printed, account_id=account_id)


async def write_many(
    db: Database, account_id: int, invoice_ids: Sequence[str], *, by: Actor
) -> bytes:
    """Some invoices as one PDF, in the order of their ids, to print. It is recorded.

    Raises: NotFound, Invalid if there are none or too many, Busy.
    """
    if len(invoice_ids) > MOST:
        raise Invalid(
            _("One PDF can have {most} invoices. Choose fewer of them.").format(most=MOST)
        )

    async def work(tx: Transaction) -> list[PrintedDocument]:
        found = await invoices.list_invoices(tx, account_id, invoice_ids)
        if not found:
            raise Invalid(_("Choose at least one invoice."))
        for missing in set(invoice_ids) - {each.id for each in found}:
            raise NotFound("invoice", missing)
        numbers = {"first": found[0].document.number, "last": found[-1].document.number}
        entry = NewEntry(
            EntryType.INVOICE_PRINT, found[0].id, None, {"invoices": len(found), **numbers}
        )
        await trail.record(tx, account_id, by, [entry])
        return await with_pictures(tx, account_id, [each.document for each in found])

    printed = await db.write(work, account_id=account_id)
    return await write_in_process(write_documents, InvoiceFile.PDF, printed, account_id=account_id)


async def write_sample(db: Database, account_id: int) -> bytes:
    """The PDF of an invoice of nobody, by the settings. Raises: Invalid, Busy."""
    async with db.read() as connection:
        account = await accounts.get_account(connection, account_id)
        settings = require_settings(await settings_store.find_settings(connection, account_id))
        rates = await settings_store.list_rates(connection, account_id)
        sample = sample_document(
            settings,
            rates,
            day=account.daily_date,
            currency=account.currency,
            language=account.locale,
        )
        printed = await with_pictures(connection, account_id, [sample])
    return await write_in_process(write_documents, InvoiceFile.PDF, printed, account_id=account_id)


async def find_picture(
    db: Connection, account_id: int, settings: BillingSettings
) -> LetterheadPicture | None:
    """The letterhead of today; None if there is none. Queries: one."""
    found = await letterheads.find_letterheads(db, account_id, {settings.letterhead} - {0})
    head = found.get(settings.letterhead)
    return LetterheadPicture(head.content, head.width, head.height) if head else None


async def with_pictures(
    db: Connection, account_id: int, documents: Sequence[Document]
) -> list[PrintedDocument]:
    """The documents with the letterheads that they were issued with."""
    numbers = {each.seller.letterhead for each in documents} - {0}
    found = await letterheads.find_letterheads(db, account_id, numbers) if numbers else {}
    pictures = {
        number: LetterheadPicture(each.content, each.width, each.height)
        for number, each in found.items()
    }
    return [PrintedDocument(each, pictures.get(each.seller.letterhead)) for each in documents]
