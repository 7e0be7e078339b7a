"""Dates in the files of carriers: the whole column decides which number is the day."""

import re
from contextlib import suppress
from datetime import date
from enum import StrEnum
from zoneinfo import ZoneInfo

from masthead.model.errors import Invalid, excerpt
from masthead.model.imports.rows.column_facts import DateColumnFacts
from masthead.model.imports.values import days
from masthead.model.translations import gettext as _

_MONTH = re.compile(r"((?:19|20)[0-9]{2})[-/]?([0-9]{2})")
_TIME = re.compile(r"[T ,]+[0-9]{1,2}:[0-9]{2}.*", re.DOTALL)
_UTC = ZoneInfo("UTC")
MAX_DATE = 40  # characters


class DateOrder(StrEnum):
    """Which number comes first in dates such as 03/04/2026, whose year comes last."""

    DAY_FIRST = "day first"
    MONTH_FIRST = "month first"


_ORDERS = {None: "", DateOrder.DAY_FIRST: days.DAY_FIRST, DateOrder.MONTH_FIRST: days.MONTH_FIRST}


class DateColumn(DateColumnFacts):
    """Looks at every date of a column, and decides which number is the day.

    Dates with points (03.04.2026) always have the day first, as they are written in Europe.
    """

    def decide(self, chosen: DateOrder | None = None) -> DateOrder | None:
        """The order of all dates; None if each date can be read in one way only.

        chosen: the order that the user chose. Raises: Invalid if the dates do not show it.
        """
        if chosen is not None:
            return chosen
        if self.verdict == "":
            raise self._doubt()
        return next(order for order, name in _ORDERS.items() if name == (self.verdict or ""))

    @property
    def is_mixed(self) -> bool:
        """Whether some dates have the day first, and others the month."""
        return {days.DAY_FIRST, days.MONTH_FIRST} <= self._seen.keys()

    def _doubt(self) -> Invalid:
        if self.is_mixed:
            text = _(
                "Some dates of the file have the day first, such as 31/01/2026, and others the "
                "month, such as 01/31/2026. Give the date for all rows, or correct the file."
            )
            return Invalid(text, field="date")
        text = _(
            "The dates of the file, such as `{example}`, do not show whether the day or the month "
            "comes first. Say which one, or give the date for all rows."
        )
        example = self.examples[0]
        return Invalid(text.format(example=excerpt(example)), field="date", value=example)


def read_date(text: str, order: DateOrder | None) -> date | None:
    """The date in a cell, as imports read it; None if there is none.

    A time after the date is ignored. A month stands for its first day. Raises: Invalid.
    """
    text = _TIME.sub("", text.strip()[: MAX_DATE + 1])
    if not text:
        return None
    if match := _MONTH.fullmatch(text):
        text = f"{match[1]}-{match[2]}-01"
    return days.read_day("date", text, order=_ORDERS[order], zone=_UTC, written_in=_UTC)


def is_date_text(text: str) -> bool:
    """Whether a cell has the form of a date. Other numbers than 20260531 and 202605 have not."""
    if not 6 <= len(text) <= MAX_DATE or (text.isdigit() and len(text) not in (6, 8)):
        return False
    for order in DateOrder:
        with suppress(Invalid):
            return read_date(text, order) is not None
    return False
