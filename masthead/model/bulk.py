"""Bulk actions: the rows that a user chose in a list, one by one or all that its filters match."""

import hashlib
from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from masthead.model.queries import SubscriberQuery, SubscriptionQuery

MAX_CHOSEN = 5_000  # rows of one action, which is one transaction


class ChosenList(StrEnum):
    """A list whose rows can be chosen."""

    SUBSCRIBERS = "subscribers"
    SUBSCRIPTIONS = "subscriptions"


class RowChoice(Struct, frozen=True):
    """What a user chose. ids: the rows. query: of the filters that match all rows, or None."""

    listed: ChosenList
    ids: Sequence[str]
    query: SubscriberQuery | SubscriptionQuery | None


class Chosen(Struct, frozen=True):
    """The rows of a choice that exist, newest first. subscriber_ids: theirs, each once."""

    listed: ChosenList
    ids: Sequence[str]
    subscriber_ids: Sequence[str]

    @property
    def fingerprint(self) -> str:
        """A text that is the same only for the same rows."""
        return hashlib.sha256(" ".join(self.ids).encode()).hexdigest()[:32]
