"""Record payments. `undo` takes one back for the bank lines, returns and users that ask for it."""

from collections.abc import Mapping, Sequence
from datetime import date

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.billing.inputs import InvoicePart, PaymentCreate
from masthead.model.billing.payments import (
    can_be_paid_on,
    check_credit_day,
    check_day,
    check_settled,
    settle_oldest,
)
from masthead.model.debits.rules import IN_PROGRESS
from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.translations import gettext as _
from masthead.model.types.enums import PaymentMethod
from masthead.model.types.money import minor_units, money_text
from masthead.services.billing.own_credit import use_own_credit
from masthead.services.billing.payers import check_payer, make_payer
from masthead.services.holds.invoices import add_to_open
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing import bank_statements, invoices, orders, payments
from masthead.store.billing.payments import StoredPayment
from masthead.store.debits import records as debits
from masthead.store.engine.interface import Transaction


class ReceivedPayment(Struct, frozen=True, kw_only=True):
    """A payment to record. amount: in minor units.

    payer_id: None if it is not known; then `settled` is given. settled: what it settles of each
    invoice, by id; None for the open invoices of the payer that were due first.
    """

    payer_id: str | None
    payment_date: date
    amount: int
    currency: str
    method: PaymentMethod = PaymentMethod.BANK_TRANSFER
    reference: str = ""
    settled: Mapping[str, int] | None = None


@with_locked_account
async def create_payment(
    tx: Transaction, account: Account, body: PaymentCreate, *, by: Actor
) -> str:
    """Record a payment that a program or a member of staff enters; returns its id.

    Raises: NotFound, Erased, Invalid.
    """
    currency = body.currency or account.currency
    amount = minor_units("amount", body.amount, currency)
    await check_payer(tx, account.id, body.payer, field="payer")
    payer_id, settled = body.payer, None
    if body.invoices is not None:
        owner, settled = await _settled_by(tx, account, body.invoices, amount, currency)
        payer_id = payer_id or owner
    payment = ReceivedPayment(
        payer_id=payer_id,
        payment_date=body.payment_date or account.daily_date,
        amount=amount,
        currency=currency,
        method=body.method or PaymentMethod.BANK_TRANSFER,
        reference=body.reference or "",
        settled=settled,
    )
    return (await record_payment(tx, account, payment, by=by)).id


async def _settled_by(
    tx: Transaction, account: Account, parts: Sequence[InvoicePart], amount: int, currency: str
) -> tuple[str, dict[str, int]]:
    """The payer of the first of some invoices, and what a payment settles of each, by id."""
    found = await invoices.find_by_number(tx, account.id, [each.number for each in parts])
    settled = dict[str, int]()
    rest = amount
    for place, part in enumerate(parts):
        field = f"invoices[{place}]"
        invoice = found.get(part.number)
        if invoice is None:
            raise Invalid(
                _("There is no invoice {number}. Check the number.").format(number=part.number),
                code="unknown_invoice",
                field=f"{field}.number",
                value=part.number,
            )
        if invoice.open_amount < 0:
            raise Invalid(
                _("{number} is a credit note. Give the number of an invoice.").format(
                    number=part.number
                ),
                code="not_open",
                field=f"{field}.number",
                value=part.number,
            )
        if part.amount is not None:
            share = minor_units(f"{field}.amount", part.amount, currency)
        else:
            share = min(rest, invoice.open_amount)
        if not invoice.open_amount:
            raise Invalid(
                _("Invoice {number} is settled already.").format(number=part.number),
                code="not_open",
                field=f"{field}.number",
                value=part.number,
            )
        if share:
            settled[invoice.id] = settled.get(invoice.id, 0) + share
            rest -= share
    return found[parts[0].number].payer_id, settled


async def record_payment(
    tx: Transaction,
    account: Account,
    payment: ReceivedPayment,
    *,
    may_be_erased: bool = False,
    by: Actor,
) -> StoredPayment:
    """Record a payment in a transaction that has locked the account, and settle invoices with it.

    What is left of it is kept for the payer. may_be_erased: whether the payer may be one who was
    erased, of whom a direct debit was under way. Raises: NotFound, Erased, Invalid.
    """
    check_day(payment.payment_date, today=account.daily_date)
    payer_id = payment.payer_id
    if payer_id is not None and not may_be_erased:
        payer_id = (await make_payer(tx, account.id, payer_id)).subscriber_id
    settled = await _choose(tx, account, payment, payer_id)
    if not settled:
        check_credit_day(payment.payment_date, today=account.daily_date)
    made = await payments.insert_payment(
        tx,
        account.id,
        payer_id=payer_id,
        payment_date=payment.payment_date,
        amount=payment.amount,
        currency=payment.currency,
        method=payment.method,
        reference=payment.reference,
        sold=await _find_sold(tx, account.id, settled),
        by=by,
    )
    for invoice_id, part in settled.items():
        await settle(tx, account, made, invoice_id, part, by=by)
    entry = NewEntry(EntryType.PAYMENT_RECORD, made.id, None, shown(made))
    await trail.record(tx, account.id, by, [entry])
    return made


