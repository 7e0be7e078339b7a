"""The file of what ends soon, memberships that end soon, and what ended but is not Complete."""

from collections.abc import AsyncIterator
from typing import Any

from msgspec import structs
from starlette.responses import Response

from masthead.model.file_names import file_name
from masthead.model.inputs import ListQuery
from masthead.model.pagination import Page, PageRequest, all_pages
from masthead.model.renewals.ending import Ending, EndingRange
from masthead.model.translations import gettext as _
from masthead.services.download_records import record_renewal_download
from masthead.store.engine.interface import Connection
from masthead.store.renewals import ending as store
from masthead.web.kit.context import PageContext
from masthead.web.kit.csv_export import ROWS
from masthead.web.kit.filters import decode_filters
from masthead.web.kit.formatting import country_cells, get_locale
from masthead.web.kit.shown_pages import show_page
from masthead.web.kit.table_file import asked_ending, table_file
from masthead.web.renewals.lists import Tabs, count_tabs

MAX_COUNTED = 10_000  # memberships; a longer list is not counted to its end
COLUMNS = (
    "subscription_id status last_issue period_end full_name email subscriber_id medium country"
    " country_name"
).split()


async def list_ended(context: PageContext) -> Response:
    """Subscriptions that have ended but are not Complete. Raises: Invalid."""
    _query, request = decode_filters(context, ListQuery, is_reversible=True)
    async with context.db.read(aside=True) as db:
        soon = await _find_soon(context, db)
        tabs = await count_tabs(context, db, soon)
        page = await store.list_ended(db, context.account_id, request, soon or EndingRange(0, 0))
    return _render(context, "renewals/over.html", request, page, tabs.incomplete, tabs)


async def list_ending_memberships(context: PageContext) -> Response:
    """Memberships that end soon, ordered by their last day. Raises: Invalid."""
    _query, request = decode_filters(context, ListQuery, is_reversible=True)
    id, today = context.account_id, context.membership.daily_date
    async with context.db.read(aside=True) as db:
        tabs = await count_tabs(context, db, await _find_soon(context, db))
        page = await store.list_ending_memberships(db, id, request, today=today)
        most = MAX_COUNTED + 1
        count = await store.count_ending_memberships(db, id, today=today, most=most)
    total = count if count < most else None
    return _render(context, "renewals/memberships.html", request, page, total, tabs)


async def download_ending(context: PageContext) -> Response:
    """A file of subscriptions, then memberships, that end soon."""
    name = file_name("ending-soon.{ending}", ending=asked_ending(context))
    await record_renewal_download(context.db, context.account_id, file=name, by=context.actor)
    rows, title = _read_rows(context), _("Subscriptions")
    return await table_file(context, name, COLUMNS, rows, title=title, is_recorded=True)


async def _read_rows(context: PageContext) -> AsyncIterator[list[dict[str, object]]]:
    async with context.db.read(aside=True) as db:
        soon = await _find_soon(context, db)

    async def subscriptions(request: PageRequest) -> Page[Ending]:
        assert soon is not None
        async with context.db.read(aside=True) as db:
            return await store.list_ending(db, context.account_id, request, soon)

    async def memberships(request: PageRequest) -> Page[Ending]:
        today = context.membership.daily_date
        async with context.db.read(aside=True) as db:
            return await store.list_ending_memberships(db, context.account_id, request, today=today)

    for list_page in (subscriptions, memberships) if soon else (memberships,):
        async for page in all_pages(list_page, limit=ROWS):
            yield [ending_row(context, item) for item in page]


def ending_row(context: PageContext, item: Ending) -> dict[str, Any]:
    """A subscription that ends, as a row of a file."""
    return {
        **structs.asdict(item),
        "full_name": item.full_name,
        "subscription_id": item.id,
        "status": _(item.status),
        "medium": _(item.medium),
        "email": context.real_email(item.email),
        # A subscription ends with its last issue, a membership on its last day
        "period_end": None if item.last_issue else item.period_end,
        **country_cells(item.country, get_locale(context.locale)),
    }


async def _find_soon(context: PageContext, db: Connection) -> EndingRange | None:
    return await store.find_soon(db, context.account_id, context.membership.daily_date)


def _render(
    context: PageContext,
    template: str,
    request: PageRequest,
    page: Page[Ending],
    total: int | None,
    tabs: Tabs,
) -> Response:
    """total: how many rows the list has; None if they are not all counted."""
    return context.render(
        template,
        tabs=tabs,
        page=show_page(context, request, page, key=lambda each: each.key),
        total=total,
        is_first=request.after is None,
    )
