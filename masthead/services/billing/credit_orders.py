"""Credit an invoice for its orders: they are refunded, so that less of them is owed."""

from masthead.model.actors import Actor
from masthead.model.billing.credits import credited_before, left_of
from masthead.model.billing.inputs import CreditCreate
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.model.types.money import minor_units, money_in_words, share_out
from masthead.services.billing.credit import all_credited, get_creditable
from masthead.services.privacy.guard import leave_out_erased
from masthead.services.subscriptions.refunds import Refund, list_paid_orders, write_refunds
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.billing import invoices, orders
from masthead.store.engine.interface import Database, Transaction
from masthead.store.subscriptions import records as subscriptions


async def create_credit(
    db: Database, account_id: int, id: str, body: CreditCreate, *, by: Actor
) -> str:
    """Issue a credit note that a program asks for; returns its id. Raises: NotFound, Invalid."""
    amount = None
    if body.amount is not None:
        async with db.read() as connection:
            invoice = await invoices.get_invoice(connection, account_id, id)
        amount = minor_units("amount", body.amount, invoice.document.currency)
    return await credit_invoice(db, account_id, id, amount=amount, reason=body.reason, by=by)


@with_locked_account
async def credit_invoice(
    tx: Transaction, account: Account, id: str, *, amount: int | None, reason: str, by: Actor
) -> str:
    """Issue a credit note for an invoice; returns its id.

    amount: in minor units; None for all that is not credited yet. The orders share it in the ratio
    of what is left of them, and are refunded as much. Raises: NotFound, Invalid.
    """
    invoice = await get_creditable(tx, account.id, id)
    document = invoice.document
    notes = await invoices.list_credit_notes(tx, account.id, id)
    left = left_of(document, credited_before(each.document for each in notes))
    whole = sum(left.values())
    if not whole:
        raise all_credited(invoice)
    if amount is not None and amount > whole:
        raise Invalid(
            _("Of invoice {number}, {left} are not credited yet. Type at most as much.").format(
                number=document.number, left=money_in_words(whole, document.currency)
            ),
            code="more_than_left",
            field="amount",
        )
    parts = share_out(whole if amount is None else amount, list(left.values()))
    amounts = {period: part for period, part in zip(left, parts, strict=True) if part}
    ids = await orders.find_subscriptions(tx, account.id, list(amounts))
    rows = await subscriptions.find_rows(tx, account.id, ids)
    paid = await list_paid_orders(tx, account.id, ids, day=account.daily_date)
    kept = await leave_out_erased(tx, account.id, invoice.payer_id, reason)
    refund = Refund(amounts=amounts, day=account.daily_date, reason=kept, field="amount")
    every = [order for listed in paid.values() for order in listed]
    await write_refunds(tx, account, list(rows.values()), every, refund, by=by)
    return (await invoices.list_credit_notes(tx, account.id, id))[-1].id
