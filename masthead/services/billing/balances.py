"""What payers have too much or too little: use credit, pay it back, and write off."""

from collections.abc import Sequence

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.billing.documents import DocumentKind
from masthead.model.billing.payments import OpenInvoice, check_day
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.model.types.money import money_in_words, money_text
from masthead.services.billing.credit import use_credit_note
from masthead.services.billing.payers import make_payer
from masthead.services.billing.payments import ReceivedPayment, settle, shown
from masthead.services.holds.invoices import add_to_open
from masthead.services.privacy.guard import leave_out_erased
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing import invoices, orders, payments
from masthead.store.billing.invoices import StoredInvoice
from masthead.store.billing.payments import StoredPayment
from masthead.store.engine.interface import Database, Transaction


@with_locked_account
async def use_credit(tx: Transaction, account: Account, invoice_id: str, *, by: Actor) -> int:
    """Settle an invoice with what is left of its payer's payments and credit notes.

    Returns how much, in minor units. Raises: NotFound, Invalid if there is nothing.
    """
    invoice = await invoices.get_invoice(tx, account.id, invoice_id)
    currency, used = invoice.document.currency, 0
    sold = await orders.find_sold(tx, account.id, invoice_id)
    for left in await payments.list_unused(tx, account.id, invoice.payer_id, currency=currency):
        part = min(left.unused_amount, invoice.open_amount - used)
        if part > 0:
            await payments.update_sold(tx, account.id, left.id, *sold)
            await settle(
                tx, account, left, invoice_id, part, settled_date=account.daily_date, by=by
            )
            used += part
    for note in await _credit_notes(tx, account, invoice.payer_id, currency):
        used += await use_credit_note(
            tx, account, note.id, invoice_id, day=account.daily_date, by=by
        )
    if not used:
        raise Invalid(
            _("There is no credit of this payer, or the invoice is settled."), code="no_credit"
        )
    after = {"amount": money_text(used, currency), "currency": currency}
    entry = NewEntry(EntryType.INVOICE_USE_CREDIT, invoice_id, None, after)
    await trail.record(tx, account.id, by, [entry])
    return used


async def _credit_notes(
    tx: Transaction, account: Account, payer_id: str, currency: str
) -> list[OpenInvoice]:
    """The credit notes of a payer that are not used up, oldest first."""
    listed = await invoices.list_open_of_payer(tx, account.id, payer_id, currency=currency)
    return [each for each in listed if each.open_amount < 0]


@with_locked_account
async def pay_back(
    tx: Transaction, account: Account, payment: ReceivedPayment, *, by: Actor
) -> str:
    """Record that a payer got money back; returns the id of the payment.

    payment: with the amount that went back. It uses up their credit: what is left of payments
    first, then of credit notes. Raises: NotFound, Erased, Invalid if there is less credit.
    """
    assert payment.payer_id is not None
    check_day(payment.payment_date, today=account.daily_date)
    payer = await make_payer(tx, account.id, payment.payer_id)
    unused = await payments.list_unused(
        tx, account.id, payer.subscriber_id, currency=payment.currency
    )
    notes = await _credit_notes(tx, account, payer.subscriber_id, payment.currency)
    credit = sum(each.unused_amount for each in unused) - sum(each.open_amount for each in notes)
    if payment.amount > credit:
        raise Invalid(
            _("The credit of this payer is {credit}; pay back at most as much.").format(
                credit=money_in_words(credit, payment.currency)
            ),
            code="more_than_credit",
            field="amount",
        )
    made = await payments.insert_payment(
        tx,
        account.id,
        payer_id=payer.subscriber_id,
        payment_date=payment.payment_date,
        amount=-payment.amount,
        currency=payment.currency,
        method=payment.method,
        reference=payment.reference,
        sold=await _find_sold(tx, account.id, unused, notes),
        by=by,
    )
    await payments.add_to_unused(tx, account.id, made.id, payment.amount)
    rest = payment.amount
    for left in unused:
        part = min(left.unused_amount, rest)
        if part > 0:
            rest -= part
            await payments.add_to_unused(tx, account.id, left.id, -part)
            await payments.insert_settlement(
                tx,
                account.id,
                amount=part,
                settled_date=payment.payment_date,
                payback_id=made.id,
                payment_id=left.id,
                by=by,
            )
    for note in notes:
        part = min(-note.open_amount, rest)
        if part > 0:
            rest -= part
            await add_to_open(tx, account.id, note.id, part, by=by)
            await payments.insert_settlement(
                tx,
                account.id,
                amount=part,
                settled_date=payment.payment_date,
                payback_id=made.id,
                credit_note_id=note.id,
                by=by,
            )
    entry = NewEntry(EntryType.PAYMENT_PAY_BACK, made.id, None, shown(made))
    await trail.record(tx, account.id, by, [entry])
    return made.id


async def _find_sold(
    tx: Transaction, account_id: int, unused: list[StoredPayment], notes: list[OpenInvoice]
) -> tuple[str | None, str | None]:
    """What money that goes back was for: as the payment or the credit note that it comes from."""
    if unused:
        return unused[0].source_id, unused[0].product_id
    return await orders.find_sold(tx, account_id, notes[0].id)


async def write_off(
    db: Database, account_id: int, invoice_id: str, *, reason: str, by: Actor
) -> int:
    """Give up what is open of an invoice, or waive a fee; returns how much, in minor units.

    Raises: NotFound, Invalid.
    """
    found = await write_off_all(db, account_id, [invoice_id], reason=reason, by=by)
    return found[invoice_id]


@with_locked_account
async def write_off_all(
    tx: Transaction, account: Account, invoice_ids: Sequence[str], *, reason: str, by: Actor
) -> dict[str, int]:
    """Give up what is open of invoices, all or none; returns how much of each, in minor units.

    Raises: NotFound, Invalid.
    """
    amounts = dict[str, int]()
    for id in invoice_ids:
        invoice = await invoices.get_invoice(tx, account.id, id)
        kept = await leave_out_erased(tx, account.id, invoice.payer_id, reason)
        amounts[id] = await give_up(tx, account, invoice, reason=kept, by=by)
    return amounts


async def give_up(
    tx: Transaction, account: Account, invoice: StoredInvoice, *, reason: str, by: Actor
) -> int:
    """Do what `write_off` does, in a transaction that has locked the account."""
    amount, document = invoice.open_amount, invoice.document
    if amount <= 0:
        raise Invalid(
            _("Nothing is open of {number}.").format(number=document.number), code="not_open"
        )
    notes = await invoices.list_credit_notes(tx, account.id, invoice.id)
    if unused := next((each for each in notes if each.open_amount), None):
        raise Invalid(
            _(
                "Credit note {note} for {number} is not used up. Use the credit of the payer for "
                "{number} first; then write off what is left."
            ).format(note=unused.document.number, number=document.number)
        )
    await add_to_open(tx, account.id, invoice.id, -amount, by=by)
    await payments.insert_settlement(
        tx,
        account.id,
        amount=amount,
        settled_date=account.daily_date,
        invoice_id=invoice.id,
        reason=reason,
        by=by,
    )
    after = {
        "amount": money_text(amount, document.currency),
        "currency": document.currency,
        "reason": reason,
    }
    is_fee = invoice.kind is DocumentKind.FEE
    kind = EntryType.INVOICE_WAIVE_FEE if is_fee else EntryType.INVOICE_WRITE_OFF
    await trail.record(tx, account.id, by, [NewEntry(kind, invoice.id, None, after)])
    return amount
