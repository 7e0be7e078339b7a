"""The endpoints of `/v1/dispatches/`."""

from masthead.api.context import B, RequestContext, page_request
from masthead.api.endpoints import Endpoints
from masthead.api.http.errors import not_found_message
from masthead.model.dispatch.line_resources import DispatchRunLine
from masthead.model.dispatch.run_inputs import (
    DispatchCreate,
    DispatchLineQuery,
    DispatchQuery,
    selection_of,
)
from masthead.model.dispatch.run_resources import DispatchRun, DispatchRunDetail
from masthead.model.errors import Invalid, NotFound
from masthead.model.identity.rights import Right
from masthead.model.inputs import MarkSentDate, NoFields, Query
from masthead.model.pagination import Page
from masthead.services.dispatch import runs as service
from masthead.store.dispatch import api_lines, run_resources as store


async def list_dispatches(context: RequestContext[DispatchQuery, None]) -> Page[DispatchRun]:
    """Runs that match the filters, newest first."""
    return await store.list_runs(
        context.db.replica, context.account_id, context.query, page_request(context)
    )


async def create_dispatch(context: RequestContext[Query, DispatchCreate]) -> DispatchRunDetail:
    """Freeze a run. Raises: Invalid `nothing_to_send`, `unknown_issue`, `invalid_source`."""
    body = context.body
    selection = selection_of(
        body.countries or (),
        body.media or (),
        body.sources or (),
        only_replacements=body.only_replacements or False,
    )
    await service.require_sources(context.db, context.account_id, selection)
    try:
        run = await service.freeze_dispatch(
            context.db, context.account_id, body.issue, selection, by=context.principal.actor
        )
    except NotFound as missing:
        raise Invalid(not_found_message(missing), code="unknown_issue", field="issue") from None
    return await _read_run(context, run.id)


async def get_dispatch(context: RequestContext[Query, None]) -> DispatchRunDetail:
    """One run, with counts of its lines. Raises: NotFound."""
    return await _read_run(context, context.id)


async def list_dispatch_lines(
    context: RequestContext[DispatchLineQuery, None],
) -> Page[DispatchRunLine]:
    """Lines of a run that match the filters, in the order of its files. Raises: NotFound."""
    async with context.db.replica.read(aside=True) as db:
        return await api_lines.list_run_lines(
            db, context.account_id, context.id, context.query, page_request(context)
        )


async def mark_dispatch_sent(context: RequestContext[Query, MarkSentDate]) -> DispatchRunDetail:
    """Mark the copies of a run as sent. Raises: NotFound, Invalid `already_marked`."""
    await service.mark_dispatch(
        context.db,
        context.account_id,
        context.id,
        context.body.date or None,
        by=context.principal.actor,
    )
    return await _read_run(context, context.id)


async def undo_dispatch(context: RequestContext[Query, NoFields]) -> DispatchRunDetail:
    """Take back the marking of a run. Raises: NotFound, Invalid `not_marked`, `undo_expired`."""
    await service.undo_dispatch(
        context.db, context.account_id, context.id, by=context.principal.actor
    )
    return await _read_run(context, context.id)


async def discard_dispatch(context: RequestContext[Query, NoFields]) -> DispatchRunDetail:
    """Discard a frozen run. Raises: NotFound, Invalid `already_marked`, `already_discarded`."""
    await service.discard_dispatch(
        context.db, context.account_id, context.id, by=context.principal.actor
    )
    return await _read_run(context, context.id)


async def _read_run(context: RequestContext[Query, B], id: str) -> DispatchRunDetail:
    async with context.db.read(aside=True) as db:
        return await store.get_run(db, context.account_id, id)


_DISPATCHES = Endpoints("/v1/dispatches/", rights=(Right.DISPATCH,))

DISPATCH_ROUTES = (
    _DISPATCHES.get("", list_dispatches),
    _DISPATCHES.post("", create_dispatch, status=201, is_long=True),
    _DISPATCHES.get("{id}/", get_dispatch, is_composed=True),
    _DISPATCHES.get("{id}/lines/", list_dispatch_lines),
    _DISPATCHES.post("{id}/mark-sent/", mark_dispatch_sent, is_long=True, requires_body=False),
    _DISPATCHES.post("{id}/undo/", undo_dispatch, is_long=True),
    _DISPATCHES.post("{id}/discard/", discard_dispatch, is_long=True),
)
