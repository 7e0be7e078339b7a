"""Group audit entries: what one actor did at one time is one group, with one line for each kind."""

from collections.abc import Iterable, Mapping, Sequence

from masthead.model.audit_events import EventType
from masthead.model.history.entries import (
    TOGETHER,
    Entry,
    HistoryGroup,
    HistoryLine,
    Record,
    RecordNames,
)
from masthead.model.history.fields import changes_of
from masthead.model.history.sentences import WriteNumber, sentence_of

MAX_SUBJECTS = 3  # named in a line
# What a run did is counted in its entry
_COUNTS: Mapping[str, str] = {
    EventType.DISPATCH_FREEZE: "copies",
    EventType.DISPATCH_MARK: "marked",
    EventType.DISPATCH_SHIPPED: "shipped",
    EventType.DISPATCH_UNDO: "undone",
}


def group_entries(
    entries: Iterable[Entry], names: RecordNames, *, page: Record, number: WriteNumber = str
) -> list[HistoryGroup]:
    """The groups of entries. entries: newest first. page: the record that the history is about.

    number: writes the numbers in sentences.
    """
    parts: list[list[Entry]] = []
    for entry in entries:
        first = parts[-1][0] if parts else None
        if (
            first is not None
            and first.actor == entry.actor
            and first.happened_at - entry.happened_at <= TOGETHER
        ):
            parts[-1].append(entry)
        else:
            parts.append([entry])
    return [_group(part, names, page, number) for part in parts]


def _group(
    entries: Sequence[Entry], names: RecordNames, page: Record, number: WriteNumber
) -> HistoryGroup:
    kinds: dict[object, list[Entry]] = {}
    for entry in reversed(entries):  # in the order in which they happened
        kinds.setdefault(_kind(entry), []).append(entry)
    newest = entries[0]
    return HistoryGroup(
        id=newest.id,
        at=newest.happened_at,
        actor=newest.actor,
        by=names.actors.get(newest.actor, newest.actor[1]),
        lines=[_line(each, names, page, number) for each in kinds.values()],
        records=sorted({entry.record for entry in entries})[:2],
        actions=sorted({entry.action for entry in entries}),
    )


def _kind(entry: Entry) -> object:
    """Entries of one kind share a line."""
    status = entry.after.get("status") if entry.count > 1 or not entry.before else None
    if entry.action == EventType.SUBSCRIPTION_UPDATE_STATUS:
        status = entry.after.get("status")
    return entry.action, entry.issue_number, entry.run, status


def _line(
    entries: Sequence[Entry], names: RecordNames, page: Record, number: WriteNumber
) -> HistoryLine:
    first = entries[0]
    count = sum(entry.count for entry in entries)
    if page[0] == "issue" and first.action in _COUNTS:
        count = int(first.after.get(_COUNTS[first.action]) or count)
    text = sentence_of(
        first.action,
        count,
        after=first.after,
        issue=first.issue_number,
        run=first.run,
        number=number,
    )
    subjects = list(dict.fromkeys(entry.subject for entry in entries if entry.subject != page))
    is_same = all(
        (entry.before, entry.after) == (first.before, first.after) for entry in entries[1:]
    )
    changes = changes_of(first.before, first.after, names) if is_same else []
    return HistoryLine(text, subjects if len(subjects) <= MAX_SUBJECTS else [], changes)
