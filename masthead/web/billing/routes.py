"""The routes of the pages of invoices and payments: who sees money sees them, `bill` changes."""

from masthead.model.identity.rights import Right
from masthead.web.billing import (
    account,
    invoice_actions,
    invoices,
    open_items,
    payment_create,
    payments,
)
from masthead.web.kit.router import Handler, PageAccess, PageRoute
from masthead.web.kit.table_file import file_routes

_MONEY = "/desk/{subdomain}/money"
_ACCOUNT = "/desk/{subdomain}/subscribers/{id}/account"


def _seen(path: str, handler: Handler) -> PageRoute:
    """A page that shows money."""
    return PageRoute(path, handler, PageAccess.MEMBER, rights=(Right.SEE_MONEY,))


def _changed(path: str, handler: Handler, methods: str = "GET POST") -> PageRoute:
    """A page that changes what is owed."""
    return PageRoute(
        path, handler, PageAccess.MEMBER, methods, rights=(Right.SEE_MONEY, Right.BILL)
    )


BILLING_PAGES: tuple[PageRoute, ...] = (
    _seen(f"{_MONEY}/invoices/", invoices.list_invoices),
    _seen(f"{_MONEY}/invoices/{{id}}/", invoices.show_invoice),
    _changed(f"{_MONEY}/invoices/{{id}}/credit/", invoice_actions.credit),
    _changed(f"{_MONEY}/invoices/{{id}}/replace/", invoice_actions.replace),
    _changed(f"{_MONEY}/invoices/{{id}}/use-credit/", invoice_actions.use_credit),
    _changed(f"{_MONEY}/invoices/{{id}}/write-off/", invoice_actions.write_off),
    _seen(f"{_MONEY}/payments/", payments.list_payments),
    _changed(f"{_MONEY}/payments/new/", payment_create.record),
    _seen(f"{_MONEY}/payments/{{id}}/", payments.show_payment),
    _changed(f"{_MONEY}/payments/{{id}}/undo/", payments.undo),
    _seen(f"{_MONEY}/open/", open_items.show_open),
    *file_routes(f"{_MONEY}/open/", open_items.download_open, Right.SEE_MONEY),
    *file_routes(f"{_MONEY}/open/documents/", open_items.download_entries, Right.SEE_MONEY),
    _changed(f"{_MONEY}/open/issue/", open_items.issue, "POST"),
    _seen(f"{_ACCOUNT}/", account.show_account),
    *file_routes(f"{_ACCOUNT}/", account.download_account, Right.SEE_MONEY),
    _changed(f"{_ACCOUNT}/edit/", account.edit_payer),
    _changed(f"{_ACCOUNT}/pay-back/", account.pay_back),
)
