"""The contents of a file: its run and settings; the totals and the problems found on the way."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, tzinfo
from typing import Protocol

from msgspec import Struct

from masthead.model.dispatch.files import FileTotals
from masthead.model.dispatch.line_resources import kind_of
from masthead.model.dispatch.profiles import FileFormat, ProfileSettings
from masthead.model.dispatch.runs import Dispatch, DispatchLine
from masthead.model.errors import Invalid

MAX_PROBLEMS = 20  # that a message lists
CHUNK = 2**18  # bytes to read at a time


class FileContents(Struct, frozen=True, kw_only=True):
    """The contents of a file besides its lines. profile_name: for the name of the file.

    locale, zone: of the account, for the names of files and the number of copies on a label.
    code_url: the address of the page for subscribers, as a QR code on each label; empty for none.
    issues: the numbers of several that go out together; empty for one.
    """

    account_id: int
    dispatch: Dispatch
    format: FileFormat
    profile_name: str
    settings: ProfileSettings
    locale: str = "en"
    zone: tzinfo = UTC
    code_url: str = ""
    issues: tuple[int, ...] = ()

    def sequence(self, line: DispatchLine) -> int:
        """The number of a line in its run, or in a file of several issues, from 1."""
        return line.place or line.id - self.dispatch.first_line + 1

    def describe(self, line: DispatchLine) -> str:
        """A line as messages name it: its number and the subscriber."""
        names = (line.first_name, line.last_name)
        subscriber = " ".join(name for name in names if name) or line.company or line.subscriber_id
        return f"Line {self.sequence(line)} ({subscriber})"


class FileWriter(Protocol):
    """Writes lines, a batch at a time, in constant memory."""

    def write(self, lines: Sequence[DispatchLine]) -> bytes:
        """Add lines; returns the bytes of the file that are ready."""
        ...

    def finish(self) -> Iterator[bytes]:
        """The rest of the bytes. Raises: Invalid if a line cannot be written."""
        ...

    def close(self) -> None:
        """Delete temporary files."""
        ...


class Problems:
    """Collects the lines that cannot be written, to name them in one message."""

    def __init__(self) -> None:
        self._messages: list[str] = []
        self._count = 0

    def add(self, message: str) -> None:
        """Note a line that cannot be written."""
        self._count += 1
        if len(self._messages) < MAX_PROBLEMS:
            self._messages.append(message)

    def require_none(self, solution: str) -> None:
        """Raises: Invalid with what to do, then a line of text for each problem, up to 20."""
        if not self._count:
            return
        more = self._count - len(self._messages)
        rest = [f"and {more} more {'line' if more == 1 else 'lines'}."] if more else []
        count = "1 line" if self._count == 1 else f"{self._count} lines"
        first = f"{count} cannot be written to this file. {solution}"
        raise Invalid("\n".join([first, *self._messages, *rest]), code="unsuitable_profile")


def count_lines(
    totals: FileTotals, contents: FileContents, lines: Sequence[DispatchLine]
) -> list[DispatchLine]:
    """Add lines to the totals; returns those that belong in the file."""
    chosen = [line for line in lines if line.is_postal or contents.settings.includes_digital]
    totals.digital += sum(line.quantity for line in lines) - sum(line.quantity for line in chosen)
    totals.addresses += len(chosen)
    counts: Counter[tuple[str, str, str]] = Counter()
    for line in chosen:
        for part in line.parts:
            counts[part.country, part.medium, kind_of(part)] += 1
        if not line.parts:
            counts[line.country, line.medium, kind_of(line)] += line.quantity
    totals.lines += counts.total()
    for (country, medium, kind), count in counts.items():
        group = contents.dispatch.layout.countries[country].group
        totals.countries[country] = totals.countries.get(country, 0) + count
        totals.media[medium] = totals.media.get(medium, 0) + count
        totals.groups[group] = totals.groups.get(group, 0) + count
        totals.kinds[kind] = totals.kinds.get(kind, 0) + count
    return chosen
