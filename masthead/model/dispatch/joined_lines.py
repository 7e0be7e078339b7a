"""Several copies for one address as one line of a file, with their number."""

from collections import Counter
from collections.abc import Iterable, Sequence
from operator import attrgetter

from msgspec import structs

from masthead.model.dispatch.runs import DispatchLine
from masthead.model.types.postal_fields import PostalFields

# The fields in which copies for one address agree
JOINED_BY = ("subscriber_id", "medium", "is_grace", *PostalFields.__struct_fields__)
# The same in a file of several issues, where replacements and grace copies are joined, too
JOINED_IN_GROUP = ("subscriber_id", *PostalFields.__struct_fields__)
_address_of = attrgetter(*JOINED_BY)
_group_address_of = attrgetter("is_postal", *JOINED_IN_GROUP)
_shown_of = attrgetter(*JOINED_BY, "status", "left_reason", "shipped_date")


def join_alike(lines: Iterable[DispatchLine]) -> list[DispatchLine]:
    """Lines as a page shows them: those that follow each other and look alike are one.

    Each is the first of its lines, with their number as its quantity. Unlike on labels,
    replacements for one address are joined too.
    """
    joined: list[DispatchLine] = []
    for line in lines:
        last = joined[-1] if joined else None
        if last is not None and _look_alike(last, line):
            joined[-1] = structs.replace(last, quantity=last.quantity + line.quantity)
        else:
            joined.append(line)
    return joined


def _look_alike(first: DispatchLine, second: DispatchLine) -> bool:
    is_replacement = [each.claim_id is not None for each in (first, second)]
    return is_replacement[0] == is_replacement[1] and _shown_of(first) == _shown_of(second)


class LineJoiner:
    """Joins the copies of one subscriber for one address, which follow each other in a run.

    A replacement stays a line of its own. The joined line is the first one, with its key.
    """

    def __init__(self) -> None:
        self._open: DispatchLine | None = None  # the line that the next one may join

    def join(self, lines: Iterable[DispatchLine]) -> list[DispatchLine]:
        """The lines that are complete; the last one waits for the next batch."""
        ready: list[DispatchLine] = []
        for line in lines:
            before = self._open
            if before is not None and _are_one(before, line):
                self._open = structs.replace(before, quantity=before.quantity + line.quantity)
                continue
            if before is not None:
                ready.append(before)
            self._open = line
        return ready

    def finish(self) -> Sequence[DispatchLine]:
        """The line that waits, if there is one."""
        last, self._open = self._open, None
        return [last] if last else []


def _are_one(first: DispatchLine, second: DispatchLine) -> bool:
    """Whether two lines are copies for one address."""
    if first.claim_id or second.claim_id or first.subscriber_id != second.subscriber_id:
        return False
    return bool(_address_of(first) == _address_of(second))


def join_group(lines: Sequence[DispatchLine], *, joins: bool) -> list[DispatchLine]:
    """The lines of the runs of a group as lines of their file, with their parts and places.

    joins: whether the lines for one address, which follow each other, are one.
    """
    found: list[list[DispatchLine]] = []
    for line in lines:
        if joins and found and _group_address_of(found[-1][0]) == _group_address_of(line):
            found[-1].append(line)
        else:
            found.append([line])
    return [
        structs.replace(parts[0], quantity=len(parts), parts=tuple(parts), place=place)
        for place, parts in enumerate(found, 1)
    ]


def issues_of(line: DispatchLine) -> str:
    """The issues of a line of a file, with ranges: `4, 8–11`; `2 × 4, 5` if there are several."""
    counts = sorted(Counter(each.issue_number for each in line.parts or (line,)).items())
    spans: list[tuple[int, int, int]] = []  # first issue, last issue, copies of each
    for number, count in counts:
        if spans and spans[-1][1:] == (number - 1, count):
            spans[-1] = (spans[-1][0], number, count)
        else:
            spans.append((number, number, count))
    return ", ".join(
        (f"{count} × " if count > 1 else "") + (str(first) if first == last else f"{first}–{last}")
        for first, last, count in spans
    )
