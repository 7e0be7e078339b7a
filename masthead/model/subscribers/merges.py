"""Merges of two subscribers: what moved, and until when it can be moved back."""

from datetime import datetime, timedelta
from typing import TypeVar

from msgspec import Struct, structs

T = TypeVar("T")

UNDO_DAYS = 30
UNDO_PERIOD = timedelta(days=UNDO_DAYS)


class Billed(Struct, frozen=True, kw_only=True):
    """What a payer owes and has paid: ids of invoices and payments, and of the periods to bill.

    mandates: ids of the mandates by which they are debited.
    """

    invoices: list[str] = []
    payments: list[str] = []
    periods: list[int] = []
    mandates: list[str] = []

    def without(self, other: "Billed") -> "Billed":
        """These records without those of another one."""
        return Billed(
            invoices=_rest(self.invoices, other.invoices),
            payments=_rest(self.payments, other.payments),
            mandates=_rest(self.mandates, other.mandates),
            periods=_rest(self.periods, other.periods),
        )


class MovedRecords(Struct, frozen=True, kw_only=True):
    """The records that a merge moved to the subscriber that stays, by id.

    gifts: subscriptions that the merged one gave. subscribers: those that had been merged into the
    merged subscriber before. email: of the merged subscriber at the time of the merge.
    is_unsubscribed: whether the subscriber that stays gets no renewal letters any more, because the
    merged one had unsubscribed. billed: what the merged one owed and had paid. newest: the newest
    subscription of both, empty if they had none; None in merges of 0.2.0.
    """

    subscriptions: list[str]
    gifts: list[str]
    notes: list[str]
    subscribers: list[str]
    email: str
    is_unsubscribed: bool
    billed: Billed = Billed()
    newest: str | None = None

    def without(self, later: "Merge") -> "MovedRecords":
        """These records without those that a later merge moved to the same subscriber again."""
        moved = later.moved
        return structs.replace(
            self,
            subscriptions=_rest(self.subscriptions, moved.subscriptions),
            gifts=_rest(self.gifts, moved.gifts),
            notes=_rest(self.notes, moved.notes),
            billed=self.billed.without(moved.billed),
            subscribers=_rest(self.subscribers, [later.merged_id, *moved.subscribers]),
        )


def _rest(ids: list[T], others: list[T]) -> list[T]:
    left_out = set(others)
    return [id for id in ids if id not in left_out]


class Merge(Struct, frozen=True, kw_only=True):
    """A merge of two subscribers."""

    id: str
    kept_id: str
    merged_id: str
    moved: MovedRecords
    created_at: datetime
    undone_at: datetime | None

    def can_be_undone(self, moment: datetime) -> bool:
        """Whether the merge can still be undone."""
        return self.undone_at is None and moment < self.undo_until

    @property
    def undo_until(self) -> datetime:
        """The moment until which the merge can be undone."""
        return self.created_at + UNDO_PERIOD
