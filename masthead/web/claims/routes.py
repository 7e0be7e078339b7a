"""The routes of the pages of claims."""

from masthead.model.identity.rights import Right
from masthead.web.claims import create as claim_create, find_copies, pages as claims, why
from masthead.web.kit.desk_pages import DeskPages

_ISSUES = DeskPages("issues/", rights=())
_CLAIMS = DeskPages("claims/", rights=())

CLAIM_PAGES = (
    _ISSUES.page("{id}/why/", why.show_why),
    _ISSUES.button("{id}/replacements/", claims.send_replacements, Right.DISPATCH),
    _CLAIMS.page("", claims.list_claims),
    _CLAIMS.page("copies/", find_copies.find_claimed_copies),
    _CLAIMS.form("new/", claim_create.record_claim),
    *_CLAIMS.files("", claims.download_counts),
    _CLAIMS.button("{id}/close/", claims.close_claim),
)
