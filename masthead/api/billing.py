"""The endpoints of `/v1/invoices/` and `/v1/payments/`."""

from masthead.api.context import RequestContext, page_request
from masthead.api.endpoints import Endpoints
from masthead.model.billing.inputs import (
    CreditCreate,
    InvoiceFilters,
    PaymentCreate,
    PaymentFilters,
)
from masthead.model.billing.resources import InvoiceResource, PaymentResource
from masthead.model.identity.rights import Right
from masthead.model.inputs import NoFields, Query
from masthead.model.pagination import Page
from masthead.services.billing import credit_orders, payments, undo
from masthead.store.billing import resource_lists as lists, resources
from masthead.store.engine.interface import Database


async def list_invoices(context: RequestContext[InvoiceFilters, None]) -> Page[InvoiceResource]:
    """Invoices and credit notes that match the filters, newest first."""
    async with context.db.replica.read(aside=True) as db:
        return await lists.list_invoices(
            db, context.account_id, context.query, page_request(context)
        )


async def get_invoice(context: RequestContext[Query, None]) -> InvoiceResource:
    """One invoice or credit note. Raises: NotFound."""
    return await _invoice(context.db, context.account_id, context.id)


async def credit_invoice(context: RequestContext[Query, CreditCreate]) -> InvoiceResource:
    """Issue a credit note for an invoice. Raises: NotFound, Invalid."""
    id = await credit_orders.create_credit(
        context.db, context.account_id, context.id, context.body, by=context.principal.actor
    )
    return await _invoice(context.db, context.account_id, id)


async def list_payments(context: RequestContext[PaymentFilters, None]) -> Page[PaymentResource]:
    """Payments that match the filters, newest first."""
    async with context.db.replica.read(aside=True) as db:
        return await lists.list_payments(
            db, context.account_id, context.query, page_request(context)
        )


async def get_payment(context: RequestContext[Query, None]) -> PaymentResource:
    """One payment. Raises: NotFound."""
    return await _payment(context.db, context.account_id, context.id)


async def create_payment(context: RequestContext[Query, PaymentCreate]) -> PaymentResource:
    """Record a payment. Raises: Erased, Invalid."""
    id = await payments.create_payment(
        context.db, context.account_id, context.body, by=context.principal.actor
    )
    return await _payment(context.db, context.account_id, id)


async def undo_payment(context: RequestContext[Query, NoFields]) -> PaymentResource:
    """Undo a payment. Raises: NotFound, Invalid."""
    await undo.undo_payment(context.db, context.account_id, context.id, by=context.principal.actor)
    return await _payment(context.db, context.account_id, context.id)


async def _invoice(db: Database, account_id: int, id: str) -> InvoiceResource:
    async with db.read() as connection:
        return await resources.get_invoice(connection, account_id, id)


async def _payment(db: Database, account_id: int, id: str) -> PaymentResource:
    async with db.read() as connection:
        return await resources.get_payment(connection, account_id, id)


_INVOICES = Endpoints("/v1/invoices/", rights=(Right.SEE_MONEY,))
_PAYMENTS = Endpoints("/v1/payments/", rights=(Right.SEE_MONEY,))

BILLING_ROUTES = (
    _INVOICES.get("", list_invoices, Right.DOWNLOAD),
    _INVOICES.get("{id}/", get_invoice, Right.DOWNLOAD, is_composed=True),
    _INVOICES.post("{id}/credit/", credit_invoice, Right.BILL, status=201),
    _PAYMENTS.get("", list_payments, Right.DOWNLOAD),
    _PAYMENTS.post("", create_payment, Right.BILL, status=201),
    _PAYMENTS.get("{id}/", get_payment, Right.DOWNLOAD, is_composed=True),
    _PAYMENTS.post("{id}/undo/", undo_payment, Right.BILL),
)
