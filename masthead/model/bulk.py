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
    """What a choice has that exists, newest first.

    ids: of all records. rows: of them, one for several copies for one address, as in the list.
    subscriber_ids: theirs, each once.
    """

    listed: ChosenList
    ids: Sequence[str]
    rows: Sequence[str]
    subscriber_ids: Sequence[str]

    @property
    def fingerprint(self) -> str:
        """A text that is the same only for the same rows."""
        return hashlib.sha256(" ".join(self.ids).encode()).hexdigest()[:32]
