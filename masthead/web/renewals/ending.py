"""The file of what ends soon, memberships that end soon, and what ended but is not Complete."""

from collections.abc import AsyncIterator
from typing import Any

from msgspec import structs
from starlette.responses import Response

from masthead.model.inputs import ListQuery
from masthead.model.pagination import Page, PageRequest, all_pages
from masthead.model.renewals.ending import Ending, EndingRange
from masthead.model.translations import gettext as _
from masthead.services.downloads import record_renewal_download
from masthead.store.engine.interface import Connection
from masthead.store.renewals import ending as store
from masthead.web.kit.context import PageContext
from masthead.web.kit.csv_export import ROWS
from masthead.web.kit.filters import decode_filters, real_email
from masthead.web.kit.formatting import country_cells, get_locale
from masthead.web.kit.table_file import asked_ending, table_file

COLUMNS = (
    "subscription_id status last_issue period_end full_name email subscriber_id medium country"
    " country_name"
).split()


async def list_ended(context: PageContext) -> Response:
    """Subscriptions that have ended but are not Complete. Raises: Invalid."""
    _query, page = decode_filters(context, ListQuery)
    async with context.db.read(aside=True) as db:
        soon = await _find_soon(context, db)
        found = await store.list_ended(db, context.account_id, page, soon or EndingRange(0, 0))
    return _render(context, "renewals/over.html", found)


async def list_ending_memberships(context: PageContext) -> Response:
    """Memberships that end soon, ordered by their last day. Raises: Invalid."""
    _query, page = decode_filters(context, ListQuery)
    today = context.membership.daily_date
    async with context.db.read(aside=True) as db:
        found = await store.list_ending_memberships(db, context.account_id, page, today=today)
    return _render(context, "renewals/memberships.html", found)


async def download_ending(context: PageContext) -> Response:
    """A file of subscriptions, then memberships, that end soon."""
    name = f"ending-soon.{asked_ending(context)}"
    await record_renewal_download(context.db, context.account_id, file=name, by=context.actor)
    context.log_download(name)
    return await table_file(context, name, COLUMNS, _read_rows(context), title=_("Subscriptions"))


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
            yield [_row(context, item) for item in page]


def _row(context: PageContext, item: Ending) -> dict[str, object]:
    locale = get_locale(context.locale)
    return {
        **structs.asdict(item),
        "full_name": item.full_name,
        "subscription_id": item.id,
        "status": _(item.status),
        "medium": _(item.medium),
        "email": real_email(item.email, context.web.placeholder_domain),
        # A subscription ends with its last issue, a membership on its last day
        "period_end": None if item.last_issue else item.period_end,
        **country_cells(item.country, locale),
    }


async def _find_soon(context: PageContext, db: Connection) -> EndingRange | None:
    return await store.find_soon(db, context.account_id, context.membership.daily_date)


def _render(
    context: PageContext, template: str, page: Page[Ending] | None, **variables: Any
) -> Response:
    return context.render(
        template,
        page=page,
        is_first=not context.query.get("cursor"),
        real_email=lambda email: real_email(email, context.web.placeholder_domain),
        **variables,
    )
