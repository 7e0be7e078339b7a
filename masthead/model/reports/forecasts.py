"""The print run of an upcoming issue: the copies that are certain, and those from renewals.

Certain copies: one for each subscription that includes the issue and is not Cancelled, and one for
each membership that was granted the issue. No membership is granted an issue that is not created
yet, or that has no release date.

Renewals count the copies that are added if every recurring subscription renews. They come from
`Active` recurring subscriptions whose last issue is before this one, but not before the issue that
precedes the first upcoming one. `Active` recurring memberships that do not have the issue yet are
added if it has a release date. Subscriptions that are `Past due`, or that ended earlier without a
renewal, are not counted.

Grace copies go to paid subscriptions that end shortly before the issue. A subscription that is
renewed in time needs a copy instead, so both are printed for the same subscribers. They are not
part of the other numbers.

The usual renewals are a part of these: as much as was renewed of what ended with the last issues
whose figures are final.

A `Print + digital` subscription needs a printed and a digital copy. It counts in both columns, and
once in the number of copies.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence

from msgspec import Struct

from masthead.model.resources import Issue
from masthead.model.types.enums import Medium

COMING = 6  # issues that have a forecast


def spare_copies(printed: int, percent: int) -> int:
    """How many spare copies to print: a percentage of the printed ones, rounded up."""
    return -(-printed * percent // 100)


class Spare(Struct, frozen=True):
    """The spare copies to print: a percentage of the printed ones, and a number besides."""

    percent: int = 0
    copies: int = 0

    def __bool__(self) -> bool:
        return bool(self.percent or self.copies)

    def of(self, printed: int) -> int:
        """So many for a number of printed copies; none if nothing is printed."""
        return spare_copies(printed, self.percent) + self.copies if printed else 0


def _with_spare(printed: int, spare: Spare) -> int:
    return printed + spare.of(printed)


class UsualRenewals(Struct, frozen=True):
    """How much of what ended with some issues was renewed. ended: not 0."""

    first: int
    last: int
    renewed: int
    ended: int

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.renewed / self.ended

    def of(self, renewals: int) -> int:
        """So many of some possible renewals, rounded up."""
        return -(-renewals * self.renewed // self.ended)


class Part(Struct, frozen=True):
    """The part of a print run for one country and medium.

    renewals: copies added by renewals. grace_copies: those of subscriptions that end before.
    """

    country: str
    medium: Medium
    copies: int
    renewals: int
    grace_copies: int = 0


class Total(Struct):
    """The totals of a print run, or of a part of it. printed, digital: copies of that kind.

    renewals, grace_copies: not in the other numbers. printed_renewals, printed_grace: those of
    them that are printed.
    """

    copies: int = 0
    printed: int = 0
    digital: int = 0
    renewals: int = 0
    printed_renewals: int = 0
    grace_copies: int = 0
    printed_grace: int = 0

    def add(self, part: Part) -> None:
        """Add the numbers of a part."""
        self.copies += part.copies
        self.renewals += part.renewals
        self.grace_copies += part.grace_copies
        if part.medium is not Medium.DIGITAL:
            self.printed += part.copies
            self.printed_renewals += part.renewals
            self.printed_grace += part.grace_copies
        if part.medium is not Medium.PRINT:
            self.digital += part.copies

    @property
    def both(self) -> int:
        """The copies that count as printed and as digital."""
        return self.printed + self.digital - self.copies

    def to_print(self, spare: Spare) -> int:
        """The printed copies and grace copies, with spare ones."""
        return _with_spare(self.printed + self.printed_grace, spare)

    def to_print_usual(self, spare: Spare, usual: UsualRenewals) -> int:
        """As `to_print`, with the usual part of the copies that are added by renewals."""
        renewed = usual.of(self.printed_renewals)
        return _with_spare(self.printed + self.printed_grace + renewed, spare)

    def to_print_if_all_renew(self, spare: Spare) -> int:
        """As `to_print`, with the copies that are added by renewals."""
        return _with_spare(self.printed + self.printed_grace + self.printed_renewals, spare)


class PrintRun(Struct, frozen=True):
    """The print run of an issue number. issue: None if it is not created yet.

    is_current: whether it is the current issue, which is out, instead of a coming one.
    """

    number: int
    issue: Issue | None
    parts: Sequence[Part]
    is_current: bool = False

    @property
    def total(self) -> Total:
        """The totals of all parts."""
        total = Total()
        for part in self.parts:
            total.add(part)
        return total

    @property
    def by_country(self) -> dict[str, Total]:
        """Totals by country, most copies first."""
        return self._by(lambda part: part.country)

    @property
    def by_medium(self) -> dict[str, Total]:
        """Totals by medium, most copies first."""
        return self._by(lambda part: part.medium)

    def _by(self, key: Callable[[Part], str]) -> dict[str, Total]:
        totals = defaultdict[str, Total](Total)
        for part in self.parts:
            totals[key(part)].add(part)
        ordered = sorted(totals.items(), key=lambda item: (-item[1].copies, item[0]))
        return dict(ordered)
