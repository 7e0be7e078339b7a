"""The routes of the pages of claims."""

from masthead.model.identity.rights import Right
from masthead.web.claims import create as claim_create
from masthead.web.claims import pages as claims
from masthead.web.claims import why
from masthead.web.kit.router import PageAccess, PageRoute
from masthead.web.kit.table_file import file_routes

_ISSUES, _CLAIMS = "/desk/{subdomain}/issues", "/desk/{subdomain}/claims"

CLAIM_PAGES: tuple[PageRoute, ...] = (
    PageRoute(f"{_ISSUES}/{{id}}/why/", why.show_why, PageAccess.MEMBER, rights=()),
    PageRoute(
        f"{_ISSUES}/{{id}}/replacements/",
        claims.send_replacements,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.DISPATCH,),
    ),
    PageRoute(f"{_CLAIMS}/", claims.list_claims, PageAccess.MEMBER, rights=()),
    PageRoute(
        f"{_CLAIMS}/new/", claim_create.record_claim, PageAccess.MEMBER, "GET POST", rights=()
    ),
    *file_routes(f"{_CLAIMS}/", claims.download_counts),
    PageRoute(f"{_CLAIMS}/{{id}}/close/", claims.close_claim, PageAccess.MEMBER, "POST", rights=()),
)
