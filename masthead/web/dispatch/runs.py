"""The list of dispatch runs, and what is left to send."""

from starlette.responses import Response

from masthead.model.inputs import ListQuery
from masthead.store.dispatch import groups
from masthead.store.issues import records as issues
from masthead.web.kit.context import PageContext
from masthead.web.kit.due import find_left_to_send, find_waiting
from masthead.web.kit.filters import decode_filters


async def list_runs(context: PageContext) -> Response:
    """All mailings, newest first, after what is due. Raises: Invalid."""
    _query, request = decode_filters(context, ListQuery)
    today, is_first = context.membership.daily_date, request.after is None
    async with context.db.replica.read(aside=True) as db:
        page = await groups.list_mailings(db, context.account_id, request)
        current = await issues.find_current(db, context.account_id, today)
        left = await find_left_to_send(context, db, current) if is_first else None
        waiting = await find_waiting(db, context.account_id) if is_first else None
    return context.render(
        "dispatch/runs.html",
        page=page,
        tasks=left.tasks if left else (),
        unsent=left.unsent if left else (),
        groups=left.groups if left else (),
        together=left.together if left else 0,
        waiting=waiting,
        is_first=is_first,
    )
