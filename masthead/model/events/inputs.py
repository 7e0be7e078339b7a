"""The filters of the events."""

import sys
from typing import Annotated

from msgspec import Meta

from masthead.model import advice
from masthead.model.errors import Invalid, excerpt
from masthead.model.events.types import PublicEventType
from masthead.model.ids import ID, is_id
from masthead.model.inputs import ListQuery
from masthead.model.types.filters import TRIMMED


def record_filter(field: str, text: str) -> str:
    """The text, which may be the id of a record. Raises: Invalid if no id is like that."""
    if not is_id(text):
        raise Invalid(
            f"`{field}` is `{excerpt(text)}`; expected the `id` of a record, as in `record.id` of "
            "an event. For the events of copies, it is that of their issue.",
            field=field,
            value=text,
        )
    return text


class EventQuery(ListQuery, kw_only=True, frozen=True):
    """Filters of the events."""

    elsewhere = advice.EVENTS

    cursor: Annotated[
        str | None,
        Meta(
            description="`cursor` of the response before; omit it to begin with the oldest event",
            extra={"max_length": sys.maxsize},
        ),
    ] = None
    type: Annotated[PublicEventType, Meta(description="type of the events")] | None = None
    record: (
        Annotated[
            str,
            Meta(
                min_length=1,
                description="id of the record",
                extra_json_schema={"pattern": f"^{ID.pattern}$"},
                extra={**TRIMMED, "rule": record_filter},
            ),
        ]
        | None
    ) = None
