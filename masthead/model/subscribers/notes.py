"""Notes on subscribers, which only staff see. `model.types.text` says how long they may be."""

from datetime import datetime

from msgspec import Struct


class SubscriberNote(Struct, frozen=True):
    """A note. by, deleted_by: the names of users, keys or programs. text: empty if deleted."""

    id: str
    text: str
    created_at: datetime
    by: str
    deleted_at: datetime | None
    deleted_by: str | None
