"""Decide what becomes of bank lines: record payments, leave lines out, and undo both."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.billing.matching import Proposal
from masthead.model.billing.payments import OpenInvoice
from masthead.model.billing.statements import BankLineStatus, StoredLine
from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.translations import format_day, gettext as _
from masthead.model.types.enums import PaymentMethod
from masthead.model.types.money import money_text
from masthead.model.types.text import MAX_TEXT
from masthead.services.billing.matching import propose_for
from masthead.services.billing.payments import ReceivedPayment, record_payment, undo
from masthead.services.billing.returned import check_line, give_back, take_back
from masthead.services.debits.book import book
from masthead.services.debits.bookings import Booking, find_bookings
from masthead.services.transactions import in_long_transaction, with_locked_account
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing import bank_statements as store, invoices, payments
from masthead.store.debits import records as debits
from masthead.store.engine.interface import Transaction

MOST_TOGETHER = 500  # lines that are confirmed at once


class ConfirmedLines(Struct, frozen=True):
    """What was confirmed. left: lines that are not safe any more, or that others have confirmed."""

    count: int
    left: int


@with_locked_account
async def confirm_line(
    tx: Transaction,
    account: Account,
    id: str,
    invoice_ids: Sequence[str],
    *,
    payer_id: str | None = None,
    by: Actor,
) -> str:
    """Record the payment of a line; returns its id.

    invoice_ids: what it settles, that which is due first comes first; what is too much is kept for
    the payer. payer_id: who paid, if no invoice is given. Raises: NotFound; Invalid
    `changed_meanwhile` if the line is not open any more.
    """
    line = await _get_booked(tx, account, id)
    if line.amount <= 0:
        raise Invalid(
            _("This line is a return. Choose the payment that came back."), code="is_return"
        )
    found = await invoices.find_open(tx, account.id, invoice_ids)
    if not found and payer_id is None:
        raise Invalid(_("Choose an invoice."), field="invoices")
    settled = _oldest_first(line, list(found.values()))
    payer = payer_id or found[next(iter(settled or found))].payer_id
    return await _record(tx, account, line, payer, settled, by=by)


def _oldest_first(line: StoredLine, chosen: Sequence[OpenInvoice]) -> dict[str, int]:
    """What of each invoice is settled. Raises: Invalid if one of them is settled already."""
    settled, left = dict[str, int](), line.amount
    for each in sorted(chosen, key=lambda one: (one.due_date, one.id)):
        if each.open_amount <= 0:
            raise Invalid(
                _("Invoice {number} is settled already. Choose another one.").format(
                    number=each.number
                ),
                code=CHANGED_MEANWHILE,
                field="invoices",
            )
        if left:
            settled[each.id] = min(left, each.open_amount)
            left -= settled[each.id]
    return settled


@in_long_transaction
async def confirm_safe(
    tx: Transaction, account_id: int, ids: Sequence[str], *, by: Actor
) -> ConfirmedLines:
    """Record the payments of those lines whose first proposal is safe now, in one transaction.

    ids: of at most 500 lines. A line is left if one before it paid its invoice. Raises: NotFound,
    Invalid.
    """
    account = await accounts.lock_account(tx, account_id)
    lines = await store.find_lines(tx, account_id, ids[:MOST_TOGETHER])
    lines = [
        each
        for each in lines
        if each.status is BankLineStatus.TO_DO and each.booking_date <= account.daily_date
    ]
    proposed = await propose_for(tx, account_id, lines)
    bookings = await find_bookings(tx, account_id, lines)
    taken, count = set[str](), 0
    for line in lines:
        booking = bookings.get(line.id)
        if booking:
            if booking.is_safe and not taken.intersection(each.id for each in booking.debits):
                await _book(tx, account, line, booking, by=by)
                taken |= {id for each in booking.debits for id in (each.id, each.invoice_id)}
                count += 1
            continue
        best = _safe(proposed.get(line.id, []))
        if best is None or best.settled.keys() & taken:
            continue
        await _record(tx, account, line, best.payer_id, best.settled, by=by)
        taken |= best.settled.keys()
        count += 1
    return ConfirmedLines(count, len(set(ids)) - count)


def _safe(proposals: Sequence[Proposal]) -> Proposal | None:
    return proposals[0] if proposals and proposals[0].is_safe else None


async def _record(
    tx: Transaction,
    account: Account,
    line: StoredLine,
    payer_id: str,
    settled: Mapping[str, int],
    *,
    by: Actor,
) -> str:
    """Record the payment of an open line, and settle invoices with it."""
    payment = ReceivedPayment(
        payer_id=payer_id,
        payment_date=line.booking_date,
        amount=line.amount,
        currency=line.currency,
        method=PaymentMethod.BANK_TRANSFER,
        reference=(line.text or line.reference)[:MAX_TEXT],
        settled=settled,
    )
    made = await record_payment(tx, account, payment, by=by)
    await store.decide_line(
        tx, account.id, line.id, BankLineStatus.RECORDED, payment_id=made.id, by=by
    )
    return made.id


@in_long_transaction
async def confirm_debits(tx: Transaction, account_id: int, id: str, *, by: Actor) -> int:
    """Record the payments of the direct debits that a line books; returns how many.

    Raises: NotFound; Invalid `changed_meanwhile` if the line books none any more.
    """
    account = await accounts.lock_account(tx, account_id)
    line = await _get_booked(tx, account, id)
    booking = (await find_bookings(tx, account_id, [line])).get(id)
    if booking is None:
        raise Invalid(
            _("These direct debits were booked otherwise. Nothing was changed."),
            code=CHANGED_MEANWHILE,
        )
    return await _book(tx, account, line, booking, by=by)


async def _book(
    tx: Transaction, account: Account, line: StoredLine, booking: Booking, *, by: Actor
) -> int:
    """Record the payments of direct debits. If there are several, each refers to the line."""
    line_id = line.id if booking.is_batch else None
    made = await book(tx, account, booking.debits, day=line.booking_date, line_id=line_id, by=by)
    await store.decide_line(
        tx,
        account.id,
        line.id,
        BankLineStatus.RECORDED,
        payment_id=None if booking.is_batch else made[0],
        by=by,
    )
    return len(made)


@with_locked_account
async def confirm_return(
    tx: Transaction, account: Account, id: str, payment_id: str, *, by: Actor
) -> str:
    """Take back the payment that came back; what it settled is open again.

    Returns the id of the payment that took it back. Raises: NotFound, Invalid.
    """
    line = await _get_booked(tx, account, id)
    if not line.is_return:
        raise Invalid(_("This line is no return. Choose an invoice."), code="no_return")
    payment = await payments.get_payment(tx, account.id, payment_id)
    if payment.undone_at is None:
        check_line(line, payment)
    made = await take_back(
        tx,
        account,
        payment,
        day=line.booking_date,
        reason=line.return_reason,
        reference=line.reference,
        bank_fee=-line.amount - payment.amount,
        by=by,
    )
    await store.decide_line(tx, account.id, id, BankLineStatus.RECORDED, payment_id=made, by=by)
    return made


@with_locked_account
async def leave_out_line(
    tx: Transaction, account: Account, id: str, *, reason: str, by: Actor
) -> None:
    """Leave a line out: it pays no invoice. Raises: NotFound, Invalid."""
    line = await _get_undecided(tx, account, id)
    await store.decide_line(tx, account.id, id, BankLineStatus.LEFT_OUT, reason=reason, by=by)
    await _log(tx, account, EntryType.BANK_LINE_IGNORE, line, by=by)


@with_locked_account
async def reopen_line(tx: Transaction, account: Account, id: str, *, by: Actor) -> None:
    """Undo what was decided about a line: its payment is undone, or it is not left out any more.

    Raises: NotFound, Invalid.
    """
    line = await store.get_line(tx, account.id, id)
    if line.status is BankLineStatus.TO_DO:
        raise Invalid(_("This line is open already."), code=CHANGED_MEANWHILE)
    booked = await debits.list_of_line(tx, account.id, id)
    paid = [each.payment_id for each in booked if each.payment_id]
    for payment in await payments.list_payments(tx, account.id, paid):
        await undo(tx, account, payment, by=by)
    if line.payment_id is not None:
        payment = await payments.get_payment(tx, account.id, line.payment_id)
        if line.is_return:
            await give_back(tx, account, payment, by=by)
        else:
            await undo(tx, account, payment, by=by)
    await store.decide_line(tx, account.id, id, BankLineStatus.TO_DO, by=by)
    await _log(tx, account, EntryType.BANK_LINE_REOPEN, line, by=by)


async def _get_undecided(tx: Transaction, account: Account, id: str) -> StoredLine:
    """A line that nobody has decided about. Raises: NotFound; Invalid `changed_meanwhile`."""
    line = await store.get_line(tx, account.id, id)
    if line.status is not BankLineStatus.TO_DO:
        raise Invalid(
            _("The payment of this line was recorded before. Nothing was changed.")
            if line.status is BankLineStatus.RECORDED
            else _("This line was left out before. Undo that first. Nothing was changed."),
            code=CHANGED_MEANWHILE,
        )
    return line


async def _get_booked(tx: Transaction, account: Account, id: str) -> StoredLine:
    """An open line that the bank has booked by today. Raises: NotFound, Invalid.

    Banks date what comes on a weekend to the Monday.
    """
    line = await _get_undecided(tx, account, id)
    if line.booking_date > account.daily_date:
        raise Invalid(
            _("The bank books this payment on {day}. Confirm it on that day, or later.").format(
                day=format_day(line.booking_date)
            )
        )
    return line


async def _log(
    tx: Transaction, account: Account, type: EntryType, line: StoredLine, *, by: Actor
) -> None:
    """Record a decision, without name, IBAN and text of the other party."""
    after = {
        "amount": money_text(line.amount, line.currency),
        "currency": line.currency,
        "booking_date": line.booking_date,
    }
    await trail.record(tx, account.id, by, [NewEntry(type, line.id, None, after)])
