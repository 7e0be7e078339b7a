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

# Kinds of records of which nothing is an event of their own
WITHOUT_EVENTS = frozenset({"API key", "change of address", "product", "source", "webhook"})


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


def without_events(field: str, text: str, found: str) -> Invalid:
    """The error of an id of a record that has no events. found: its kind."""
    return Invalid(
        f"`{field}` is `{text}`, the id of another kind of record ({found}), which has no events; "
        "expected the `id` of a record, as in `record.id` of an event.",
        field=field,
        value=text,
    )


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
