"""Released issues: their copies are still to send, or were sent before the order came here.

Only the person who enters an order knows which of the two it is, so imports and the form ask.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import date
from typing import Any, Literal

from masthead.model.errors import Invalid, excerpt
from masthead.model.orders.period_coverage import DatedIssue, membership_period_end
from masthead.model.subscriptions.lifecycle import is_covered, is_released, issues_covered
from masthead.model.translations import gettext as _
from masthead.model.types.enums import SubscriptionType
from masthead.model.types.fields import MAX_NUMBER
from masthead.model.types.text import MAX_DIGITS, is_digits

RELEASED: Literal["released"] = "released"  # all issues that are out
NONE: Literal["none"] = "none"


def is_sent_through(value: int | str) -> bool:
    """Whether a value says through which issue copies count as sent."""
    return value in (RELEASED, NONE) if isinstance(value, str) else 1 <= value <= MAX_NUMBER


def read_sent_through(text: str) -> int | str:
    """A number, `released` or `none` from a text. Raises: Invalid."""
    plain = text.strip().lower()
    value = int(plain) if is_digits(plain, at_most=MAX_DIGITS) else plain
    if not is_sent_through(value):
        message = _("`sent_through` is `{value}`; expected an issue number, `released` or `none`.")
        raise Invalid(message.format(value=excerpt(text)), field="sent_through", value=text)
    return value


def released_numbers(
    issues: Iterable[DatedIssue], *, day: date, current: int | None
) -> frozenset[int]:
    """The numbers of the issues that are out. current: that of the current issue, if any."""
    return frozenset(
        each.number
        for each in issues
        if is_released(each.date, number=each.number, day=day, current=current)
    )


def covered_released(given: Mapping[str, Any], out: Mapping[int, date | None]) -> list[int]:
    """The numbers of the issues that an order covers and that are out, lowest first.

    given: the valid fields of an `OrderCreate`; without `length`, all issues from the first one on
    are covered. out: the release dates of the issues that are out, by number.
    """
    if given.get("type") is SubscriptionType.MEMBERSHIP:
        start = given.get("period_start") or given.get("order_date")
        months = given.get("interval_months")
        if start is None or months is None:
            return []
        end = membership_period_end(start, months)
        return sorted(number for number, day in out.items() if is_covered(day, start, end))
    first: int | None = given.get("start_issue")
    if first is None:
        return []
    covered = issues_covered(first, given.get("length") or MAX_NUMBER)
    return sorted(number for number in out if number in covered)


def require_released(number: int, *, known: Collection[int], out: Collection[int]) -> None:
    """Check the last issue whose copies count as sent. known: the numbers of all issues.

    Raises: Invalid if there is no issue with that number, or if it is not out.
    """
    if number in out:
        return
    if number in known:
        message = _("`sent_through` is {number}, but issue {number} is not out yet.")
    else:
        message = _("`sent_through` is {number}, but there is no issue with that number.")
    hint = _("No issue is out yet, so leave it out.")
    if out:
        hint = _("Use the number of an issue that is out; the newest one is {newest}.")
        hint = hint.format(newest=max(out))
    text = f"{message.format(number=number)} {hint}"
    raise Invalid(text, field="sent_through", value=number)
