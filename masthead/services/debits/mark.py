"""Mark invoices for direct debit, and take them out again."""

from collections.abc import Sequence
from datetime import date

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.billing.documents import DocumentKind
from masthead.model.debits.mandates import Mandate
from masthead.model.debits.rules import CURRENCY, IN_PROGRESS, DebitStatus, announced_day
from masthead.model.debits.settings import DebitSettings, require_debits
from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.translations import gettext as _
from masthead.services.debits.mandates import find_usable
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing import invoices
from masthead.store.debits import records as store, settings as settings_store
from masthead.store.engine.interface import Connection, Transaction


async def require_mandate(
    db: Connection, account: Account, payer_id: str, *, name: str, currency: str
) -> tuple[DebitSettings, Mandate]:
    """The settings, and the mandate by which a payer can be debited. Raises: Invalid."""
    settings = require_debits(await settings_store.find_settings(db, account.id))
    if currency != CURRENCY:
        raise Invalid(
            _("Direct debit is possible in euros only, and this order is in {currency}.").format(
                currency=currency
            ),
            field="currency",
            value=currency,
        )
    mandate = await find_usable(db, account.id, payer_id, account.daily_date)
    if mandate is None:
        raise Invalid(
            _(
                "{name} has no mandate that can be used. Add one on the page of their account, or "
                "choose an invoice without direct debit."
            ).format(name=name),
            code="no_mandate",
            field="is_debited",
        )
    return settings, mandate


async def mark(
    tx: Transaction, account: Account, invoice_id: str, mandate: Mandate, day: date, *, by: Actor
) -> None:
    """Mark an invoice for direct debit from a day on. The account is locked. Queries: two."""
    await store.insert_debits(tx, account.id, [(invoice_id, mandate.id, day)], by=by)
    after = {"reference": mandate.reference, "day": str(day)}
    entry = NewEntry(EntryType.INVOICE_DEBIT, invoice_id, None, after)
    await trail.record(tx, account.id, by, [entry])


@with_locked_account
async def mark_invoice(
    tx: Transaction, account: Account, invoice_id: str, *, notified: date, by: Actor
) -> date:
    """Mark an open invoice for direct debit; returns the first day of its collection.

    For an invoice that was to be paid otherwise, or whose debit came back. notified: the day on
    which the payer is told by a letter or an email. Raises: NotFound, Invalid.
    """
    invoice = await invoices.get_invoice(tx, account.id, invoice_id)
    document = invoice.document
    if invoice.kind is not DocumentKind.INVOICE or invoice.open_amount <= 0:
        raise Invalid(
            _("Nothing is open of {number}.").format(number=document.number), code="not_open"
        )
    listed = await store.list_of_invoice(tx, account.id, invoice_id)
    if any(each.status in IN_PROGRESS for each in listed):
        raise Invalid(
            _("{number} is marked for direct debit already. Nothing was changed.").format(
                number=document.number
            ),
            code=CHANGED_MEANWHILE,
        )
    settings, mandate = await require_mandate(
        tx, account, invoice.payer_id, name=document.payer.name, currency=document.currency
    )
    day = announced_day(notified, document.due_date, settings.notice_days)
    await mark(tx, account, invoice_id, mandate, day, by=by)
    return day


@with_locked_account
async def unmark_invoice(tx: Transaction, account: Account, invoice_id: str, *, by: Actor) -> None:
    """Let an invoice be paid otherwise. Raises: Invalid if it does not wait for a collection."""
    listed = await store.list_of_invoice(tx, account.id, invoice_id)
    waiting = [each.id for each in listed if each.status is DebitStatus.WAITING]
    if not waiting:
        raise Invalid(
            _("This invoice does not wait for a collection. Nothing was changed."),
            code=CHANGED_MEANWHILE,
        )
    await store.update_cancelled(tx, account.id, waiting)
    await record(tx, account, EntryType.INVOICE_DEBIT_STOP, [invoice_id], {}, by=by)


async def record(
    tx: Transaction,
    account: Account,
    type: EntryType,
    invoice_ids: Sequence[str],
    after: dict[str, object],
    *,
    by: Actor,
) -> None:
    """Record what became of the debits of invoices, in their history."""
    entries = [NewEntry(type, id, None, after) for id in invoice_ids]
    await trail.record(tx, account.id, by, entries)
