"""Dates in the sentences of these pages."""

from masthead.model.timeline.answers import Day
from masthead.web.kit.context import PageContext
from masthead.web.kit.formatting import day_in, get_locale


def day_words(context: PageContext) -> Day:
    """Writes a date in the locale of the account."""
    locale = get_locale(context.locale)
    return lambda day: day_in(day, locale)
