"""The print run of a coming issue: what is sure, and what comes on top if renewals come in.

Sure is one copy for each subscription that includes the number and is not Cancelled, and for each
membership that was granted the issue. A number that is no issue yet, or has no release date, is
granted to no membership.

If every recurring subscription renews: the `Active` recurring ones that end with the issue before
the first one coming, or later, but before the number in question; and the `Active` recurring
memberships that do not have the issue yet, if it has a release date. Those that are `Past due`, or
ended earlier without renewing, are not counted on.

A subscription in `Print + digital` needs a printed copy and a digital one: it counts in both
columns, and once in the number of copies.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence

from msgspec import Struct

from masthead.model.resources import Issue
from masthead.model.types.enums import Medium

COMING = 6


class Part(Struct, frozen=True):
    """The part of a print run for one country and medium. renewals: that may come on top."""

    country: str
    medium: Medium
    copies: int
    renewals: int


class Total(Struct):
    """A line of a table. printed, digital: copies by what is made of them."""

    copies: int = 0
    printed: int = 0
    digital: int = 0
    renewals: int = 0

    def add(self, part: Part) -> None:
        """Count a part in."""
        self.copies += part.copies
        self.renewals += part.renewals
        if part.medium is not Medium.DIGITAL:
            self.printed += part.copies
        if part.medium is not Medium.PRINT:
            self.digital += part.copies


class PrintRun(Struct, frozen=True):
    """The print run of a number. issue: None if there is none yet."""

    number: int
    issue: Issue | None
    parts: Sequence[Part]

    @property
    def total(self) -> Total:
        """All of it."""
        total = Total()
        for part in self.parts:
            total.add(part)
        return total

    @property
    def by_country(self) -> dict[str, Total]:
        """By country, most copies first."""
        return self._by(lambda part: part.country)

    @property
    def by_medium(self) -> dict[str, Total]:
        """By medium, most copies first."""
        return self._by(lambda part: part.medium)

    def _by(self, key: Callable[[Part], str]) -> dict[str, Total]:
        totals = defaultdict[str, Total](Total)
        for part in self.parts:
            totals[key(part)].add(part)
        ordered = sorted(totals.items(), key=lambda item: (-item[1].copies, item[0]))
        return dict(ordered)
