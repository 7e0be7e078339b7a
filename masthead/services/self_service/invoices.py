"""The invoices and payments of a subscriber, who sees only those that they pay."""

from collections.abc import Sequence
from datetime import date, timedelta

from msgspec import Struct

from masthead.model.billing.lists import AccountEntry, OpenSums
from masthead.model.billing.printing import InvoiceFile
from masthead.model.errors import NotFound
from masthead.model.identity.login_throttling import Throttle
from masthead.model.pagination import PageRequest
from masthead.model.self_service.settings import Action
from masthead.services.billing.files.deliver import write_file
from masthead.services.identity.login_throttling import require_few
from masthead.services.self_service.actions import Caller, require_allowed
from masthead.store.billing import balances, invoices, open_sums, payments
from masthead.store.billing.invoices import StoredInvoice
from masthead.store.engine.interface import Connection, Database

NEWEST = 60  # entries that the page lists
# Files that a subscriber downloads: each takes a second of a processor
FILES = Throttle(free=20, cap=timedelta(hours=1), step=timedelta(seconds=5))
_HIDDEN = "write_off"  # the reason is a matter of the desk; what is open says the rest


class OwnInvoices(Struct, frozen=True):
    """What a subscriber was billed, and what they paid, newest first. open: by currency."""

    entries: Sequence[AccountEntry]
    open: Sequence[OpenSums]


class OwnPayment(Struct, frozen=True):
    """A payment that settled an invoice, or a part of it. amount: of that part."""

    day: date
    amount: int
    method: str


async def list_own_invoices(db: Connection, caller: Caller) -> OwnInvoices:
    """The newest invoices, credit notes and payments. Queries: two."""
    account = caller.page.account
    request = PageRequest(limit=NEWEST, after=None, binding=b"")
    page = await balances.list_entries(db, account.id, caller.subscriber.id, request)
    return OwnInvoices(
        [each for each in page.items if each.kind != _HIDDEN], await sum_open(db, caller)
    )


async def sum_open(db: Connection, caller: Caller) -> list[OpenSums]:
    """What is open of invoices, by currency. Queries: one."""
    account = caller.page.account
    sums = await open_sums.sum_of_payer(
        db, account.id, caller.subscriber.id, today=account.daily_date
    )
    return [each for each in sums if each.invoices]


async def get_own_invoice(db: Connection, caller: Caller, id: str) -> StoredInvoice:
    """An invoice of the subscriber. Queries: one. Raises: NotFound, also for that of others."""
    invoice = await invoices.get_invoice(db, caller.account_id, id)
    if invoice.payer_id != caller.subscriber.id:
        raise NotFound("invoice", id)
    return invoice


async def list_own_payments(db: Connection, caller: Caller, id: str) -> list[OwnPayment]:
    """The payments of an invoice, oldest first. Queries: two."""
    settled = await payments.list_settlements(db, caller.account_id, id)
    ids = sorted({each.payment_id for each in settled if each.payment_id})
    found = await payments.list_payments(db, caller.account_id, ids) if ids else []
    known = {each.id: each for each in found}
    return [
        OwnPayment(each.settled_date, each.amount, known[each.payment_id].method)
        for each in settled
        if each.payment_id in known and each.invoice_id == id
    ]


async def write_own_invoice(db: Database, caller: Caller, id: str) -> bytes:
    """The PDF of an invoice of the subscriber; takes about a second.

    Raises: NotFound; Invalid; Busy; TooManyAttempts if they downloaded many.
    """
    await require_allowed(db, caller, Action.INVOICES)
    await get_own_invoice(db, caller, id)
    await require_few(db, f"my files of {caller.subscriber.id}", FILES)
    return await write_file(db, caller.account_id, id, InvoiceFile.PDF)
