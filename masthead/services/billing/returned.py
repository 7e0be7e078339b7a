"""Payments that come back, such as direct debits: the items are open again from that day on.

What was recorded before stays, so that the books of earlier days do not change: the return is a
payment of its own, below zero, and it takes back the settlements on its day.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import date

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.billing.named_numbers import find_references
from masthead.model.billing.names import is_same_name, name_words
from masthead.model.billing.settings import document_number
from masthead.model.billing.statements import StoredLine
from masthead.model.debits.rules import ids_in
from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.events.types import PublicEventType
from masthead.model.translations import format_day, gettext as _
from masthead.model.types.money import money_in_words
from masthead.model.types.text import MAX_TEXT
from masthead.services.billing.own_credit import release_own_credit, use_own_credit
from masthead.services.billing.payments import settle, shown, undo
from masthead.services.debits.returns import note_return, undo_return
from masthead.services.holds.invoices import add_to_open
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing import invoices, matching, payments, returned as store
from masthead.store.billing.payments import StoredPayment
from masthead.store.billing.returned import ReturnedPayment
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.events.write import NewEvent, add_events

_SERIES = 30
_MOST_FEE = 30_00  # of a bank for a return, if its file does not say how much


async def propose_returned(
    db: Connection, account_id: int, line: StoredLine
) -> list[ReturnedPayment]:
    """The payments that a return may be about, most likely first; at most five.

    They have the reference of the return, or settled an invoice that it names, or came from the
    bank account to which the money went back, or from a payer of that name. Those with its amount
    come first; others are less by the fee of the bank. Queries: three.
    """
    amounts = _amounts(line)
    series = await matching.list_series(db, account_id, _SERIES)
    found = find_references((line.reference, line.text), series)
    numbers = [document_number(*each) for each in found.sure | found.likely]
    listed = await store.find_returned(
        db,
        account_id,
        reference=line.reference,
        debits=sorted(ids_in((line.reference, line.text))),
        numbers=numbers,
        amounts=amounts,
        iban=line.iban,
        least=min(amounts) - (_MOST_FEE if line.original_amount is None else 0),
        most=max(amounts),
        currency=line.currency,
        before=line.booking_date,
    )
    names = [name_words(line.name), name_words(line.ultimate_name)]
    return sorted(
        (
            each
            for each in listed
            if _has_amount(line, each.amount)
            and (
                each.is_named
                or each.is_from_account
                or is_same_name(names, name_words(each.payer_name))
            )
        ),
        key=lambda each: (
            not each.is_named,
            each.amount not in amounts,
            not each.is_from_account,
            -each.amount,
            each.id,
        ),
    )[:5]


def _amounts(line: StoredLine) -> list[int]:
    """What may have been collected: the bank may add fees to a return."""
    amounts = [-line.amount]
    return amounts if line.original_amount is None else [line.original_amount, *amounts]


def _has_amount(line: StoredLine, amount: int) -> bool:
    """Whether a payment of an amount may have come back with a line, perhaps less than its fee."""
    fee = -line.amount - amount
    is_near = line.original_amount is None and 0 <= fee <= _MOST_FEE
    return is_near or amount in _amounts(line)


def check_line(line: StoredLine, payment: StoredPayment) -> None:
    """Raises: Invalid if a payment that came cannot have come back with a line."""
    if payment.amount <= 0:
        raise Invalid(_("This is no payment that can come back."), code="no_payment")
    if payment.currency != line.currency or not _has_amount(line, payment.amount):
        raise Invalid(
            _(
                "The bank took back {amount}, but this payment is {paid}. Choose the payment that "
                "came back."
            ).format(
                amount=money_in_words(-line.amount, line.currency),
                paid=money_in_words(payment.amount, payment.currency),
            )
        )
    if payment.payment_date > line.booking_date:
        raise Invalid(
            _("This payment came on {day}, after the return. Choose an earlier one.").format(
                day=format_day(payment.payment_date)
            )
        )


async def take_back(
    tx: Transaction,
    account: Account,
    payment: StoredPayment,
    *,
    day: date,
    reason: str,
    reference: str,
    bank_fee: int,
    by: Actor,
) -> str:
    """Take back a payment on the day of its return; returns the id of the payment below zero.

    reason, reference: what the bank says of the return. bank_fee: in cents; 0 for none.
    All of it comes back. The payer owes the fee of the bank if the settings say so.
    Raises: Invalid if it came back before, or was undone.
    """
    if payment.undone_at is not None:
        raise Invalid(_("This payment is undone already."), code=CHANGED_MEANWHILE)
    settled = await payments.list_settled_by(tx, account.id, [payment.id])
    if any(each.payback_id and each.payment_id == payment.id for each in settled):
        raise Invalid(
            _("This payment came back before, or a part of it was paid back."),
            code=CHANGED_MEANWHILE,
        )
    made = await payments.insert_payment(
        tx,
        account.id,
        payer_id=payment.payer_id,
        payment_date=day,
        amount=-payment.amount,
        currency=payment.currency,
        method=payment.method,
        reference=f"{reason} {reference}".strip()[:MAX_TEXT],
        sold=(payment.source_id, payment.product_id),
        by=by,
    )
    opened = _settled_now(settled)
    for id, amount in opened.items():
        await settle(tx, account, payment, id, -amount, settled_date=day, by=by)
    await use_own_credit(tx, account, opened.keys(), day=day, by=by)
    await payments.add_to_unused(tx, account.id, made.id, payment.amount)
    await payments.add_to_unused(tx, account.id, payment.id, -payment.amount)
    await payments.insert_settlement(
        tx,
        account.id,
        amount=payment.amount,
        settled_date=day,
        payback_id=made.id,
        payment_id=payment.id,
        by=by,
    )
    await add_events(tx, account.id, by, [NewEvent(PublicEventType.PAYMENT_CREATED, made.id)])
    await note_return(tx, account, payment.id, reason=reason, day=day, bank_fee=bank_fee, by=by)
    after = {**shown(made), "reason": reason}
    await trail.record(
        tx, account.id, by, [NewEntry(EntryType.PAYMENT_RETURN, payment.id, None, after)]
    )
    return made.id


def _settled_now(settled: Sequence[payments.Settlement]) -> dict[str, int]:
    """What a payment, of which nothing was paid back, has settled of each invoice."""
    found: dict[str, int] = {}
    for each in settled:
        assert each.invoice_id is not None
        found[each.invoice_id] = found.get(each.invoice_id, 0) + each.amount
    return {id: amount for id, amount in found.items() if amount}


async def give_back(
    tx: Transaction, account: Account, payback: StoredPayment, *, by: Actor
) -> None:
    """Undo a return: the payment settles again what it had settled, and so do credit notes.

    Raises: Invalid if what they settled was settled in another way since.
    """
    [back] = [
        each
        for each in await payments.list_settled_by(tx, account.id, [payback.id])
        if each.payback_id == payback.id
    ]
    assert back.payment_id is not None
    settled = await payments.list_settled_by(tx, account.id, [back.payment_id])
    taken = [each for each in settled if each.invoice_id and each.amount < 0]
    moved = await store.list_moved(tx, account.id, taken[0].id, back.id) if taken else []
    changes = Counter[str]()
    for each in (*taken, *moved):
        assert each.invoice_id is not None
        changes[each.invoice_id] += each.amount
    open_now = await invoices.find_open(tx, account.id, list(changes))
    deleted = {each.id for each in (*taken, *moved)}
    for id, amount in changes.items():
        missing = -open_now[id].open_amount - amount
        if missing > 0:  # other returns of the same invoice were undone before
            await release_own_credit(tx, account, id, missing, moved=deleted, by=by)
    open_now = await invoices.find_open(tx, account.id, list(changes))
    for id, amount in changes.items():
        if open_now[id].open_amount + amount < 0:
            raise Invalid(
                _(
                    "Invoice {number} was paid in another way after the return. Undo that payment "
                    "first."
                ).format(number=open_now[id].number),
                code=CHANGED_MEANWHILE,
            )
    await undo(tx, account, payback, by=by)
    await undo_return(tx, account, back.payment_id, by=by)
    for id, amount in changes.items():
        await add_to_open(tx, account.id, id, amount, by=by)
    for each in taken:
        await payments.add_to_unused(tx, account.id, back.payment_id, each.amount)
    for each in moved:
        assert each.credit_note_id is not None
        await add_to_open(tx, account.id, each.credit_note_id, -each.amount, by=by)
    await payments.delete_settlements(tx, account.id, deleted)
    await use_own_credit(tx, account, sorted(changes), day=account.daily_date, by=by)
