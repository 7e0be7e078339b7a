"""The routes of the pages that change addresses."""

from masthead.web.addresses import cancel, change
from masthead.web.kit.router import PageAccess, PageRoute

_ADDRESS = "/desk/{subdomain}/subscribers/{id}/address"

ADDRESS_PAGES: tuple[PageRoute, ...] = (
    PageRoute(f"{_ADDRESS}/", change.change_address, PageAccess.MEMBER, "GET POST"),
    PageRoute(f"{_ADDRESS}/{{group}}/cancel/", cancel.cancel_change, PageAccess.MEMBER, "POST"),
)
