"""The renewal list: what ends soon and will not renew by itself."""

from typing import Any

from starlette.responses import Response

from masthead.model.inputs import ListQuery
from masthead.store import renewals as store
from masthead.web.lists import addressed, decode_asked
from masthead.web.visit import Visit


async def list_ending(visit: Visit) -> Response:
    """Subscriptions by the issue that they end with, soonest first. Raises: Invalid."""
    _, page = decode_asked(visit, ListQuery)
    async with visit.db.read(aside=True) as db:
        last = await store.find_last_soon(db, visit.account_id, visit.membership.daily_date)
        found = await store.list_ending(db, visit.account_id, page, last=last)
    return _show(visit, "desk/ending.html", page=found, last=last)


async def list_ending_memberships(visit: Visit) -> Response:
    """Memberships by their last day, soonest first. Raises: Invalid."""
    _, page = decode_asked(visit, ListQuery)
    today = visit.membership.daily_date
    async with visit.db.read(aside=True) as db:
        found = await store.list_ending_memberships(db, visit.account_id, page, today=today)
    return _show(visit, "desk/ending_memberships.html", page=found)


def _show(visit: Visit, template: str, **context: Any) -> Response:
    return visit.page(
        template,
        is_first=not visit.query.get("cursor"),
        addressed=lambda email: addressed(email, visit.web.placeholder_domain),
        **context,
    )
