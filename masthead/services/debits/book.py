"""Record what the bank has credited of collections."""

from collections.abc import Sequence
from datetime import date

from masthead.model.actors import Actor
from masthead.model.debits.rules import Debit, DebitStatus
from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.translations import format_day, gettext as _
from masthead.model.types.enums import PaymentMethod
from masthead.services.billing.payments import ReceivedPayment, record_payment
from masthead.services.transactions import in_long_transaction
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.billing import invoices
from masthead.store.debits import collections as store, records as debit_store
from masthead.store.engine.interface import Transaction


@in_long_transaction
async def book_collection(tx: Transaction, account_id: int, id: str, *, by: Actor) -> int:
    """Record that the bank has credited a collection on its day; returns how many debits.

    For those who import no bank statements. Raises: NotFound, Invalid.
    """
    account = await accounts.lock_account(tx, account_id)
    collection = await store.get_collection(tx, account_id, id)
    if collection.collect_date > account.daily_date:
        raise Invalid(
            _("The bank collects on {day}. Record it on that day.").format(
                day=format_day(collection.collect_date)
            ),
            code="too_early",
        )
    debits = await debit_store.list_of_collection(tx, account_id, id)
    made = await book(tx, account, debits, day=collection.collect_date, by=by)
    if not made:
        raise Invalid(
            _("All of this collection is booked already. Nothing was changed."),
            code=CHANGED_MEANWHILE,
        )
    return len(made)


async def book(
    tx: Transaction,
    account: Account,
    debits: Sequence[Debit],
    *,
    day: date,
    line_id: str | None = None,
    by: Actor,
) -> list[str]:
    """Record the payments of debits that are collected; returns their ids.

    What an invoice was paid otherwise in the meantime stays as credit of the payer. line_id: of the
    bank line. The account is locked. Raises: Invalid.
    """
    debits = [each for each in debits if each.status is DebitStatus.COLLECTED]
    found = await invoices.list_invoices(tx, account.id, {each.invoice_id for each in debits})
    by_id = {each.id: each for each in found}
    made = []
    for each in debits:
        assert each.amount is not None
        invoice = by_id[each.invoice_id]
        part = min(each.amount, max(0, invoice.open_amount))
        payment = ReceivedPayment(
            payer_id=invoice.payer_id,
            payment_date=day,
            amount=each.amount,
            currency=invoice.document.currency,
            method=PaymentMethod.DIRECT_DEBIT,
            reference=each.id,
            settled={each.invoice_id: part} if part else {},
        )
        id = (await record_payment(tx, account, payment, may_be_erased=True, by=by)).id
        await debit_store.update_paid(tx, account.id, each.id, payment_id=id, line_id=line_id)
        made.append(id)
    return made
