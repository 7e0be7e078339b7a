"""The days on which banks collect: those of TARGET, the payment system of the euro."""

from datetime import date, timedelta

from dateutil.easter import easter

from masthead.model.errors import Invalid
from masthead.model.translations import format_day, gettext as _

MOST_AHEAD = timedelta(days=366)
_FIXED = {(1, 1), (5, 1), (12, 25), (12, 26)}
_OF_EASTER = (-2, 1)  # Good Friday and Easter Monday


def is_bank_day(day: date) -> bool:
    """Whether TARGET is open."""
    return (
        day.weekday() < 5
        and (day.month, day.day) not in _FIXED
        and (day - easter(day.year)).days not in _OF_EASTER
    )


def bank_day_from(day: date) -> date:
    """The day itself, or the next one on which TARGET is open."""
    while not is_bank_day(day):
        day += timedelta(days=1)
    return day


def next_bank_day(day: date) -> date:
    """The first day after a day on which TARGET is open."""
    return bank_day_from(day + timedelta(days=1))


def check_day(day: date, today: date) -> None:
    """Raises: Invalid if nothing can be collected on a day."""
    first = next_bank_day(today)
    if day < first:
        raise Invalid(
            _("The bank needs the file a day before. Choose {day} or a later day.").format(
                day=first
            ),
            field="day",
            value=day,
        )
    if not is_bank_day(day):
        raise Invalid(
            _(
                "Banks do not collect on {day}: it is a weekend or a holiday of TARGET. Choose "
                "{other}."
            ).format(day=format_day(day), other=format_day(next_bank_day(day))),
            field="day",
            value=day,
        )
    if day > today + MOST_AHEAD:
        raise Invalid(
            _("{day} is more than a year ahead, which no bank takes. Check the year.").format(
                day=format_day(day)
            ),
            field="day",
            value=day,
        )
