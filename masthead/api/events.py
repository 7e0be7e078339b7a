"""The endpoint `/v1/events/`."""

from masthead.api.context import RequestContext
from masthead.api.endpoints import Endpoints
from masthead.model.events.cursors import CursorExpired
from masthead.model.events.inputs import EventQuery
from masthead.model.events.resources import EventPage
from masthead.model.identity.rights import Right
from masthead.model.pagination import binding_of, decode_cursor, encode_cursor
from masthead.store.events import log

NOT_OF_EVENTS = (
    "`cursor` does not belong to the events of this account. Pass the `cursor` of a previous "
    "response unchanged, or omit it to begin with the oldest event."
)


async def list_events(context: RequestContext[EventQuery, None]) -> EventPage:
    """Events that match the filters, oldest first. Raises: Invalid, CursorExpired.

    The cursor has the number of the last event that was looked at. It fits other filters too, and
    is there even if nothing follows yet.
    """
    query, account_id = context.query, context.account_id
    binding = binding_of(account_id, "/v1/events/", {})
    after = 0
    if query.cursor is not None:
        after = int(decode_cursor(binding, query.cursor, message=NOT_OF_EVENTS))
    span, found = await log.list_events(
        context.db.replica,
        account_id,
        after=after,
        fetch=query.limit + 1,
        type=query.type,
        record=query.record,
    )
    if query.cursor is not None and not span.continues(after):
        raise CursorExpired(span.oldest)
    items, has_more = found[: query.limit], len(found) > query.limit
    last = items[-1].number if has_more else span.newest
    return EventPage(items=items, has_more=has_more, cursor=encode_cursor(binding, str(last)))


_EVENTS = Endpoints("/v1/events/", rights=(Right.SEE_MONEY, Right.DOWNLOAD))

EVENT_ROUTE = _EVENTS.get("", list_events)
