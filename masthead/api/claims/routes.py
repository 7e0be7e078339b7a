"""The routes of the API for claims, and for why a subscriber did not get an issue."""

from masthead.api.claims import handlers as claims
from masthead.api.endpoints import Endpoints
from masthead.model.identity.rights import Right

_ISSUES = Endpoints("/v1/issues/", rights=(Right.DOWNLOAD,))
_CLAIMS = Endpoints("/v1/claims/", rights=())

CLAIM_ROUTES = (
    _CLAIMS.get("", claims.list_claims, Right.DOWNLOAD),
    _CLAIMS.post("", claims.create_claim, Right.CORRECT, status=201),
    _CLAIMS.get("{id}/", claims.get_claim, Right.DOWNLOAD),
    _CLAIMS.post("{id}/close/", claims.close_claim, Right.CORRECT),
)
WHY_ROUTE = _ISSUES.get("{id}/why/", claims.explain_issue)
