"""The renewal list: what ends soon and will not renew by itself."""

from collections.abc import AsyncIterator
from typing import Any

from msgspec import structs
from starlette.responses import Response

from masthead.model.inputs import ListQuery
from masthead.model.pagination import Page, PageRequest
from masthead.model.reports.renewals import Ending, Soon
from masthead.services.downloads import record_renewal_download
from masthead.store.engine.interface import Connection
from masthead.store.reports import renewals as store
from masthead.web import tables
from masthead.web.lists import addressed, decode_asked
from masthead.web.visit import Visit
from masthead.web.wording import country_named, locale_named

COLUMNS = (
    "subscription_id status last_issue period_end full_name email subscriber_id medium country"
    " country_name"
).split()


async def list_ending(visit: Visit) -> Response:
    """Subscriptions by the issue that they end with, soonest first. Raises: Invalid."""
    _, page = decode_asked(visit, ListQuery)
    async with visit.db.read(aside=True) as db:
        soon = await _find_soon(visit, db)
        found = await store.list_ending(db, visit.account_id, page, soon) if soon else None
        over = await store.count_over(db, visit.account_id, soon) if soon else 0
    return _show(visit, "desk/ending.html", found, soon=soon, over=over)


async def list_over(visit: Visit) -> Response:
    """Subscriptions that ended before, and are not Complete. Raises: Invalid."""
    _, page = decode_asked(visit, ListQuery)
    async with visit.db.read(aside=True) as db:
        soon = await _find_soon(visit, db)
        before = Soon(0, soon.first - 1) if soon else Soon(0, 0)
        found = await store.list_ending(db, visit.account_id, page, before)
    return _show(visit, "desk/ending_over.html", found)


async def list_ending_memberships(visit: Visit) -> Response:
    """Memberships by their last day, soonest first. Raises: Invalid."""
    _, page = decode_asked(visit, ListQuery)
    today = visit.membership.daily_date
    async with visit.db.read(aside=True) as db:
        found = await store.list_ending_memberships(db, visit.account_id, page, today=today)
    return _show(visit, "desk/ending_memberships.html", found)


async def download_ending(visit: Visit) -> Response:
    """All that ends soon as CSV, subscriptions before memberships."""
    name = "ending-soon.csv"
    await record_renewal_download(visit.db, visit.account_id, file=name, by=visit.actor)
    visit.log_download(name)
    return tables.csv_file(name, COLUMNS, _rows(visit))


async def _rows(visit: Visit) -> AsyncIterator[list[dict[str, object]]]:
    async with visit.db.read(aside=True) as db:
        soon = await _find_soon(visit, db)

    async def subscriptions(db: Connection, page: PageRequest) -> Page[Ending]:
        assert soon is not None
        return await store.list_ending(db, visit.account_id, page, soon)

    async def memberships(db: Connection, page: PageRequest) -> Page[Ending]:
        today = visit.membership.daily_date
        return await store.list_ending_memberships(db, visit.account_id, page, today=today)

    for look_up in (subscriptions, memberships) if soon else (memberships,):
        after: str | None = None
        while True:
            async with visit.db.read(aside=True) as db:
                request = PageRequest(limit=tables.ROWS, after=after, binding=b"")
                page = await look_up(db, request)
            yield [_row(visit, item) for item in page.items]
            if not page.has_more:
                break
            after = page.items[-1].key


def _row(visit: Visit, item: Ending) -> dict[str, object]:
    locale = locale_named(visit.membership.locale)
    return {
        **structs.asdict(item),
        "subscription_id": item.id,
        "email": addressed(item.email, visit.web.placeholder_domain),
        # of subscriptions the last issue tells when, of memberships the day
        "period_end": None if item.last_issue else item.period_end,
        "country_name": country_named(item.country, locale),
    }


async def _find_soon(visit: Visit, db: Connection) -> Soon | None:
    return await store.find_soon(db, visit.account_id, visit.membership.daily_date)


def _show(visit: Visit, template: str, page: Page[Ending] | None, **context: Any) -> Response:
    return visit.page(
        template,
        page=page,
        is_first=not visit.query.get("cursor"),
        addressed=lambda email: addressed(email, visit.web.placeholder_domain),
        **context,
    )
