"""The parts of a planned change for good: addresses for some issues, within it, leave it out.

Stored changes of a subscription never overlap, so a change for good is stored in parts. Its last
part, which has no last issue, stands for the whole change.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct, structs

from masthead.model.addresses.changes import AddressChange


class MoveParts(Struct, frozen=True):
    """What to store for a change. last: the part that stands for it; before: the other parts."""

    before: Sequence[AddressChange]
    last: AddressChange


def list_spans(first: int, temporary: Iterable[tuple[int, int]]) -> list[tuple[int, int | None]]:
    """The first and the last issue of each part of a change for good; the last one has no end.

    first: its first issue. temporary: the first and last issues of the addresses within it.
    """
    spans: list[tuple[int, int | None]] = []
    for begins, ends in sorted(temporary):
        if ends < first:
            continue
        if begins > first:
            spans.append((first, begins - 1))
        first = ends + 1
    return [*spans, (first, None)]


def find_parts(planned: Sequence[AddressChange]) -> MoveParts | None:
    """The parts that the planned changes of a subscription need; None if they are as they are.

    The parts before the last one have no id yet.
    """
    move = next((each for each in planned if each.last_issue is None), None)
    if move is None:
        return None
    temporary = [
        (it.first_issue, it.last_issue or 0) for it in planned if it.is_temporary and it.has_issues
    ]
    spans = list_spans(move.begins, temporary)
    parts = sorted((it.first_issue, it.last_issue) for it in planned if it.is_part)
    if [*parts, (move.first_issue, None)] == spans:
        return None
    begins = None if spans == [(move.begins, None)] else move.begins
    before = [
        structs.replace(move, id="", first_issue=first, last_issue=last, move_first_issue=begins)
        for first, last in spans[:-1]
    ]
    last = structs.replace(move, first_issue=spans[-1][0], move_first_issue=begins)
    return MoveParts(before, last)
