"""The routes of the pages of sandboxes."""

from masthead.model.identity.rights import Right
from masthead.web.kit.router import PageAccess, PageRoute
from masthead.web.sandboxes import outbox, pages

_SANDBOX = "/desk/{subdomain}/settings/sandbox"

SANDBOX_PAGES: tuple[PageRoute, ...] = (
    PageRoute(f"{_SANDBOX}/", pages.edit_sandbox, PageAccess.OWNER, "GET POST", rights=()),
    PageRoute(f"{_SANDBOX}/reset/", pages.reset, PageAccess.OWNER, "GET POST", rights=()),
    PageRoute(f"{_SANDBOX}/delete/", pages.delete_sandbox, PageAccess.OWNER, "GET POST", rights=()),
    PageRoute(
        "/desk/{subdomain}/outbox/",
        outbox.list_emails,
        PageAccess.MEMBER,
        rights=(Right.SEE_MONEY,),
    ),
    PageRoute(
        "/desk/{subdomain}/outbox/{id}/",
        outbox.show_email,
        PageAccess.MEMBER,
        rights=(Right.SEE_MONEY,),
    ),
)
