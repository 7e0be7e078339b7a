"""The list of dispatch runs, and what is left to send."""

from starlette.responses import Response

from masthead.model.inputs import ListQuery
from masthead.store.dispatch import runs
from masthead.store.issues import records as issues
from masthead.web.kit.context import PageContext
from masthead.web.kit.due import list_due, list_unsent
from masthead.web.kit.filters import decode_filters


async def list_runs(context: PageContext) -> Response:
    """All runs, newest first, after what is due. Raises: Invalid."""
    _query, request = decode_filters(context, ListQuery)
    today, is_first = context.membership.daily_date, request.after is None
    async with context.db.replica.read(aside=True) as db:
        page = await runs.list_dispatches(db, context.account_id, request)
        current = await issues.find_current(db, context.account_id, today)
        tasks = await list_due(db, context.account_id, current) if is_first else []
        unsent = (
            await list_unsent(db, context.account_id, tasks, current, today) if is_first else []
        )
    return context.render(
        "dispatch/runs.html", page=page, tasks=tasks, unsent=unsent, is_first=is_first
    )
