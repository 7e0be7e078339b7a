"""The routes of the pages of direct debits: they need the rights to see money, and to bill."""

from masthead.model.identity.rights import Right
from masthead.services.pictures import MAX_UPLOAD
from masthead.web.debits import collection, debits, invoice, mandates, notices
from masthead.web.kit.router import Handler, PageAccess, PageRoute

_MONEY = "/desk/{subdomain}/money"
_DEBITS = f"{_MONEY}/debits"
_INVOICE = f"{_MONEY}/invoices/{{id}}/debit"
_MANDATES = "/desk/{subdomain}/subscribers/{id}/account/mandates"


def _page(path: str, handler: Handler, methods: str = "GET", max_file: int = 0) -> PageRoute:
    return PageRoute(
        path,
        handler,
        PageAccess.MEMBER,
        methods,
        max_file=max_file,
        rights=(Right.SEE_MONEY, Right.BILL),
    )


DEBIT_PAGES: tuple[PageRoute, ...] = (
    _page(f"{_DEBITS}/", debits.show_debits, "GET POST"),
    _page(f"{_DEBITS}/letters/", notices.download_all),
    _page(f"{_DEBITS}/{{id}}/", collection.show_collection),
    _page(f"{_DEBITS}/{{id}}/file/", collection.download),
    _page(f"{_DEBITS}/{{id}}/send/", collection.mark_sent, "POST"),
    _page(f"{_DEBITS}/{{id}}/book/", collection.book, "POST"),
    _page(f"{_DEBITS}/{{id}}/cancel/", collection.cancel, "GET POST"),
    _page(f"{_INVOICE}/", invoice.mark, "GET POST"),
    _page(f"{_INVOICE}/letter/", notices.download_one),
    _page(f"{_INVOICE}/stop/", invoice.stop, "POST"),
    _page(f"{_MANDATES}/new/", mandates.add, "GET POST", MAX_UPLOAD),
    _page(f"{_MANDATES}/{{mandate}}/", mandates.show_mandate, "GET POST", MAX_UPLOAD),
    _page(f"{_MANDATES}/{{mandate}}/file/", mandates.download),
    _page(f"{_MANDATES}/{{mandate}}/revoke/", mandates.revoke, "GET POST"),
)
