"""Filters of lists that name a record by its id."""

from typing import Any

from msgspec import Struct

from masthead.api.context import RequestContext
from masthead.model.ids import is_id
from masthead.model.input_fields import fields_of
from masthead.model.pagination import Page
from masthead.model.types.filters import record_of, wrong_record
from masthead.store.record_kinds import find_kind

_NO_ITEMS = b'{"items":[]'


def is_empty(content: Struct | bytes) -> bool:
    """Whether a response is a list without items."""
    if isinstance(content, bytes):
        return content.startswith(_NO_ITEMS)
    return isinstance(content, Page) and not content.items


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
