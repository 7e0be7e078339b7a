"""The routes of the pages of direct debits: they need the rights to see money, and to bill."""

from masthead.model.identity.rights import Right
from masthead.services.pictures import MAX_UPLOAD
from masthead.web.debits import collection, invoice, mandates, notices, pages
from masthead.web.kit.desk_pages import DeskPages

_DEBITS = DeskPages("money/debits/", rights=(Right.SEE_MONEY, Right.BILL))
_INVOICE = DeskPages("money/invoices/{id}/debit/", rights=(Right.SEE_MONEY, Right.BILL))
_MANDATES = DeskPages("subscribers/{id}/account/mandates/", rights=(Right.SEE_MONEY, Right.BILL))

DEBIT_PAGES = (
    _DEBITS.form("", pages.show_debits),
    _DEBITS.page("letters/", notices.download_all),
    _DEBITS.page("{id}/", collection.show_collection),
    _DEBITS.page("{id}/file/", collection.download),
    _DEBITS.button("{id}/send/", collection.mark_sent),
    _DEBITS.button("{id}/book/", collection.book),
    _DEBITS.confirmation("{id}/cancel/", collection.cancel),
    _INVOICE.form("", invoice.mark),
    _INVOICE.page("letter/", notices.download_one),
    _INVOICE.button("stop/", invoice.stop),
    _MANDATES.form("new/", mandates.add, max_file=MAX_UPLOAD),
    _MANDATES.form("{mandate}/", mandates.show_mandate, max_file=MAX_UPLOAD),
    _MANDATES.page("{mandate}/file/", mandates.download),
    _MANDATES.form("{mandate}/revoke/", mandates.revoke),
)
