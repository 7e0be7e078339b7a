"""What whole columns say: whether the day or the month is first, and which sign is decimal."""

from masthead.model.errors import Invalid
from masthead.model.imports.values.amounts import decimal_mark_of, split_amount
from masthead.model.imports.values.days import date_order_of, is_month, is_no_day, is_unix_time

MAX_EXAMPLES = 5
DOUBT = "?"


class ColumnFacts:
    """Counts what the cells of a column say, such as `day_first`, and keeps examples of doubt."""

    def __init__(self) -> None:
        self._seen = dict[str, int]()
        self.examples = list[str]()

    def _count(self, verdict: str, text: str) -> None:
        if not verdict:
            return
        self._seen[verdict] = self._seen.get(verdict, 0) + 1
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
    """A column with dates. has_months: whether a cell is a month without a day."""

    def __init__(self) -> None:
        super().__init__()
        self.has_months = self._has_unix = self._has_others = False

    def add(self, text: str) -> None:
        """Take a cell into account."""
        self._count(date_order_of(text), text)
        if is_unix_time(text):
            self._has_unix = True
        elif not self._has_others:
            self._has_others = not is_no_day(text)
        if not self.has_months:
            self.has_months = is_month(text)

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
        self._count(decimal_mark_of(digits), text)

    @property
    def verdict(self) -> str | None:
        """As for others; but amounts with both decimal marks are clear, unless some are not."""
        verdict = super().verdict
        return None if verdict == "" and not self.examples else verdict
