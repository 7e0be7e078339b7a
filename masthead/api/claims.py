"""The endpoints of `/v1/claims/`, and of the question why a subscriber did not get an issue."""

from masthead.api.context import RequestContext, page_request
from masthead.api.endpoints import Endpoints
from masthead.api.http.errors import not_found_message
from masthead.model.claims.inputs import ClaimCreate, ClaimQuery, WhyQuery
from masthead.model.claims.rules import Claim, CreatedClaim
from masthead.model.errors import Invalid, NotFound
from masthead.model.identity.rights import Right
from masthead.model.inputs import NoFields, Query
from masthead.model.pagination import Page
from masthead.model.timeline.answers import IssueAnswer
from masthead.services.claims import records as service
from masthead.services.claims.why import answer_why
from masthead.store.claims import records as store


async def list_claims(context: RequestContext[ClaimQuery, None]) -> Page[Claim]:
    """Claims that match the filters, newest first."""
    async with context.db.replica.read(aside=True) as db:
        return await store.list_claims(db, context.account_id, context.query, page_request(context))


async def create_claim(context: RequestContext[Query, ClaimCreate]) -> CreatedClaim:
    """Record a claim. Raises: Invalid, also `unknown_copy`."""
    try:
        return await service.create_claim(
            context.db, context.account_id, context.body, by=context.principal.actor
        )
    except NotFound as missing:
        raise Invalid(not_found_message(missing), code="unknown_copy", field="copy") from None


async def get_claim(context: RequestContext[Query, None]) -> Claim:
    """One claim. Raises: NotFound."""
    return await store.get_claim(context.db, context.account_id, context.id)


async def close_claim(context: RequestContext[Query, NoFields]) -> Claim:
    """Withdraw a claim. Raises: NotFound, Invalid."""
    return await service.close_claim(
        context.db, context.account_id, context.id, by=context.principal.actor
    )


async def explain_issue(context: RequestContext[WhyQuery, None]) -> IssueAnswer:
    """Why a subscriber got an issue or did not. Raises: NotFound."""
    async with context.db.read(aside=True) as db:
        return await answer_why(
            db, context.account_id, context.query.subscriber, issue_id=context.id
        )


_ISSUES = Endpoints("/v1/issues/", rights=(Right.DOWNLOAD,))
_CLAIMS = Endpoints("/v1/claims/", rights=())

CLAIM_ROUTES = (
    _CLAIMS.get("", list_claims, Right.DOWNLOAD),
    _CLAIMS.post("", create_claim, Right.CORRECT, status=201),
    _CLAIMS.get("{id}/", get_claim, Right.DOWNLOAD),
    _CLAIMS.post("{id}/close/", close_claim, Right.CORRECT),
)
WHY_ROUTE = _ISSUES.get("{id}/why/", explain_issue)
