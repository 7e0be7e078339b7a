"""Group audit entries: what one actor did at one time is one group, with one line for each kind."""

from collections.abc import Iterable, Mapping, Sequence

from masthead.model.audit_entries import EntryType
from masthead.model.history.entries import (
    TOGETHER,
    Entry,
    HistoryGroup,
    HistoryLine,
    Record,
    RecordNames,
)
from masthead.model.history.fields import changes_of, same_for_each_copy
from masthead.model.history.sentences import WriteNumber, sentence_of
from masthead.model.translations import ngettext

MAX_SUBJECTS = 3  # named in a line
# What a run did is counted in its entry
_COUNTS: Mapping[str, str] = {
    EntryType.DISPATCH_FREEZE: "copies",
    EntryType.DISPATCH_MARK: "marked",
    EntryType.DISPATCH_SHIPPED: "shipped",
    EntryType.DISPATCH_UNDO: "undone",
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
    if entry.action == EntryType.SUBSCRIPTION_UPDATE_STATUS:
        status = entry.after.get("status")
    return entry.action, entry.issue_number, entry.run, status, entry.after.get("is_billed")


def _line(
    entries: Sequence[Entry], names: RecordNames, page: Record, number: WriteNumber
) -> HistoryLine:
    first = entries[0]
    count = sum(entry.count for entry in entries)
    if page[0] == "issue" and first.action in _COUNTS:
        count = int(first.after.get(_COUNTS[first.action]) or count)
    copies = {entry.record for entry in entries if entry.record[0] == "subscription"}
    orders = {names.bundles.get(id, id) for _type, id in copies}
    is_bundle = len(orders) < len(copies)
    text = sentence_of(
        first.action,
        len(orders) if is_bundle else count,
        after=first.after,
        issue=first.issue_number,
        run=first.run,
        number=number,
    )
    if is_bundle and len(orders) == 1:
        shown = ngettext("{count} copy", "{count} copies", len(copies))
        text = f"{text} ({shown.format(count=number(len(copies)))})"
    subjects = _subjects(entries, names, page)
    is_same = all(_fields(entry, is_bundle) == _fields(first, is_bundle) for entry in entries[1:])
    changes = changes_of(first.before, first.after, names) if is_same else []
    return HistoryLine(text, subjects if len(subjects) <= MAX_SUBJECTS else [], changes)


def _fields(entry: Entry, is_bundle: bool) -> object:
    """What two entries have in common that share a line."""
    if is_bundle:
        return same_for_each_copy(entry.before), same_for_each_copy(entry.after)
    return entry.before, entry.after


def _subjects(entries: Sequence[Entry], names: RecordNames, page: Record) -> list[Record]:
    """What a line is about, apart from the record of the page. A bundle counts once."""
    found: dict[Record, Record] = {}
    for entry in entries:
        type, id = entry.subject
        if entry.subject != page:
            found.setdefault((type, names.bundles.get(id, id)), entry.subject)
    return list(found.values())
