"""Which of an account's issues a period covers, in memory."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable
from datetime import date

from masthead.model.errors import Invalid
from masthead.model.lifecycle import is_covered, issues_covered
from masthead.model.orders.order import Order
from masthead.model.orders.period_coverage import Span
from masthead.model.types.fields import MAX_NUMBER
from masthead.store.issues import Released


class Issues:
    """Issues by number."""

    def __init__(self, issues: Iterable[Released]) -> None:
        self._by_number = {issue.number: issue for issue in issues}
        self._dated = sorted(
            (issue.date, issue.number) for issue in self._by_number.values() if issue.date
        )

    def __contains__(self, number: int) -> bool:
        return number in self._by_number

    def __getitem__(self, number: int) -> Released:
        return self._by_number[number]

    def covered_by(self, span: Span, *, but: Collection[int]) -> list[int]:
        """The numbers of the issues that a period includes, lowest first.

        but: those that its subscription has got already, before their date was changed.
        """
        if span.first_issue is not None and span.length is not None:
            numbers = issues_covered(span.first_issue, span.length)
            return [number for number in numbers if number in self._by_number]
        assert span.period_start is not None
        assert span.period_end is not None
        low = bisect_left(self._dated, (span.period_start, 0))
        high = bisect_right(self._dated, (span.period_end, MAX_NUMBER))
        return sorted(number for _, number in self._dated[low:high] if number not in but)

    def check_sent(self, order: Order, span: Span) -> None:
        """Raises: Invalid if a copy is said to be sent that the period does not have."""
        for number in order.sent:
            if number not in self._by_number:
                why = "there is no such issue"
            elif not _covers(span, number, self._by_number[number].date):
                why = "the period does not include it"
            else:
                continue
            raise Invalid(
                f"`sent_issues` names issue {number}, but {why}.",
                field="sent_issues",
                value="|".join(map(str, order.sent)),
            )


def _covers(span: Span, number: int, released: date | None) -> bool:
    """Whether a period includes an existing issue."""
    if span.first_issue is not None and span.last_issue is not None:
        return span.first_issue <= number <= span.last_issue
    assert span.period_start is not None
    assert span.period_end is not None
    return is_covered(released, span.period_start, span.period_end)
