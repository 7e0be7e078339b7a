"""The routes of the pages that change addresses."""

from masthead.model.identity.rights import Right
from masthead.web.addresses import change
from masthead.web.kit.router import PageAccess, PageRoute

_ADDRESS = "/desk/{subdomain}/subscribers/{id}/address"

ADDRESS_PAGES: tuple[PageRoute, ...] = (
    PageRoute(
        f"{_ADDRESS}/",
        change.change_address,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.CORRECT,),
    ),
    PageRoute(
        f"{_ADDRESS}/{{group}}/cancel/",
        change.cancel_change,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.CORRECT,),
    ),
)
