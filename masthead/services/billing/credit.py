"""Credit notes: take back invoices, or parts of them, when orders are refunded or were wrong."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import date

from msgspec import Struct, structs

from masthead.model.actors import Actor
from masthead.model.billing.credits import credit_lines, credited_before, credited_vat, left_of
from masthead.model.billing.documents import DocumentKind
from masthead.model.billing.terms import BillingTerms, require_settings
from masthead.model.debits.rules import DebitStatus
from masthead.model.errors import Invalid
from masthead.model.identity.rights import Right
from masthead.model.translations import gettext as _
from masthead.services.billing.issue import issue, next_date, write_document
from masthead.services.billing.payers import make_payer
from masthead.services.debits.mandates import find_usable
from masthead.services.holds.invoices import add_to_open
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.billing import invoices, orders, payments, settings as settings_store
from masthead.store.billing.invoices import StoredInvoice
from masthead.store.billing.write_offs import sum_written_off
from masthead.store.debits import records as debit_store
from masthead.store.engine.interface import Transaction


async def credit_refunds(
    tx: Transaction,
    account: Account,
    amounts: Mapping[int, int],
    billed: Mapping[int, str | None],
    *,
    reason: str,
    by: Actor,
) -> list[str]:
    """Issue the credit notes for refunds of orders that are on invoices; returns their ids.

    amounts: what was refunded, by period. billed: their invoices. Orders that are paid otherwise,
    or wait for their invoice, need none. Raises: MissingRight.
    """
    of_invoice = defaultdict[str, dict[int, int]](dict)
    for period_id, invoice_id in billed.items():
        if invoice_id is not None:
            of_invoice[invoice_id][period_id] = amounts[period_id]
    return [
        await _credit(
            tx, account, await invoices.get_invoice(tx, account.id, id), parts, reason, by
        )
        for id, parts in of_invoice.items()
    ]


async def _credit(
    tx: Transaction,
    account: Account,
    invoice: StoredInvoice,
    amounts: Mapping[int, int],
    reason: str,
    by: Actor,
) -> str:
    """Issue a credit note, and settle the invoice with it; returns its id.

    It settles what is open, then what was written off, which is taken back; only the rest is a
    credit of the payer. Raises: MissingRight.
    """
    by.require(Right.BILL)
    settings = require_settings(await settings_store.find_settings(tx, account.id))
    notes = await invoices.list_credit_notes(tx, account.id, invoice.id)
    before = credited_before(each.document for each in notes)
    day = await next_date(tx, account, settings)
    lines = credit_lines(invoice.document, before, amounts)
    document = structs.replace(
        invoice.document,
        kind=DocumentKind.CREDIT_NOTE,
        number="",
        issue_date=day,
        due_date=day,
        debit=None,
        lines=lines,
        converted=credited_vat(invoice.document, (each.document for each in notes), lines),
        corrects=invoice.document.number,
        corrects_date=invoice.document.issue_date,
        reason=reason,
    )
    still_open = min(document.total, invoice.open_amount)
    written_off = await sum_written_off(tx, account.id, invoice.id)
    given_back = min(written_off, document.total - still_open)
    if given_back:  # nobody owes it any more, and the payer has not paid it
        await payments.insert_settlement(
            tx,
            account.id,
            amount=-given_back,
            settled_date=day,
            invoice_id=invoice.id,
            reason=_("taken back by a credit note"),
            by=by,
        )
    settled = still_open + given_back
    id = await write_document(
        tx,
        account,
        settings,
        document,
        corrects_id=invoice.id,
        open_amount=settled - document.total,
        by=by,
    )
    if still_open:
        await add_to_open(tx, account.id, invoice.id, -still_open, by=by)
    if settled:
        await payments.insert_settlement(
            tx,
            account.id,
            amount=settled,
            settled_date=day,
            invoice_id=invoice.id,
            credit_note_id=id,
            by=by,
        )
    return id


class Correction(Struct, frozen=True):
    """What came of an invoice that was wrong. invoice_ids: of the new ones, if not to be joined."""

    credit_note_id: str
    invoice_ids: list[str]


@with_locked_account
async def correct_invoice(
    tx: Transaction, account: Account, id: str, terms: BillingTerms, *, reason: str, by: Actor
) -> Correction:
    """Take back an invoice, and issue a new one with today's names, addresses and VAT.

    terms: of the new one; who pays can change. What was paid of the old one pays the new one, if
    the payer is the same. Raises: NotFound, Erased, Invalid.
    """
    taken = await take_back(tx, account, id, terms, reason=reason, by=by)
    return await bill_again(tx, account, taken, terms, by=by)


class TakenBack(Struct, frozen=True, kw_only=True):
    """Orders that a credit note took off their invoice, by period, and how they are billed again.

    is_debited: whether the new invoice is collected by direct debit.
    """

    invoice: StoredInvoice
    note_id: str
    period_ids: list[int]
    is_debited: bool


async def take_back(
    tx: Transaction,
    account: Account,
    id: str,
    terms: BillingTerms,
    *,
    only: Collection[int] = (),
    reason: str,
    by: Actor,
) -> TakenBack:
    """Take an invoice back by a credit note, to bill its orders again.

    only: the periods of some of its orders; empty for all. terms: of the new invoice. The account
    is locked. Raises: NotFound, Invalid.
    """
    invoice = await get_creditable(tx, account.id, id)
    notes = await invoices.list_credit_notes(tx, account.id, id)
    left = left_of(invoice.document, credited_before(each.document for each in notes))
    left = {
        period: amount for period, amount in left.items() if amount and (not only or period in only)
    }
    if not left:
        raise all_credited(invoice)
    debited = await _may_debit_again(tx, account, invoice, terms, is_whole=not only)
    return TakenBack(
        invoice=invoice,
        note_id=await _credit(tx, account, invoice, left, reason, by),
        period_ids=list(left),
        is_debited=debited,
    )


async def bill_again(
    tx: Transaction, account: Account, taken: TakenBack, terms: BillingTerms, *, by: Actor
) -> Correction:
    """Issue the new invoice for what was taken back. From the same payer, what was paid pays it.

    Raises: NotFound, Erased, Invalid.
    """
    payer = await make_payer(tx, account.id, terms.payer_id or taken.invoice.payer_id)
    await orders.rebill(
        tx,
        account.id,
        taken.period_ids,
        payer_id=payer.subscriber_id,
        order_reference=terms.order_reference,
        due_days=terms.due_days,
        is_debited=taken.is_debited,
    )
    made = await issue(tx, account, payer.subscriber_id, period_ids=taken.period_ids, by=by)
    if payer.subscriber_id == taken.invoice.payer_id:
        for new in made:
            await use_credit_note(tx, account, taken.note_id, new, day=account.daily_date, by=by)
    return Correction(taken.note_id, made)


async def _may_debit_again(
    tx: Transaction,
    account: Account,
    invoice: StoredInvoice,
    terms: BillingTerms,
    *,
    is_whole: bool,
) -> bool:
    """Whether a new invoice is collected as the old one was: from the same payer, who still may be.

    is_whole: whether nothing is left of the old one. Raises: Invalid while it is in a collection.
    """
    debits = await debit_store.list_of_invoice(tx, account.id, invoice.id)
    if any(each.status is DebitStatus.COLLECTED for each in debits):
        raise Invalid(
            _(
                "{number} is being collected by direct debit. Wait until the bank has booked it, "
                "or cancel the collection."
            ).format(number=invoice.document.number),
            code="in_collection",
        )
    if not await orders.is_debited(tx, account.id, invoice.document.lines[0].period_id):
        return False
    is_same = terms.payer_id in (None, invoice.payer_id)
    day = account.daily_date
    old = invoice.id if is_whole else None
    return is_same and bool(
        await find_usable(tx, account.id, invoice.payer_id, day, invoice_id=old)
    )


async def use_credit_note(
    tx: Transaction, account: Account, note_id: str, invoice_id: str, *, day: date, by: Actor
) -> int:
    """Settle an invoice with what is left of a credit note; returns how much."""
    found = await invoices.find_open(tx, account.id, [note_id, invoice_id])
    amount = min(-found[note_id].open_amount, found[invoice_id].open_amount)
    if amount <= 0:
        return 0
    await add_to_open(tx, account.id, note_id, amount, by=by)
    await add_to_open(tx, account.id, invoice_id, -amount, by=by)
    await payments.insert_settlement(
        tx,
        account.id,
        amount=amount,
        settled_date=day,
        invoice_id=invoice_id,
        credit_note_id=note_id,
        by=by,
    )
    return amount


async def get_creditable(tx: Transaction, account_id: int, id: str) -> StoredInvoice:
    """An invoice to credit. Raises: NotFound; Invalid for a credit note and for a fee."""
    invoice = await invoices.get_invoice(tx, account_id, id)
    if invoice.kind is not DocumentKind.INVOICE:
        text = _("{number} is no invoice. Only an invoice can be credited.")
        if invoice.kind is DocumentKind.FEE:
            text = _("{number} is a fee. To take it back, waive it on its page.")
        raise Invalid(text.format(number=invoice.document.number), code="not_an_invoice")
    return invoice


def all_credited(invoice: StoredInvoice) -> Invalid:
    """The error of an invoice of which nothing is left to credit."""
    return Invalid(
        _("Invoice {number} is credited completely.").format(number=invoice.document.number),
        code="credited",
    )
