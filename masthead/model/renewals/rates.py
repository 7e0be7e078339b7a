"""Renewal rates: of those who ended with an issue, how many renewed within three issues.

What ends with an issue is every period whose last issue it is, renewed or not; without
complimentary copies and without what was cancelled. Renewed with the next issue means ordered
before that issue came out, within two issues before the one after it, and so on.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from masthead.model.inputs import ListQuery
from masthead.model.types.enums import Medium
from masthead.model.types.fields import MAX_NUMBER
from masthead.model.types.filters import SourceId

ISSUES = 24  # rows of the table
WITHIN = 3  # issues


class Renewed(StrEnum):
    """How soon a period was renewed; the parts of the figures of the table."""

    NEXT = "1"
    TWO = "2"
    THREE = "3"
    NOT = "no"  # not within three issues
    AUTOMATIC = "auto"  # it will be, automatically
    OPEN = "open"  # neither, so it is not decided yet


class RateQuery(ListQuery, kw_only=True, frozen=True):
    """The filters of the table."""

    medium: Annotated[Medium, Meta(description="medium of the subscription")] | None = None
    source: SourceId | None = None


class EndedQuery(RateQuery, kw_only=True, frozen=True):
    """The filters of the list behind a figure. issue: number of the last issue."""

    issue: Annotated[int, Meta(ge=1, le=MAX_NUMBER, description="number of the last issue")]
    renewed: Annotated[Renewed, Meta(description="how soon it was renewed")] | None = None


class RenewalRate(Struct, frozen=True):
    """What ended with an issue, in a medium and from a source, and how much of it was renewed.

    within_1: with the next issue. within_2 and within_3 include those before. automatic: not
    renewed yet, but still renewing automatically when it was counted.
    """

    issue_number: int
    medium: str
    source_id: str
    ended: int
    within_1: int
    within_2: int
    within_3: int
    automatic: int = 0


class IssueRate(Struct, frozen=True):
    """The figures of an issue. is_final: whether three issues have come out since."""

    issue_number: int
    ended: int
    within_1: int
    within_2: int
    within_3: int
    is_final: bool
    automatic: int = 0

    @property
    def not_renewed(self) -> int:
        """How many were not renewed within three issues."""
        return self.ended - self.within_3

    @property
    def open(self) -> int:
        """How many are neither renewed nor will be renewed automatically."""
        return self.not_renewed - self.automatic

    def share(self, renewed: int) -> float:
        """The part of those who ended, from 0 to 1."""
        return renewed / self.ended if self.ended else 0.0


def by_issue(rows: Iterable[RenewalRate], query: RateQuery, *, current: int) -> list[IssueRate]:
    """The figures that match the filters, newest issue first. current: the current issue."""
    found: dict[int, list[RenewalRate]] = {}
    for row in rows:
        if query.medium in (None, row.medium) and query.source in (None, row.source_id):
            found.setdefault(row.issue_number, []).append(row)
    return [
        _sum(number, found[number], is_final=number + WITHIN <= current)
        for number in sorted(found, reverse=True)
    ]


def total_of(rows: Iterable[IssueRate]) -> IssueRate:
    """The sum of the issues whose figures are final."""
    return _sum(0, [row for row in rows if row.is_final], is_final=True)


def _sum(number: int, rows: Sequence[RenewalRate | IssueRate], *, is_final: bool) -> IssueRate:
    return IssueRate(
        issue_number=number,
        ended=sum(row.ended for row in rows),
        within_1=sum(row.within_1 for row in rows),
        within_2=sum(row.within_2 for row in rows),
        within_3=sum(row.within_3 for row in rows),
        automatic=sum(row.automatic for row in rows),
        is_final=is_final,
    )
