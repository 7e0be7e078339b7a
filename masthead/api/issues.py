"""The endpoints of `/v1/issues/`, with the copies and the addresses of an issue."""

from msgspec import structs

from masthead.api.context import RequestContext, page_request
from masthead.api.endpoints import Endpoints
from masthead.model.dispatch.line_resources import IssueAddress
from masthead.model.dispatch.run_inputs import IssueAddressQuery
from masthead.model.identity.rights import Right
from masthead.model.inputs import IssueCreate, IssueUpdate, Query
from masthead.model.pagination import Page
from masthead.model.queries import CopyQuery, IssueCopyQuery, IssueQuery
from masthead.model.resources import Copy, Issue
from masthead.services.issues import records as service
from masthead.store import copies
from masthead.store.dispatch import api_lines
from masthead.store.issues import records as store


async def list_issues(context: RequestContext[IssueQuery, None]) -> Page[Issue]:
    """Issues that match the filter, highest number first."""
    return await store.list_issues(
        context.db.replica, context.account_id, page_request(context), context.query
    )


async def create_issue(context: RequestContext[Query, IssueCreate]) -> Issue:
    """Create an issue and the copies of the subscriptions that include it."""
    return await service.create_issue(
        context.db, context.account_id, context.body, by=context.principal.actor
    )


async def get_issue(context: RequestContext[Query, None]) -> Issue:
    """One issue. Raises: NotFound."""
    return await store.get_issue(context.db, context.account_id, context.id)


async def update_issue(context: RequestContext[Query, IssueUpdate]) -> Issue:
    """Update name, dates or EAN. Raises: NotFound."""
    return await service.update_issue(
        context.db, context.account_id, context.id, context.body, by=context.principal.actor
    )


async def list_issue_copies(context: RequestContext[IssueCopyQuery, None]) -> bytes:
    """Copies of an issue, newest first; a page as JSON. Raises: NotFound."""
    query = CopyQuery(**structs.asdict(context.query), issue=context.id)
    page = page_request(context)
    found = await copies.list_copies_json(context.db.replica, context.account_id, query, page)
    if not found.keys:  # no copy matches the filters, or the issue does not exist
        await store.get_issue(context.db, context.account_id, context.id)
    return found.page(page)


async def list_issue_addresses(
    context: RequestContext[IssueAddressQuery, None],
) -> Page[IssueAddress]:
    """Addresses of the printed copies that no run holds, newest first. Raises: NotFound."""
    async with context.db.replica.read(aside=True) as db:
        return await api_lines.list_issue_addresses(
            db, context.account_id, context.id, context.query, page_request(context)
        )


_ISSUES = Endpoints("/v1/issues/", rights=())

ISSUE_ROUTES = (
    _ISSUES.get("", list_issues),
    _ISSUES.post("", create_issue, Right.CORRECT, status=201, is_long=True),
    _ISSUES.get("{id}/", get_issue),
    _ISSUES.patch("{id}/", update_issue, Right.CORRECT, is_long=True),
    _ISSUES.get("{id}/copies/", list_issue_copies, Right.DOWNLOAD, response=Page[Copy]),
    _ISSUES.get("{id}/addresses/", list_issue_addresses, Right.DOWNLOAD),
)
