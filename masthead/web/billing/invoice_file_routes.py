"""The routes of the pages that give out invoices."""

from masthead.model.identity.rights import Right
from masthead.web.billing import invoice_files as files, invoice_sending as sending
from masthead.web.kit.desk_pages import DeskPages

_SEND = DeskPages("money/invoices/send/", rights=(Right.SEE_MONEY,))
_INVOICES = DeskPages("money/invoices/", rights=(Right.SEE_MONEY,))

INVOICE_FILE_PAGES = (
    _SEND.page("", sending.send_days),
    _SEND.change("email/", sending.email_days, Right.BILL),
    _SEND.change("stop/", sending.stop_days, Right.BILL),
    _SEND.page("print/", sending.print_days),
    _SEND.change("posted/", sending.post_days, Right.BILL),
    _INVOICES.page("{id}/pdf/", files.download_pdf),
    _INVOICES.page("{id}/factur-x/", files.download_facturx),
    _INVOICES.page("{id}/xrechnung/", files.download_xrechnung),
    _INVOICES.form("{id}/email/", sending.confirm_email, Right.BILL),
    _INVOICES.button("{id}/posted/", sending.mark_as_posted, Right.BILL),
    _INVOICES.button("{id}/not-posted/", sending.unmark_as_posted, Right.BILL),
)
