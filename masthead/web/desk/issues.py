"""Issues: a list, and a page for each with its copies."""

from msgspec import structs
from starlette.responses import Response

from masthead.model.inputs import CopyQuery, IssueCopyQuery, ListQuery
from masthead.model.types.enums import CopyStatus
from masthead.store import copies, issues, subscriptions
from masthead.store.reports import fulfilment
from masthead.web.desk.issue_forms import released_later
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters, read_filters

ISSUES = 20  # on a page, each with a count
STATUSES = (CopyStatus.NOT_SENT, CopyStatus.SENT, CopyStatus.CANCELLED)
MANY = 10_000  # copies of an issue, above which their media are not looked up one by one


async def list_issues(context: PageContext) -> Response:
    """Issues, highest number first, with the copies that wait. Raises: Invalid."""
    _, page = decode_filters(context, ListQuery)
    async with context.db.read(aside=True) as db:
        found = await issues.list_issues(
            db, context.account_id, structs.replace(page, limit=ISSUES)
        )
        numbers = [issue.number for issue in found.items]
        waiting = await fulfilment.count_unsent(db, context.account_id, numbers)
        current = await issues.find_current(db, context.account_id, context.membership.daily_date)
    return context.render(
        "desk/issues.html",
        page=found,
        waiting=waiting,
        current=current,
        is_first=not context.query.get("cursor"),
    )


async def show_issue(context: PageContext) -> Response:
    """An issue with its copies: how many, and which. Raises: NotFound, Invalid."""
    filters = read_filters(context, IssueCopyQuery)
    query, page = decode_filters(context, IssueCopyQuery)
    async with context.db.read(aside=True) as db:
        issue = await issues.get_issue(db, context.account_id, context.path["id"])
        later = await released_later(context, db, issue.number, issue.release_date_actual)
        countries = await fulfilment.count_by_country(db, context.account_id, issue.number)
        counts = await fulfilment.count_by_status(db, context.account_id, issue.number)
        is_small = sum(counts.values()) <= MANY
        media = (
            await fulfilment.count_by_medium(db, context.account_id, issue.number)
            if is_small
            else {}
        )
    found = await copies.list_copies(
        context.db, context.account_id, CopyQuery(issue=issue.id, **structs.asdict(query)), page
    )
    facts = await subscriptions.find_rows(
        context.db, context.account_id, {copy.subscription_id for copy in found.items}
    )
    return context.render(
        "desk/issue.html",
        issue=issue,
        later=later,
        countries=countries,
        counts=counts,
        media=media,
        statuses=STATUSES,
        page=found,
        facts=facts,
        filters=filters,
    )
