"""The days on which something can have happened: an order, a cancellation, a dispatch, a report.

Planned days, such as those of a release or of a period, can be any day from 1900 on.
"""

from datetime import date

from masthead.model.clock import account_today
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _

MAX_DAYS_AHEAD = 31  # for what is dated in advance
FIRST_ORDER = date(1900, 1, 1)  # as of all dates: lists of old orders are imported
FIRST_SENT = date(2000, 1, 1)


def order_day(field: str, day: date, *, today: date | None = None) -> date:
    """The day of an order, a refund or a cancellation, if it is plausible. Raises: Invalid.

    today: in UTC, if it is not that of the account at hand.
    """
    return _plausible(field, day, FIRST_ORDER, today)


def sent_day(field: str, day: date, *, today: date | None = None) -> date:
    """The day of a dispatch or of a delivery report, if it is plausible. Raises: Invalid."""
    return _plausible(field, day, FIRST_SENT, today)


def _plausible(field: str, day: date, first: date, today: date | None) -> date:
    if (day - (today or account_today())).days > MAX_DAYS_AHEAD:
        message = _(
            "`{field}` is {day}, too far in the future: more than {days} days ahead. Check the "
            "year."
        )
    elif day < first:
        message = _("`{field}` is {day}, too far in the past: before {first}. Check the year.")
    else:
        return day
    text = message.format(field=field, day=day, days=MAX_DAYS_AHEAD, first=first)
    raise Invalid(text, field=field, value=day)
