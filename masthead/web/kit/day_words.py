"""Dates in the sentences of these pages."""

from datetime import date, datetime

from masthead.model.timeline.answers import Day
from masthead.web.kit.context import PageContext
from masthead.web.kit.formatting import day_in, get_locale


def day_words(context: PageContext) -> Day:
    """Writes a date in the locale of the account; of a moment, the one in its time zone."""
    locale, zone = get_locale(context.locale), context.zone

    def write(day: date) -> str:
        return day_in(day.astimezone(zone) if isinstance(day, datetime) else day, locale)

    return write
