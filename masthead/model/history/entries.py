"""Audit entries as a history shows them, and the groups that it makes of them."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from msgspec import Struct, field

from masthead.model.translations import format_day

Value = str | date | datetime
Record = tuple[str, str]  # the type and the id of a record
TOGETHER = timedelta(seconds=5)  # what one actor does in that time is one group


class Entry(Struct, frozen=True, kw_only=True):
    """An audit entry, or a number of similar ones that were written together.

    id, oldest: of the newest and the oldest entry. count: how many records. issue_number: of the
    copy, the claim or the run that it is about. run: number of the run. subject: the subscription,
    subscriber or issue that it is about.
    """

    id: int
    oldest: int
    happened_at: datetime
    actor: Record
    action: str
    record: Record
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    subject: Record
    issue_number: int | None = None
    run: int | None = None
    count: int = 1


class RecordNames(Struct, frozen=True):
    """Names to show instead of ids: of actors and of records, by type and id.

    hides_money: whether amounts are left out, for users who may not see them. bundles: those of
    subscriptions, by their ids, so that several copies for one address are one thing.
    """

    actors: Mapping[Record, str]
    records: Mapping[Record, str]
    hides_money: bool = False
    bundles: Mapping[str, str] = field(default_factory=dict)

    def of(self, type: str, id: object) -> str:
        """The name of a record, a payment by its day; its id if it has none."""
        name = self.records.get((type, str(id)))
        if name is None:
            return str(id)
        return format_day(date.fromisoformat(name)) if type == "payment" else name


class FieldChange(Struct, frozen=True):
    """A field that changed. before: None if the record is new."""

    label: str
    before: Value | None
    after: Value


class HistoryLine(Struct, frozen=True):
    """A sentence about one or more records. subjects: which, if they are not the page's own."""

    text: str
    subjects: Sequence[Record]
    changes: Sequence[FieldChange]


class HistoryGroup(Struct, frozen=True):
    """What one actor did at one time. records: those of the entries, at most two.

    id: of the newest entry. actions: the entry types.
    """

    id: int
    at: datetime
    actor: Record
    by: str
    lines: Sequence[HistoryLine]
    records: Sequence[Record]
    actions: Sequence[str]


class HistoryPage(Struct, frozen=True):
    """Groups, newest first. older: the id that the next page starts before; None on the last."""

    groups: Sequence[HistoryGroup]
    older: int | None
    names: RecordNames
