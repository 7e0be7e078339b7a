"""The issues of an order, if the file names the last one: start, length and last issue agree."""

from collections.abc import Callable
from datetime import date
from typing import Any

from masthead.model.errors import Invalid
from masthead.model.orders.offers import MAX_LENGTH
from masthead.model.translations import gettext as _

ISSUE_FIELDS = ("start_issue", "length", "last_issue")


def fill_issues(given: dict[str, Any], day: date | None, find: Callable[[date], int]) -> None:
    """Fill the start issue and the length of a row. The last issue is removed.

    The start issue follows from the last one and the length, or else from a day by `find`.
    Raises: Invalid if there is no such issue, or the three do not agree.
    """
    last = given.pop("last_issue", None)
    if "start_issue" not in given and "renews" not in given:
        length = given.get("length")
        if last is not None and length is not None and last >= length:
            given["start_issue"] = last - length + 1
        elif day is not None:
            given["start_issue"] = find(day)
    if last is not None:
        _fill_length(given, last)


def _fill_length(given: dict[str, Any], last: int) -> None:
    start = given.get("start_issue")
    if start is None:
        if "length" in given:
            return
        message = _(
            "`last_issue` is {last}, but the start issue is not known. Map a column to the start "
            "issue, to a date that gives it, or to the number of issues."
        )
        raise Invalid(message.format(last=last), field="last_issue", value=last)
    length = last - start + 1
    words = {"last": last, "start": start, "length": length, "most": MAX_LENGTH}
    if not 1 <= length <= MAX_LENGTH:
        message = _(
            "`last_issue` is {last}, but the order begins with issue {start}, which makes {length} "
            "issues; expected 1 to {most}."
        )
        raise Invalid(message.format(**words), field="last_issue", value=last)
    if given.setdefault("length", length) != length:
        message = _(
            "`last_issue` is {last}, but {stated} issues from issue {start} end with issue {end}. "
            "Correct one of them, or map only one."
        )
        stated = given["length"]
        text = message.format(**words, stated=stated, end=start + stated - 1)
        raise Invalid(text, field="last_issue", value=last)
