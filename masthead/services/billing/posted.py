"""Mark invoices as sent by post, and take the mark back. The audit trail has the marks."""

from collections.abc import Sequence

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.services.transactions import in_long_transaction
from masthead.store import accounts
from masthead.store.audit import trail
from masthead.store.billing import invoices, unsent
from masthead.store.engine.interface import Transaction


@in_long_transaction
async def mark_posted(
    tx: Transaction, account_id: int, invoice_ids: Sequence[str], *, by: Actor
) -> int:
    """Mark invoices as sent by post; returns how many were not marked before."""
    return await _mark(tx, account_id, invoice_ids, is_posted=True, by=by)


@in_long_transaction
async def unmark_posted(
    tx: Transaction, account_id: int, invoice_ids: Sequence[str], *, by: Actor
) -> int:
    """Take back the marks of invoices that were not sent after all; returns how many had one."""
    return await _mark(tx, account_id, invoice_ids, is_posted=False, by=by)


async def _mark(
    tx: Transaction, account_id: int, invoice_ids: Sequence[str], *, is_posted: bool, by: Actor
) -> int:
    await accounts.lock_account(tx, account_id)
    marked = await unsent.list_posted(tx, account_id, invoice_ids)
    found = await invoices.list_invoices(tx, account_id, invoice_ids)
    type = EntryType.INVOICE_POST if is_posted else EntryType.INVOICE_POST_UNDO
    entries = [
        NewEntry(type, each.id, None, {"number": each.document.number})
        for each in found
        if (each.id in marked) is not is_posted
    ]
    await trail.record(tx, account_id, by, entries)
    return len(entries)