async def _find_sold(
    tx: Transaction, account_id: int, settled: Mapping[str, int]
) -> tuple[str | None, str | None]:
    """Source and product of the first order that a payment is for; None if it settles nothing."""
    if not settled:
        return None, None
    return await orders.find_sold(tx, account_id, next(iter(settled)))


async def _choose(
    tx: Transaction, account: Account, payment: ReceivedPayment, payer_id: str | None
) -> Mapping[str, int]:
    """What a payment settles, by id of the invoice. Raises: Invalid.

    One that names no invoices is for none that was issued long after it.
    """
    if payment.settled is None:
        assert payer_id is not None
        listed = await invoices.list_open_of_payer(
            tx, account.id, payer_id, currency=payment.currency
        )
        day = payment.payment_date
        payable = [each for each in listed if can_be_paid_on(day, each.issue_date)]
        return settle_oldest(payment.amount, payable)
    found = await invoices.find_open(tx, account.id, list(payment.settled))
    check_settled(
        payment.amount, payment.currency, payment.settled, found, day=payment.payment_date
    )
    return payment.settled


async def settle(
    tx: Transaction,
    account: Account,
    payment: StoredPayment,
    id: str,
    amount: int,
    *,
    settled_date: date | None = None,
    by: Actor,
) -> None:
    """Settle an invoice with a part of a payment. settled_date: by default that of the payment."""
    await add_to_open(tx, account.id, id, -amount, by=by)
    await payments.add_to_unused(tx, account.id, payment.id, -amount)
    await payments.insert_settlement(
        tx,
        account.id,
        amount=amount,
        settled_date=settled_date or payment.payment_date,
        invoice_id=id,
        payment_id=payment.id,
        by=by,
    )


def shown(payment: StoredPayment) -> dict[str, object]:
    """A payment in the audit trail."""
    return {
        "amount": money_text(payment.amount, payment.currency),
        "currency": payment.currency,
        "payment_date": payment.payment_date,
        "method": payment.method,
    }


async def undo(tx: Transaction, account: Account, payment: StoredPayment, *, by: Actor) -> None:
    """Undo a payment in a transaction that has locked the account. Raises: Invalid."""
    if payment.undone_at is not None:
        raise Invalid(_("This payment is undone already."), code=CHANGED_MEANWHILE)
    settled = await payments.list_settled_by(tx, account.id, [payment.id])
    if any(each.payback_id and each.payment_id == payment.id for each in settled):
        raise Invalid(_("A part of this payment was paid back. Undo that first."), code="paid_back")
    opened, notes = set[str](), set[str]()
    for each in settled:
        if each.invoice_id is not None:
            opened.add(each.invoice_id)
            await add_to_open(tx, account.id, each.invoice_id, each.amount, by=by)
        elif each.payment_id is not None:  # of which this one paid a part back
            await payments.add_to_unused(tx, account.id, each.payment_id, each.amount)
        else:
            assert each.credit_note_id is not None
            notes.add(each.credit_note_id)
            await add_to_open(tx, account.id, each.credit_note_id, -each.amount, by=by)
    await _require_one_debit(tx, account, payment)
    await payments.delete_settlements(tx, account.id, [each.id for each in settled])
    await payments.update_undone(tx, account.id, payment.id)
    await bank_statements.reopen_of_payment(tx, account.id, payment.id)
    await debits.update_unpaid(tx, account.id, [payment.id])
    opened |= {
        each.corrects_id
        for each in await invoices.list_invoices(tx, account.id, notes)
        if each.corrects_id
    }
    await use_own_credit(tx, account, sorted(opened), day=account.daily_date, by=by)
    entry = NewEntry(EntryType.PAYMENT_UNDO, payment.id, shown(payment), None)
    await trail.record(tx, account.id, by, [entry])


async def _require_one_debit(tx: Transaction, account: Account, payment: StoredPayment) -> None:
    """Raises: Invalid if an invoice that a payment collected is being collected again."""
    for paid in await debits.list_of_payments(tx, account.id, [payment.id]):
        others = await debits.list_of_invoice(tx, account.id, paid.invoice_id)
        if any(each.status in IN_PROGRESS and each.id != paid.id for each in others):
            invoice = await invoices.get_invoice(tx, account.id, paid.invoice_id)
            raise Invalid(
                _(
                    "Invoice {number} is marked for direct debit again. Press “Do not collect it” "
                    "on its page, or cancel its collection, and try again."
                ).format(number=invoice.document.number),
                code=CHANGED_MEANWHILE,
            )
