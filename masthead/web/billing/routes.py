"""The routes of the pages of invoices and payments: who sees money sees them, `bill` changes."""

from masthead.model.identity.rights import Right
from masthead.web.billing import (
    account,
    invoice_actions,
    invoices,
    open_items,
    pay_back,
    payment_create,
    payments,
)
from masthead.web.kit.desk_pages import DeskPages

_MONEY = DeskPages("money/", rights=(Right.SEE_MONEY,))
_ACCOUNT = DeskPages("subscribers/{id}/account/", rights=(Right.SEE_MONEY,))

BILLING_PAGES = (
    _MONEY.page("invoices/", invoices.list_invoices),
    _MONEY.page("invoices/{id}/", invoices.show_invoice),
    _MONEY.form("invoices/{id}/credit/", invoice_actions.credit, Right.BILL),
    _MONEY.form("invoices/{id}/replace/", invoice_actions.replace, Right.BILL),
    _MONEY.form("invoices/{id}/use-credit/", invoice_actions.use_credit, Right.BILL),
    _MONEY.form("invoices/{id}/write-off/", invoice_actions.write_off, Right.BILL),
    _MONEY.page("payments/", payments.list_payments),
    _MONEY.form("payments/new/", payment_create.record, Right.BILL),
    _MONEY.page("payments/{id}/", payments.show_payment),
    _MONEY.confirmation("payments/{id}/undo/", payments.undo, Right.BILL),
    _MONEY.page("open/", open_items.show_open),
    *_MONEY.files("open/", open_items.download_open),
    *_MONEY.files("open/documents/", open_items.download_entries),
    _MONEY.button("open/issue/", open_items.issue, Right.BILL),
    _ACCOUNT.page("", account.show_account),
    *_ACCOUNT.files("", account.download_account),
    _ACCOUNT.button("issue/", account.issue, Right.BILL),
    _ACCOUNT.form("edit/", account.edit_payer, Right.BILL),
    _ACCOUNT.form("pay-back/", pay_back.pay_back, Right.BILL),
)
