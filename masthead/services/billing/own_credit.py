"""Credit notes settle the invoice that they take back first, even if it is open again later."""

from collections import Counter
from collections.abc import Collection
from datetime import date

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.translations import gettext as _, in_language
from masthead.model.types.money import money_text
from masthead.services.holds.invoices import add_to_open
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing import invoices, payments
from masthead.store.billing.credit_notes import find_open_credited
from masthead.store.billing.invoices import StoredInvoice
from masthead.store.engine.interface import Transaction


async def use_own_credit(
    tx: Transaction, account: Account, invoice_ids: Collection[str], *, day: date, by: Actor
) -> None:
    """Settle invoices that are open again with the credit notes that took them back.

    What a credit note settled elsewhere, such as the invoice that replaced this one, is open
    instead: that is what the payer owes. It counts from a day on, so earlier days do not change.
    Queries: one; about ten for each invoice that was credited. The account is locked.
    """
    due = [*await find_open_credited(tx, account.id, invoice_ids)]
    while due:
        opened = await _settle(tx, account, due.pop(), day=day, by=by)
        due += await find_open_credited(tx, account.id, opened)


async def _settle(tx: Transaction, account: Account, id: str, *, day: date, by: Actor) -> list[str]:
    """Settle one with its credit notes; returns the invoices that are open instead."""
    invoice = await invoices.get_invoice(tx, account.id, id)
    notes = await invoices.list_credit_notes(tx, account.id, id)
    left = invoice.open_amount
    for note in notes:
        part = min(left, -note.open_amount)
        if part > 0:
            left -= part
            since = max(day, note.document.issue_date)
            await _use(tx, account, note, invoice, invoice, part, day=since, by=by)
            await add_to_open(tx, account.id, note.id, part, by=by)
    opened: list[str] = []
    for note in reversed(notes):
        used, since = Counter[str](), day
        for each in await payments.list_settlements(tx, account.id, note.id):
            if each.credit_note_id == note.id and each.invoice_id and each.invoice_id != id:
                used[each.invoice_id] += each.amount
                since = max(since, each.settled_date)
        for other_id in reversed(used):
            part = min(left, used[other_id])
            if part > 0:
                left -= part
                other = await invoices.get_invoice(tx, account.id, other_id)
                await _use(tx, account, note, other, invoice, -part, day=since, by=by)
                await _use(tx, account, note, invoice, invoice, part, day=since, by=by)
                opened.append(other_id)
    return opened


async def release_own_credit(
    tx: Transaction,
    account: Account,
    id: str,
    amount: int,
    *,
    moved: Collection[str],
    by: Actor,
) -> None:
    """Give credit notes back what `use_own_credit` settled of an invoice that is paid again.

    amount: at most as much. moved: settlements that are deleted anyway. It is a credit of the
    payer. Queries: two, and about five for each credit note.
    """
    invoice = await invoices.get_invoice(tx, account.id, id)
    for note in await invoices.list_credit_notes(tx, account.id, id):
        settled = sum(
            each.amount
            for each in await payments.list_settlements(tx, account.id, note.id)
            if each.invoice_id == id and each.reason and each.id not in moved
        )
        part = min(amount, settled)
        if part > 0:
            amount -= part
            await _use(tx, account, note, invoice, invoice, -part, day=account.daily_date, by=by)
            await add_to_open(tx, account.id, note.id, -part, by=by)


async def _use(
    tx: Transaction,
    account: Account,
    note: StoredInvoice,
    settled: StoredInvoice,
    own: StoredInvoice,
    amount: int,
    *,
    day: date,
    by: Actor,
) -> None:
    """Settle an invoice with a credit note; a negative amount takes that back. own: of the note."""
    with in_language(account.locale):
        reason = _("used for {number}, whose payment came back or was undone")
    await add_to_open(tx, account.id, settled.id, -amount, by=by)
    await payments.insert_settlement(
        tx,
        account.id,
        amount=amount,
        settled_date=day,
        invoice_id=settled.id,
        credit_note_id=note.id,
        reason=reason.format(number=own.document.number),
        by=by,
    )
    currency = settled.document.currency
    shown = {"amount": money_text(abs(amount), currency), "currency": currency}
    change = (None, shown) if amount > 0 else (shown, None)
    entry = NewEntry(EntryType.INVOICE_USE_CREDIT, settled.id, *change)
    await trail.record(tx, account.id, by, [entry])
