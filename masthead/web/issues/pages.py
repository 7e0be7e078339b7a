"""The list of issues, and the page of an issue with its copies."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from msgspec import structs
from starlette.responses import Response

from masthead.model.inputs import ListQuery
from masthead.model.queries import CopyQuery, IssueCopyQuery
from masthead.model.resources import Copy
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.types.enums import CopyStatus
from masthead.store import copies
from masthead.store.claims.why_facts import find_returned
from masthead.store.dispatch import runs
from masthead.store.issues import covers, records as issues
from masthead.store.reports import fulfilment, totals
from masthead.store.subscriptions import records as subscriptions
from masthead.web.kit.choices import name_countries
from masthead.web.kit.context import PageContext
from masthead.web.kit.due import find_due
from masthead.web.kit.filters import decode_filters, read_filters

ISSUES_PER_PAGE = 20  # each with a count of its copies
STATUSES = (CopyStatus.NOT_SENT, CopyStatus.SENT, CopyStatus.CANCELLED)
MAX_COUNTED_BY_MEDIUM = 10_000  # copies of an issue; counting more by medium takes too long


async def list_issues(context: PageContext) -> Response:
    """Issues, highest or lowest number first, with their copies to send. Raises: Invalid."""
    _, page = decode_filters(context, ListQuery, is_sortable=True)
    async with context.db.read(aside=True) as db:
        total = await totals.count_issues(db, context.account_id)
        found = await issues.list_issues(
            db, context.account_id, structs.replace(page, limit=ISSUES_PER_PAGE)
        )
        numbers = [issue.number for issue in found.items]
        to_send = await fulfilment.count_unsent(db, context.account_id, numbers)
        pictures = await covers.list_covers(
            db, context.account_id, [issue.id for issue in found.items]
        )
        current = await issues.find_current(db, context.account_id, context.membership.daily_date)
    return context.render(
        "issues/list.html",
        page=found,
        to_send=to_send,
        covers=pictures,
        current=current,
        total=total,
        is_first=not context.query.get("cursor"),
        is_oldest_first=page.is_ascending,
    )


async def show_issue(context: PageContext) -> Response:
    """An issue, with the counts and a list of its copies. Raises: NotFound, Invalid."""
    filters = read_filters(context, IssueCopyQuery)
    query, page = decode_filters(context, IssueCopyQuery)
    account_id = context.account_id
    async with context.db.read(aside=True) as db:
        issue = await issues.get_issue(db, account_id, context.path["id"])
        later = None
        if issue.release_date_actual is not None:
            later = await issues.find_released_later(
                db, account_id, issue.number, issue.release_date_actual
            )
        countries = await fulfilment.count_by_country(db, account_id, issue.number)
        counts = await fulfilment.count_by_status(db, account_id, issue.number)
        is_small = sum(counts.values()) <= MAX_COUNTED_BY_MEDIUM
        due = await find_due(db, account_id, issue)
        cover = (await covers.list_covers(db, account_id, [issue.id])).get(issue.id)
        known = await runs.list_of_issues(db, account_id, [issue.number])
        media = await fulfilment.count_by_medium(db, account_id, issue.number) if is_small else {}
    found = await copies.list_copies(
        context.db, account_id, CopyQuery(issue=issue.id, **structs.asdict(query)), page
    )
    facts = await subscriptions.find_rows(
        context.db, account_id, {copy.subscription_id for copy in found.items}
    )
    returned = await find_returned(context.db, account_id, [copy.id for copy in found.items])
    return context.render(
        "issues/issue.html",
        issue=issue,
        cover=cover,
        later=later,
        countries=countries,
        country_choices=name_countries(countries, context.locale),
        counts=counts,
        media=media,
        due=due,
        runs=known,
        has_live_runs=any(run.is_live for run in known),
        statuses=STATUSES,
        page=found,
        rows=_join_bundles(found.items, facts),
        facts=facts,
        returned=returned,
        filters=filters,
    )


def _join_bundles(
    found: Sequence[Copy], facts: Mapping[str, StoredSubscription]
) -> list[tuple[Copy, int]]:
    """A row for each copy, or one for those of a bundle that look alike, with their number."""

    def key(copy: Copy) -> tuple[object, ...]:
        own = facts[copy.subscription_id]
        return own.bundle_id or copy.id, own.medium, copy.status, copy.date_sent, copy.country

    groups = (list(alike) for _key, alike in groupby(found, key=key))
    return [(alike[0], len(alike)) for alike in groups]
