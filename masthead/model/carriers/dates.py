"""Dates in the files of carriers: the whole column decides which number is the day."""

import re
from calendar import month_abbr, month_name
from contextlib import suppress
from datetime import date
from enum import StrEnum

from masthead.model.errors import Invalid, excerpt

_TIME = r"(?:[T ,]+[0-9]{1,2}:[0-9]{2}.*)?"
_YEAR_FIRST = re.compile(rf"([0-9]{{4}})([-/.]?)([0-9]{{1,2}})\2([0-9]{{1,2}}){_TIME}")
_MONTH = re.compile(r"((?:19|20)[0-9]{2})[-/]?([0-9]{2})")
_YEAR_LAST = re.compile(
    rf"([0-9]{{1,2}})([./ -])[ ]?([0-9]{{1,2}})\2[ ]?([0-9]{{4}}|[0-9]{{2}}){_TIME}"
)
_DAY_FIRST = re.compile(
    r"([0-9]{1,2})(?:\s+([A-Za-z]{3,9})\s+([0-9]{4})|-([A-Za-z]{3,9})-([0-9]{4}|[0-9]{2}))"
)
_MONTH_FIRST = re.compile(r"([A-Za-z]{3,9})\s+([0-9]{1,2}),\s+([0-9]{4})")
_MONTHS = {
    name.lower(): number
    for names in (month_abbr, month_name)
    for number, name in enumerate(names)
    if name
}
MAX_DATE = 40  # characters


class DateOrder(StrEnum):
    """Which number comes first in dates such as 03/04/2026, whose year comes last."""

    DAY_FIRST = "day first"
    MONTH_FIRST = "month first"


class DateColumn:
    """Looks at every date of a column, and decides which number is the day.

    Dates with points (03.04.2026) always have the day first, as they are written in Europe.
    """

    def __init__(self) -> None:
        self._day_first = self._month_first = self._open = 0
        self._example = ""

    def add(self, text: str) -> None:
        """Look at a cell."""
        match = _YEAR_LAST.fullmatch(text.strip()[:MAX_DATE])
        if match is None or match[2] == ".":
            return
        first, second = int(match[1]), int(match[3])
        if first > 12 >= second > 0:
            self._day_first += 1
        elif second > 12 >= first > 0:
            self._month_first += 1
        elif first != second:
            self._open += 1
            self._example = self._example or text.strip()

    def decide(self, chosen: DateOrder | None = None) -> DateOrder | None:
        """The order of all dates; None if each date can be read in one way only.

        chosen: the order that the user chose. Raises: Invalid `ambiguous_dates`.
        """
        if chosen is not None:
            return chosen
        if self._day_first and self._month_first:
            raise Invalid(
                "Some dates of the file have the day first, such as 31/01/2026, and others the "
                "month, such as 01/31/2026. Give the date for all rows, or correct the file.",
                field="date",
            )
        if self._day_first or self._month_first:
            return DateOrder.DAY_FIRST if self._day_first else DateOrder.MONTH_FIRST
        if self._open:
            raise Invalid(
                f"The dates of the file, such as `{excerpt(self._example)}`, do not show whether "
                "the day or the month comes first. Say which one, or give the date for all rows.",
                field="date",
                value=self._example,
            )
        return None


def read_date(text: str, order: DateOrder | None) -> date:
    """The date in a cell; a time after it is ignored. A month stands for its first day.

    Raises: Invalid.
    """
    text = text.strip()
    problem = Invalid(
        f"`{excerpt(text)}` is not a date; expected a date such as 2026-05-31.",
        field="date",
        value=excerpt(text),
    )
    if len(text) > MAX_DATE:
        raise problem
    try:
        if match := _MONTH.fullmatch(text):
            return date(int(match[1]), int(match[2]), 1)
        if match := _YEAR_FIRST.fullmatch(text):
            return date(int(match[1]), int(match[3]), int(match[4]))
        if match := _YEAR_LAST.fullmatch(text):
            first, second, year = int(match[1]), int(match[3]), int(match[4])
            if match[2] != "." and order is DateOrder.MONTH_FIRST:
                first, second = second, first
            return date(year if year > 99 else 2000 + year, second, first)
        if match := _DAY_FIRST.fullmatch(text):
            return _of_words(match[1], match[2] or match[4], match[3] or match[5])
        if match := _MONTH_FIRST.fullmatch(text):
            return _of_words(match[2], match[1], match[3])
    except (KeyError, ValueError):
        raise problem from None
    raise problem


def _of_words(day: str, month: str, year: str) -> date:
    """The date with a month in English. Raises: KeyError, ValueError."""
    number = int(year)
    return date(number if number > 99 else 2000 + number, _MONTHS[month.lower()], int(day))


def is_date_text(text: str) -> bool:
    """Whether a cell has the form of a date."""
    if not 6 <= len(text) <= MAX_DATE:
        return False
    for order in DateOrder:
        with suppress(Invalid):
            read_date(text, order)
            return True
    return False
