"""The routes of the API for invoices and payments."""

from masthead.api.billing import handlers
from masthead.api.endpoints import Endpoints
from masthead.model.identity.rights import Right

_INVOICES = Endpoints("/v1/invoices/", rights=(Right.SEE_MONEY,))
_PAYMENTS = Endpoints("/v1/payments/", rights=(Right.SEE_MONEY,))

BILLING_ROUTES = (
    _INVOICES.get("", handlers.list_invoices, Right.DOWNLOAD),
    _INVOICES.get("{id}/", handlers.get_invoice, Right.DOWNLOAD, is_composed=True),
    _INVOICES.post("{id}/credit/", handlers.credit_invoice, Right.BILL, status=201),
    _PAYMENTS.get("", handlers.list_payments, Right.DOWNLOAD),
    _PAYMENTS.post("", handlers.create_payment, Right.BILL, status=201),
    _PAYMENTS.get("{id}/", handlers.get_payment, Right.DOWNLOAD, is_composed=True),
    _PAYMENTS.post("{id}/undo/", handlers.undo_payment, Right.BILL),
)
