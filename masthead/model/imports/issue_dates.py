"""Dates become start issues: shops count days, publishers count issues."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from datetime import date

from masthead.model.errors import Invalid
from masthead.model.imports.plan import IssueDates
from masthead.model.translations import gettext as _

CURRENT, NEXT = "current", "next"


class StartIssues:
    """The start issue of each day, by a rule.

    `current`: the issue on sale on that day, which is the newest one that was released on that
    day or earlier. `next`: the first issue that new subscriptions start with on that day or
    later; an issue without such a date counts from its release date.
    """

    def __init__(self, issues: Iterable[IssueDates], rule: str) -> None:
        self._rule = rule or CURRENT
        dated = [(self._date(issue), issue.number) for issue in issues]
        self._dated = sorted((day, number) for day, number in dated if day is not None)
        self._last = max((issue.number for issue in issues), default=0)
        self._cache = dict[date, int]()

    def _date(self, issue: IssueDates) -> date | None:
        if self._rule == CURRENT:
            return issue.release_date
        return issue.date_as_start_issue or issue.release_date

    def find(self, day: date) -> int:
        """The number of the start issue. Raises: Invalid, which says which issue is missing."""
        number = self._cache.get(day)
        if number is None:
            number = self._cache[day] = self._find(day)
        return number

    def _find(self, day: date) -> int:
        if self._rule == CURRENT:
            place = bisect_right(self._dated, (day, 2**31)) - 1
        else:
            place = bisect_left(self._dated, (day, 0))
        if 0 <= place < len(self._dated):
            # Of issues with the same day, the highest number is current and the lowest is next
            return self._dated[place][1]
        raise Invalid(self._advice(day), field="start_issue", value=day)

    def _advice(self, day: date) -> str:
        if not self._dated:
            message = _(
                "No issue has a release date, so `{day}` has no start issue. Set the release dates "
                "of the issues, or map a column to the start issue."
            )
        elif self._rule == CURRENT:
            message = _(
                "No issue was released on `{day}` or earlier; the first one is issue {first}, of "
                "{first_day}. Create the issue that was on sale on that day, with its release "
                "date."
            )
        else:
            message = _(
                "No issue starts on `{day}` or later. Create issue {following}, with its release "
                "date or the date from which new subscriptions start with it."
            )
        first_day, first = self._dated[0] if self._dated else (day, 0)
        words = {"first": first, "first_day": first_day, "following": self._last + 1}
        return message.format(day=day, **words)
