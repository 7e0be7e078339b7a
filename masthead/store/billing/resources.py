"""Invoices and payments in the shape of the API."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from masthead.model.billing.resources import (
    InvoiceResource,
    PaymentResource,
    SettledInvoice,
    invoice_resource,
)
from masthead.model.types.money import money_text
from masthead.store.billing import invoices, payments
from masthead.store.billing.invoices import StoredInvoice
from masthead.store.billing.payments import StoredPayment
from masthead.store.engine.interface import Connection
from masthead.store.moments import get_daily_date


async def show_invoices(
    db: Connection, account_id: int, found: Sequence[StoredInvoice]
) -> list[InvoiceResource]:
    """Invoices as the API shows them, in the same order. Queries: one."""
    if not found:
        return []
    today = await get_daily_date(db, account_id)
    return [
        invoice_resource(
            each.id,
            each.document,
            payer_id=each.payer_id,
            open_amount=each.open_amount,
            created_at=each.created_at,
            today=today,
        )
        for each in found
    ]


async def show_payments(
    db: Connection, account_id: int, found: Sequence[StoredPayment]
) -> list[PaymentResource]:
    """Payments as the API shows them, in the same order. Queries: two at most."""
    if not found:
        return []
    parts = defaultdict[str, dict[str, int]](lambda: defaultdict(int))
    for each in await payments.list_settled_by(db, account_id, [one.id for one in found]):
        settled = each.invoice_id or each.credit_note_id
        owner = each.payback_id or each.payment_id
        if settled is not None and owner is not None:
            parts[owner][settled] += each.amount
    ids = {id for settled in parts.values() for id in settled}
    numbers = await invoices.find_open(db, account_id, ids) if ids else {}
    return [
        PaymentResource(
            id=each.id,
            payer=each.payer_id,
            payment_date=each.payment_date,
            amount=money_text(each.amount, each.currency),
            currency=each.currency,
            method=each.method,
            reference=each.reference,
            unused_amount=money_text(each.unused_amount, each.currency),
            is_undone=each.undone_at is not None,
            invoices=[
                SettledInvoice(id, numbers[id].number, money_text(amount, each.currency))
                for id, amount in parts[each.id].items()
                if amount
            ],
        )
        for each in found
    ]


async def list_invoices(
    db: Connection, account_id: int, ids: Collection[str]
) -> list[InvoiceResource]:
    """Some invoices as the API shows them. Queries: two."""
    return await show_invoices(db, account_id, await invoices.list_invoices(db, account_id, ids))


async def list_payments(
    db: Connection, account_id: int, ids: Collection[str]
) -> list[PaymentResource]:
    """Some payments as the API shows them. Queries: three at most."""
    return await show_payments(db, account_id, await payments.list_payments(db, account_id, ids))


async def get_invoice(db: Connection, account_id: int, id: str) -> InvoiceResource:
    """An invoice or a credit note as the API shows it. Queries: two. Raises: NotFound."""
    found = await invoices.get_invoice(db, account_id, id)
    return (await show_invoices(db, account_id, [found]))[0]


async def get_payment(db: Connection, account_id: int, id: str) -> PaymentResource:
    """A payment as the API shows it. Queries: three at most. Raises: NotFound."""
    found = await payments.get_payment(db, account_id, id)
    return (await show_payments(db, account_id, [found]))[0]
