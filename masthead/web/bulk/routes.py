"""The routes of the pages that confirm bulk actions."""

from masthead.model.identity.rights import Right
from masthead.web.bulk import holds, letters, pages
from masthead.web.kit.router import PageAccess, PageRoute

_CHOSEN = "/desk/{subdomain}/chosen/{list}"

BULK_PAGES: tuple[PageRoute, ...] = (
    PageRoute(f"{_CHOSEN}/note/", pages.add_note, PageAccess.MEMBER, "GET POST", rights=()),
    PageRoute(
        f"{_CHOSEN}/letter/",
        letters.send_letters,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.SEND_LETTERS,),
    ),
    PageRoute(
        f"{_CHOSEN}/hold/", holds.hold, PageAccess.MEMBER, "GET POST", rights=(Right.CORRECT,)
    ),
    PageRoute(
        f"{_CHOSEN}/release/", holds.release, PageAccess.MEMBER, "GET POST", rights=(Right.CORRECT,)
    ),
    PageRoute(f"{_CHOSEN}/download/", pages.download, PageAccess.MEMBER, rights=(Right.DOWNLOAD,)),
)
