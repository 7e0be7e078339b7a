"""Issues, as the API shows and takes them, and their copies."""

from msgspec import structs

from masthead.api.context import Call, page_request
from masthead.model.inputs import (
    CopyQuery,
    IssueCopyQuery,
    IssueCreate,
    IssueUpdate,
    ListQuery,
    Query,
)
from masthead.model.pagination import Page
from masthead.model.resources import Copy, Issue
from masthead.services import issues as service
from masthead.store import copies
from masthead.store import issues as store


async def list_issues(call: Call[ListQuery, None]) -> Page[Issue]:
    """Issues, highest number first."""
    return await store.list_issues(call.db, call.account_id, page_request(call))


async def create_issue(call: Call[Query, IssueCreate]) -> Issue:
    """Make an issue, with the copies it is owed."""
    return await service.create_issue(call.db, call.account_id, call.body, by=call.principal.actor)


async def get_issue(call: Call[Query, None]) -> Issue:
    """One issue. Raises: NotFound."""
    return await store.get_issue(call.db, call.account_id, call.id)


async def update_issue(call: Call[Query, IssueUpdate]) -> Issue:
    """Change name, dates or EAN."""
    return await service.update_issue(
        call.db, call.account_id, call.id, call.body, by=call.principal.actor
    )


async def list_issue_copies(call: Call[IssueCopyQuery, None]) -> Page[Copy]:
    """Copies of an issue, newest first. Raises: NotFound."""
    query = CopyQuery(**structs.asdict(call.query), issue=call.id)
    page = await copies.list_copies(call.db, call.account_id, query, page_request(call))
    if not page.items:  # the issue has none such, or there is no such issue
        await store.get_issue(call.db, call.account_id, call.id)
    return page
