"""Calculate the states that a disk may have after a power cut.

The model: content of a file is durable once the file is synced, and a name in a directory once the
directory is. Of all other changes before the cut, any part may be there: each prefix is tried in
full, and arbitrary subsets and torn writes in a seeded sample.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.support.disk import Call

SECTOR = 512


@dataclass(frozen=True)
class Change:
    """A change of a file or directory that is not durable until a sync. inode: which file."""

    kind: str  # write, truncate, create or delete
    file: str
    inode: int
    offset: int = 0
    data: bytes = b""
    size: int = 0

    @property
    def is_of_directory(self) -> bool:
        """Whether a sync of the directory makes it durable, rather than one of the file."""
        return self.kind in ("create", "delete")


@dataclass(frozen=True)
class Sync:
    """inode: the file whose changes are now durable; None for the directory."""

    inode: int | None

    def covers(self, change: Change) -> bool:
        """Whether it makes that change durable."""
        if self.inode is None:
            return change.is_of_directory
        return not change.is_of_directory and change.inode == self.inode


@dataclass
class State:
    """Files by inode, and the names that lead to them."""

    contents: dict[int, bytearray] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)

    def apply(self, change: Change) -> None:
        """Make a change."""
        content = self.contents.setdefault(change.inode, bytearray())
        if change.kind == "create":
            self.names[change.file] = change.inode
        elif change.kind == "delete":
            self.names.pop(change.file, None)
        elif change.kind == "truncate":
            del content[change.size :]
            content.extend(bytes(change.size - len(content)))
        else:
            content.extend(bytes(max(change.offset - len(content), 0)))
            content[change.offset : change.offset + len(change.data)] = change.data

    def copy(self) -> "State":
        """A copy that can be changed independently."""
        contents = {inode: bytearray(content) for inode, content in self.contents.items()}
        return State(contents, dict(self.names))

    def write_to(self, folder: Path) -> None:
        """Write the files to a real disk, in a new folder."""
        folder.mkdir()
        for name, inode in self.names.items():
            (folder / name).write_bytes(self.contents.get(inode, b""))


class Recorder:
    """Watches a disk and records the calls in order; see `tests.faults.support.disk`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.began = State()
        for number, path in enumerate(sorted(folder.iterdir())):
            self.began.names[path.name] = number
            self.began.contents[number] = bytearray(path.read_bytes())
        self._names = dict(self.began.names)
        self._fresh = len(self._names)
        self.events: list[Change | Sync] = []

    def position(self) -> int:
        """The number of events so far: a power cut after this position is later than this call."""
        return len(self.events)

    def before(self, call: Call) -> None:
        """Do nothing, because no call fails."""

    def after(self, call: Call) -> None:
        """Record a call that changed something, or made changes durable."""
        if call.kind == "sync directory":
            self.events.append(Sync(None))
        elif call.kind == "open" and call.file not in self._names:
            if (self._folder / call.file).exists():
                self._names[call.file] = self._fresh
                self._fresh += 1
                self._changed(call, "create")
        elif call.kind == "delete":
            self._changed(call, "delete")
            del self._names[call.file]
        elif call.kind == "sync":
            self.events.append(Sync(self._names[call.file]))
        elif call.kind in ("write", "truncate"):
            self._changed(call, call.kind)

    def _changed(self, call: Call, kind: str) -> None:
        inode = self._names[call.file]
        self.events.append(Change(kind, call.file, inode, call.offset, call.data, call.size))


@dataclass(frozen=True)
class Outcome:
    """A state that a power cut may leave. cut: the latest moment of the cut, as a position."""

    cut: int
    state: State


class _Disk:
    """The changes that are durable, and those that are pending, while events are replayed."""

    def __init__(self, recorder: Recorder) -> None:
        self._events = recorder.events
        self.durable = recorder.began.copy()
        self.latest = -1  # the last change that is durable
        self.pending: list[int] = []
        self.position = 0

    def change(self, index: int) -> Change:
        """A change by its index."""
        event = self._events[index]
        assert isinstance(event, Change)
        return event

    def step(self) -> None:
        """Apply one more event."""
        event = self._events[self.position]
        if isinstance(event, Change):
            self.pending.append(self.position)
        else:
            for index in [each for each in self.pending if event.covers(self.change(each))]:
                self.durable.apply(self.change(index))
                self.pending.remove(index)
                self.latest = max(self.latest, index)
        self.position += 1

    def steps_to_syncs(self) -> Iterator[int]:
        """Replay; stop before every sync and at the end, when most is pending."""
        for event in self._events:
            if isinstance(event, Sync):
                yield self.position
            self.step()
        yield self.position

    def key(self, applied: int) -> tuple[int, tuple[int, ...]]:
        """A key of the state in which this many of the pending changes are applied."""
        missing = self.pending[applied:]
        last = max(self.latest, self.pending[applied - 1] if applied else -1)
        return last, tuple(index for index in missing if index < last)


def every_prefix(recorder: Recorder) -> Iterator[Outcome]:
    """Each distinct state in which a prefix of the pending changes has reached the disk.

    A state is good until the next is asked for.
    """
    cuts: dict[tuple[int, tuple[int, ...]], int] = {}
    disk = _Disk(recorder)
    for cut in disk.steps_to_syncs():
        for applied in range(len(disk.pending) + 1):
            cuts[disk.key(applied)] = cut
    disk = _Disk(recorder)
    for cut in disk.steps_to_syncs():
        state = disk.durable.copy()
        for applied in range(len(disk.pending) + 1):
            if applied:
                state.apply(disk.change(disk.pending[applied - 1]))
            if cuts.get(disk.key(applied)) == cut:
                del cuts[disk.key(applied)]
                yield Outcome(cut, state)


def sampled(recorder: Recorder, chance: random.Random, count: int) -> Iterator[Outcome]:
    """A number of states in which any part of the pending changes has reached the disk."""
    disk = _Disk(recorder)
    for cut in sorted(chance.randrange(len(recorder.events) + 1) for _ in range(count)):
        while disk.position < cut:
            disk.step()
        state = disk.durable.copy()
        for index in disk.pending:
            change = disk.change(index)
            part = chance.choice((change, None, _torn(change, chance)))
            if part is not None:
                state.apply(part)
        yield Outcome(cut, state)


def _torn(change: Change, chance: random.Random) -> Change | None:
    """A part of a write: some of its sectors, or some halves of sectors."""
    if change.kind != "write":
        return None
    unit = chance.choice((SECTOR, SECTOR // 2))
    pieces = max(len(change.data) // unit, 1)
    first = chance.randrange(pieces)
    last = chance.randrange(first, pieces) + 1
    data = change.data[first * unit : last * unit]
    return Change("write", change.file, change.inode, change.offset + first * unit, data)
