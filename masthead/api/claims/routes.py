"""The routes of the API for claims, and for why a subscriber did not get an issue."""

from masthead.api.authentication import Access
from masthead.api.claims import handlers as claims
from masthead.api.route import Route
from masthead.model.claims.inputs import ClaimCreate, ClaimQuery, WhyQuery
from masthead.model.claims.rules import Claim, CreatedClaim
from masthead.model.dispatch.run_inputs import NoFields
from masthead.model.identity.rights import Right
from masthead.model.pagination import Page
from masthead.model.timeline.answers import IssueAnswer

CLAIM_ROUTES = (
    Route(
        method="GET",
        path="/v1/claims/",
        handler=claims.list_claims,
        summary="List claims, newest first",
        rights=(Right.DOWNLOAD,),
        query=ClaimQuery,
        response=Page[Claim],
    ),
    Route(
        method="POST",
        path="/v1/claims/",
        handler=claims.create_claim,
        summary="Record that a subscriber did not get a copy",
        rights=(Right.CORRECT,),
        access=Access.WRITE,
        body=ClaimCreate,
        response=CreatedClaim,
        status=201,
    ),
    Route(
        method="GET",
        path="/v1/claims/{id}/",
        handler=claims.get_claim,
        summary="Retrieve a claim",
        rights=(Right.DOWNLOAD,),
        response=Claim,
    ),
    Route(
        method="POST",
        path="/v1/claims/{id}/close/",
        handler=claims.close_claim,
        summary="Withdraw a claim",
        rights=(Right.CORRECT,),
        access=Access.WRITE,
        body=NoFields,
        requires_body=False,
        response=Claim,
    ),
)
WHY_ROUTE = Route(
    method="GET",
    path="/v1/issues/{id}/why/",
    handler=claims.explain_issue,
    summary="Tell whether a subscriber got an issue, and why not",
    rights=(Right.DOWNLOAD,),
    query=WhyQuery,
    response=IssueAnswer,
)
