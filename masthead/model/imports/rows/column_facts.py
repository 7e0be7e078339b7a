"""What whole columns say: whether the day or the month is first, and which sign is decimal."""

from masthead.model.errors import Invalid
from masthead.model.imports.values.amounts import decimal_mark_of, split_amount
from masthead.model.imports.values.days import (
    DAY_FIRST,
    MONTH_FIRST,
    date_order_of,
    has_points,
    is_month,
    is_no_day,
    is_unix_time,
)
from masthead.model.translations import gettext as _

MAX_EXAMPLES = 5
DOUBT = "?"


class ColumnFacts:
    """What the cells of a column say, such as `day_first`, with examples, also of doubt."""

    def __init__(self) -> None:
        self._seen = dict[str, str]()  # the first text with each verdict
        self.examples = list[str]()

    def _keep(self, verdict: str, text: str) -> None:
        if not verdict:
            return
        self._seen.setdefault(verdict, text)
        if verdict == DOUBT and len(self.examples) < MAX_EXAMPLES and text not in self.examples:
            self.examples.append(text)

    @property
    def verdict(self) -> str | None:
        """What the column says; "" if that is doubtful, None if it does not matter.

        Cells that contradict each other leave doubt too.
        """
        if not self._seen:
            return None
        clear = [verdict for verdict in self._seen if verdict != DOUBT]
        return clear[0] if len(clear) == 1 else ""


class DateColumnFacts(ColumnFacts):
    """A column with dates. has_months: whether a cell is a month without a day.

    with_points: its first date such as 15.1.2026, whose day is first in any column; "" if none is.
    """

    def __init__(self) -> None:
        super().__init__()
        self.with_points = ""
        self.has_months = self._has_unix = self._has_others = False

    def add(self, text: str) -> None:
        """Take a cell into account."""
        self._keep(date_order_of(text), text)
        if not self.with_points and has_points(text):
            self.with_points = text
        if is_unix_time(text):
            self._has_unix = True
        elif not self._has_others:
            self._has_others = not is_no_day(text)
        if not self.has_months:
            self.has_months = is_month(text)

    def describe_order(self, column: str, order: str) -> str:
        """How those dates of the column are read whose day or month is first: with an example."""
        texts = {
            DAY_FIRST: _("Dates in `{column}` have the day first, such as `{example}`."),
            MONTH_FIRST: _("Dates in `{column}` have the month first, such as `{example}`."),
        }
        text = texts[order]
        if order == MONTH_FIRST and self.with_points:
            text = _(
                "Dates in `{column}` such as `{example}` have the month first; those with points, "
                "such as `{with_points}`, have the day first."
            )
        example = self._seen.get(order) or self._seen[DOUBT]
        return text.format(column=column, example=example, with_points=self.with_points)

    @property
    def is_unix(self) -> bool:
        """Whether all cells with a date are numbers that can be Unix times."""
        return self._has_unix and not self._has_others


class AmountColumnFacts(ColumnFacts):
    """A column with amounts."""

    def add(self, text: str) -> None:
        """Take a cell into account. One that is not an amount says nothing."""
        try:
            digits, _symbols, _is_negative = split_amount("", text)
        except Invalid:
            return
        self._keep(decimal_mark_of(digits), text)

    @property
    def verdict(self) -> str | None:
        """As for others; but amounts with both decimal marks are clear, unless some are not."""
        verdict = super().verdict
        return None if verdict == "" and not self.examples else verdict
