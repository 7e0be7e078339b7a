"""Filters of lists that name a record by its id, or a moment."""

from typing import Any

from msgspec import Struct

from masthead.api.context import RequestContext
from masthead.api.http.response import Headers
from masthead.model.events.inputs import WITHOUT_EVENTS, EventQuery, without_events
from masthead.model.events.resources import EventPage
from masthead.model.ids import is_id
from masthead.model.input_fields import fields_of
from masthead.model.inputs import Query
from masthead.model.pagination import Page
from masthead.model.timeline.answers import IssueAnswer
from masthead.model.types.filters import record_of, wrong_record
from masthead.store.moments import MICROSECOND, get_last_moment
from masthead.store.record_kinds import find_kind

NEXT_UPDATED_SINCE = "Next-Updated-Since"
_NO_ITEMS = b'{"items":[]'


def has_moments(query: type[Query]) -> bool:
    """Whether a list can be asked for what changed since a moment."""
    return "updated_since" in query.__struct_fields__


def names_records(query: type[Query]) -> bool:
    """Whether a filter of a list has the id of a record."""
    if issubclass(query, EventQuery):
        return True
    return any(record_of(field.meta) for field in fields_of(query).values())


def is_empty(content: Struct | bytes) -> bool:
    """Whether a response is a list without items, or the answer that there is no subscriber."""
    if isinstance(content, bytes):
        return content.startswith(_NO_ITEMS)
    if isinstance(content, IssueAnswer):
        return content.subscriber is None
    return isinstance(content, Page | EventPage) and not content.items


async def require_right_records(context: RequestContext[Any, Any]) -> None:
    """Raises: Invalid if a filter has the id of another kind of record.

    Call it only if the list is empty, as it then is. Queries: one for each filter by id.
    """
    for name, field in fields_of(type(context.query)).items():
        id, record = getattr(context.query, name), record_of(field.meta)
        if record and id and is_id(id):
            found = await find_kind(context.db.replica, context.account_id, id)
            if found and found != record:
                raise wrong_record(name, id, record, found)
    if isinstance(context.query, EventQuery) and (id := context.query.record):
        found = await find_kind(context.db.replica, context.account_id, id)
        if found in WITHOUT_EVENTS:
            raise without_events("record", id, found)


async def next_updated_since(context: RequestContext[Any, Any]) -> Headers:
    """The header of the first page of what changed: the moment to ask for the next time.

    Call it before the list is read. Each write that the list does not show has this moment or a
    later one, because the moments of an account rise with its writes (`store.accounts`). A later
    page has no such header: it may lack a record that changed after the first one was read.
    Queries: one, if the list has the filter.
    """
    query = context.query
    if getattr(query, "updated_since", None) is None or query.cursor is not None:
        return ()
    moment = await get_last_moment(context.db.replica, context.account_id) + MICROSECOND
    text = moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
    return ((NEXT_UPDATED_SINCE.lower().encode(), text.encode()),)
