"""Periods: what shops say about billing becomes the days and months of a membership.

An interval of days or weeks is not a number of months. The days of a period are exact; the
interval is then the nearest number of months, at least one: 7 days are 1 month, 26 weeks are 6.
The row gets a warning that says so.
"""

from datetime import date, timedelta
from typing import Any

from dateutil.relativedelta import relativedelta

from masthead.model.orders.period_coverage import add_months
from masthead.model.subscriptions.lifecycle import next_day

_DAYS_IN_A_MONTH = 30.4375
_DAYS = {"day": 1, "week": 7}
_MONTHS = {"month": 1, "year": 12}
HELPERS = tuple(
    "billing_period billing_interval last_payment_date next_payment_date anniversary".split()
)


def fill_period(given: dict[str, Any], *, today: date) -> None:
    """Fill interval_months, period_start and period_end from the helpers, which are removed.

    A period ends on the day before the next payment, or on the last paid day in the file, and
    begins an interval before, but not before the order. Without an end, it begins with the last
    payment, or with the last anniversary, and lasts an interval. If an interval before the end is
    still to come, as with a complimentary subscription until 2099, the period begins with the last
    anniversary too. An interval of days or weeks is kept as `billed_days`.
    """
    count, unit = given.pop("billing_period", (0, ""))
    every = given.pop("billing_interval", 1)
    count, unit = every if isinstance(every, tuple) else (count * every, unit)
    last_payment = given.pop("last_payment_date", None)
    following = given.pop("next_payment_date", None)
    anniversary = given.pop("anniversary", None)
    if not count and (months := given.get("interval_months")):
        count, unit = months, "month"
    ordered, start = given.get("order_date"), given.get("period_start")
    if following is None and (last := given.get("period_end")) is not None:
        following = next_day(last) or last
    if start is None and following is not None and count:
        start = _shifted(following, -count, unit)
        if start and ordered and start < ordered < following:
            start = ordered
        elif start and ordered and unit in _MONTHS:
            start = _on_day_of(ordered, start, count * _MONTHS[unit], following)
    is_ahead = start is not None and start > today and "period_start" not in given
    if (start is None or is_ahead) and anniversary is not None and count:
        start = _last_anniversary(anniversary, count, unit, today)
    if start is None:
        start = last_payment or ordered
    if following is None and start is not None and count:
        following = _shifted(start, count, unit)
    if following is None:
        return
    end = following if following == start else following - timedelta(days=1)
    given["period_end"] = end
    if start is not None:
        given["period_start"] = start
        if unit in _DAYS and "interval_months" not in given:
            given["billed_days"] = count * _DAYS[unit]
        months = _months(count, unit) or _months((following - start).days, "day")
        given.setdefault("interval_months", months or 1)


def _on_day_of(ordered: date, start: date, months: int, following: date) -> date:
    """The start on the order's day of the month, if the next payment follows from that too.

    With an order of 31 January, the period before 30 November began on 31 October, not on the 30th.
    """
    same_day = start + relativedelta(day=ordered.day)
    return same_day if add_months(same_day, months) == following else start


def _last_anniversary(day: date, count: int, unit: str, today: date) -> date:
    """The first day of the period that today is in, counted from a day."""
    days = (today - day).days
    length = count * (_DAYS_IN_A_MONTH * _MONTHS[unit] if unit in _MONTHS else _DAYS[unit])
    start = day
    for periods in range(max(0, int(days / length) - 1), max(0, int(days / length)) + 2):
        later = _shifted(day, count * periods, unit)
        if later is not None and later <= today:
            start = later
    return start


def _shifted(day: date, count: int, unit: str) -> date | None:
    """The day some periods later, or earlier if the count is negative; None beyond the calendar."""
    if unit in _MONTHS:
        return add_months(day, count * _MONTHS[unit])
    try:
        return day + timedelta(days=count * _DAYS[unit])
    except OverflowError:
        return None


def _months(count: int, unit: str) -> int:
    """A number of periods in months; 0 if there is no period."""
    if unit in _MONTHS:
        return count * _MONTHS[unit]
    return max(1, round(count * _DAYS[unit] / _DAYS_IN_A_MONTH)) if count > 0 else 0
