"""The routes of the API for invoices and payments."""

from masthead.api.authentication import Access
from masthead.api.billing import handlers
from masthead.api.route import Route
from masthead.model.billing.inputs import (
    CreditCreate,
    InvoiceFilters,
    PaymentCreate,
    PaymentFilters,
)
from masthead.model.billing.resources import InvoiceResource, PaymentResource
from masthead.model.dispatch.run_inputs import NoFields
from masthead.model.identity.rights import Right
from masthead.model.pagination import Page

_READ = (Right.SEE_MONEY, Right.DOWNLOAD)
_WRITE = (Right.SEE_MONEY, Right.BILL)

BILLING_ROUTES = (
    Route(
        method="GET",
        path="/v1/invoices/",
        handler=handlers.list_invoices,
        summary="List invoices and credit notes, newest first",
        rights=_READ,
        query=InvoiceFilters,
        response=Page[InvoiceResource],
    ),
    Route(
        method="GET",
        path="/v1/invoices/{id}/",
        handler=handlers.get_invoice,
        summary="Retrieve an invoice or a credit note",
        rights=_READ,
        response=InvoiceResource,
        is_composed=True,
    ),
    Route(
        method="POST",
        path="/v1/invoices/{id}/credit/",
        handler=handlers.credit_invoice,
        summary="Issue a credit note for an invoice",
        rights=_WRITE,
        access=Access.WRITE,
        body=CreditCreate,
        response=InvoiceResource,
        status=201,
    ),
    Route(
        method="GET",
        path="/v1/payments/",
        handler=handlers.list_payments,
        summary="List payments, newest first",
        rights=_READ,
        query=PaymentFilters,
        response=Page[PaymentResource],
    ),
    Route(
        method="POST",
        path="/v1/payments/",
        handler=handlers.create_payment,
        summary="Record a payment",
        rights=_WRITE,
        access=Access.WRITE,
        body=PaymentCreate,
        response=PaymentResource,
        status=201,
    ),
    Route(
        method="GET",
        path="/v1/payments/{id}/",
        handler=handlers.get_payment,
        summary="Retrieve a payment",
        rights=_READ,
        response=PaymentResource,
        is_composed=True,
    ),
    Route(
        method="POST",
        path="/v1/payments/{id}/undo/",
        handler=handlers.undo_payment,
        summary="Undo a payment that was recorded by mistake",
        rights=_WRITE,
        access=Access.WRITE,
        body=NoFields,
        requires_body=False,
        response=PaymentResource,
    ),
)
