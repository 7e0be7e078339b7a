"""Events as the API shows them, and the records that have no resource of their own there."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Literal

from msgspec import Struct

from masthead.model.events.types import PublicEventType
from masthead.model.imports.batches import BatchStatus, ImportBatch
from masthead.model.resources import IssueRef, Moment

COPIES_OF_EVENT = 1000


class EventActor(Struct, frozen=True):
    """Who made the change.

    kind: kind of the actor.
    id: id of the API key or of the user, or name of the command.
    """

    kind: Literal["key", "user", "command"]
    id: str


class EventRecord(Struct, frozen=True):
    """The record that an event is about.

    type: kind of the record.
    id: id of the record.
    """

    type: Literal[
        "subscription",
        "subscriber",
        "issue",
        "dispatch",
        "import",
        "refund",
        "claim",
        "delivery_report",
        "invoice",
        "payment",
    ]
    id: str


class Event(Struct, frozen=True):
    """Something that happened to a record of the account.

    id: id of the event; no two events have the same.
    number: the position of the event in the account, from 1 and without gaps. Of two events about
        a record, the one with the higher number is later.
    type: what happened.
    happened_at: when the change was made, in UTC.
    actor: who made the change.
    record: the record that changed; for `copy.sent`, the issue of the copies.
    data: the record as the change left it, in the shape of its own endpoint; null if it was
        deleted, or if its personal data was erased since then.
    """

    id: int
    number: int
    type: PublicEventType
    happened_at: Moment
    actor: EventActor
    record: EventRecord
    data: dict[str, Any] | None


class EventPage(Struct, frozen=True):
    """One page of events, oldest first.

    has_more: whether there are further events now.
    cursor: pass it as `cursor` to get what follows. Keep it, even if nothing follows yet.
    """

    items: Sequence[Event]
    has_more: bool
    cursor: str


class SentCopies(Struct, frozen=True):
    """The `data` of `copy.sent`: copies that were marked as sent together.

    date_sent: the date that they have now. count: number of copies. ids: lowest first.
    """

    issue: IssueRef
    date_sent: date | None
    count: int
    ids: Sequence[int]


class RefundedOrder(Struct, frozen=True):
    """The `data` of `refund.created`. amount: of this refund, in `currency`."""

    id: str
    subscription_id: str
    order_id: str
    amount: str
    currency: str
    refund_date: date
    reason: str | None


class ImportRun(Struct, frozen=True):
    """The `data` of imports.

    number: of the import. name: of the file. rows: number of rows that are done.
    imported, skipped, rejected: how many of them were imported, were known already, were refused.
    subscriptions, renewals: how many the import created.
    """

    id: str
    number: int | None
    name: str
    status: BatchStatus
    rows: int
    imported: int
    skipped: int
    rejected: int
    subscriptions: int
    renewals: int
    started_at: datetime | None
    finished_at: datetime | None

    @classmethod
    def of(cls, batch: ImportBatch) -> "ImportRun":
        """The shape of an import."""
        return cls(
            id=batch.id,
            number=batch.number,
            name=batch.name,
            status=batch.status,
            rows=batch.counts.read,
            imported=batch.counts.imported,
            skipped=batch.counts.skipped,
            rejected=batch.counts.rejected,
            subscriptions=batch.counts.subscriptions,
            renewals=batch.counts.renewals,
            started_at=batch.started_at,
            finished_at=batch.finished_at,
        )
