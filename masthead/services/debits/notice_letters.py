"""Print the notices of direct debits that invoices do not have, for payers without email."""

from babel.dates import format_date

from masthead.model.billing.documents import DebitNotice
from masthead.model.billing.printing import LetterheadPicture
from masthead.model.billing.settings import BillingSettings
from masthead.model.billing.terms import require_settings
from masthead.model.clock import account_now
from masthead.model.debits.rules import DebitStatus, DueDebit
from masthead.model.debits.settings import DebitSettings, require_debits
from masthead.model.dispatch.address_layout import address_lines, build_layout
from masthead.model.errors import Invalid
from masthead.model.reminders.printing import PayerLetter
from masthead.model.translations import gettext as _
from masthead.services.billing.files.deliver import find_picture
from masthead.services.debits.notice import write_notice
from masthead.services.pdf_process import write_in_process, write_payer_letters
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.billing import invoices, settings as billing_store
from masthead.store.billing.invoices import StoredInvoice
from masthead.store.billing.payers import find_letter_address
from masthead.store.debits import records as store, settings as settings_store, to_do
from masthead.store.engine.interface import Connection, Database

MOST = 500  # letters of a PDF


async def list_to_print(db: Connection, account_id: int) -> list[DueDebit]:
    """The waiting debits whose notice goes by letter, at most `MOST`. Queries: three."""
    ids = await to_do.list_to_print(db, account_id, MOST)
    return await store.list_waiting(db, account_id, ids=ids, limit=MOST) if ids else []


async def _list_with_invoices(
    db: Connection, account_id: int
) -> list[tuple[DueDebit, StoredInvoice]]:
    """The debits of `list_to_print`, with their invoices."""
    waiting = await list_to_print(db, account_id)
    ids = {each.invoice_id for each in waiting}
    found = {each.id: each for each in await invoices.list_invoices(db, account_id, ids)}
    return [(each, found[each.invoice_id]) for each in waiting]


async def print_notices(db: Database, account_id: int, invoice_id: str | None = None) -> bytes:
    """The notices as one PDF, in the language of each invoice.

    invoice_id: of one whose debit waits; None for all that go by letter. Raises: NotFound; Invalid
    if there is none; Busy.
    """
    async with db.read() as connection:
        account = await accounts.get_account(connection, account_id)
        settings = require_settings(await billing_store.find_settings(connection, account_id))
        own = require_debits(await settings_store.find_settings(connection, account_id))
        if invoice_id is None:
            waiting = await _list_with_invoices(connection, account_id)
        else:
            waiting = await _waiting_of(connection, account_id, invoice_id)
        if not waiting:
            raise Invalid(_("There is no notice to print."))
        picture = await find_picture(connection, account_id, settings)
        letters = [
            await _letter(connection, account, settings, own, debit, invoice, picture)
            for debit, invoice in waiting
        ]
    return await write_in_process(write_payer_letters, letters, account_id=account_id)


async def _waiting_of(
    db: Connection, account_id: int, invoice_id: str
) -> list[tuple[DueDebit, StoredInvoice]]:
    """The waiting debit of an invoice, if there is one. Raises: NotFound."""
    invoice = await invoices.get_invoice(db, account_id, invoice_id)
    listed = await store.list_of_invoice(db, account_id, invoice_id)
    ids = [each.id for each in listed if each.status is DebitStatus.WAITING]
    waiting = await store.list_waiting(db, account_id, ids=ids, limit=1) if ids else []
    return [(each, invoice) for each in waiting]


async def _letter(
    db: Connection,
    account: Account,
    settings: BillingSettings,
    own: DebitSettings,
    debit: DueDebit,
    invoice: StoredInvoice,
    picture: LetterheadPicture | None,
) -> PayerLetter:
    """The letter of a debit, to the address of today. Nothing is to be paid, so it has no code."""
    document = invoice.document
    notice = DebitNotice(
        reference=debit.mandate.reference,
        creditor_id=own.creditor_id,
        iban=debit.mandate.masked,
        day=debit.collect_date,
    )
    subject, body = write_notice(document, notice, magazine=account.name, amount=debit.open_amount)
    address = await find_letter_address(db, account.id, invoice.payer_id)
    text = document.payer.address
    if address is not None:
        text = "\n".join(address_lines(address, build_layout([address.country], settings.country)))
    return PayerLetter(
        subject=subject,
        body=body,
        address=text,
        day=format_date(account.daily_date, "long", locale=document.language),
        reference=document.number,
        code_amount=0,
        seller=settings.seller,
        picture=picture,
        enclosed=[],
        language=document.language,
        created_at=account_now(),
    )
