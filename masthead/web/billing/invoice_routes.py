"""The routes of the pages that give out invoices."""

from masthead.model.identity.rights import Right
from masthead.web.billing import invoice_files as files
from masthead.web.billing import invoice_sending as sending
from masthead.web.kit.router import PageAccess, PageRoute

_INVOICES = "/desk/{subdomain}/money/invoices"
_SEND = f"{_INVOICES}/send"
_SEES = (Right.SEE_MONEY,)
_SENDS = (Right.SEE_MONEY, Right.BILL)

INVOICE_FILE_PAGES: tuple[PageRoute, ...] = (
    PageRoute(f"{_SEND}/", sending.send_days, PageAccess.MEMBER, rights=_SEES),
    PageRoute(f"{_SEND}/email/", sending.email_days, PageAccess.MEMBER, "POST", rights=_SENDS),
    PageRoute(f"{_SEND}/print/", sending.print_days, PageAccess.MEMBER, "POST", rights=_SEES),
    PageRoute(f"{_INVOICES}/{{id}}/pdf/", files.download_pdf, PageAccess.MEMBER, rights=_SEES),
    PageRoute(
        f"{_INVOICES}/{{id}}/factur-x/",
        files.download_facturx,
        PageAccess.MEMBER,
        rights=_SEES,
    ),
    PageRoute(
        f"{_INVOICES}/{{id}}/xrechnung/",
        files.download_xrechnung,
        PageAccess.MEMBER,
        rights=_SEES,
    ),
    PageRoute(
        f"{_INVOICES}/{{id}}/email/",
        sending.confirm_email,
        PageAccess.MEMBER,
        "GET POST",
        rights=_SENDS,
    ),
)
