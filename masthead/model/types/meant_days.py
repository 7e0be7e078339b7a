"""The day that a text was meant to be, for the message of its error."""

import re
from datetime import date

from masthead.model.translations import gettext as _
from masthead.model.types.messages import did_you_mean

# A year first, also with a time after it, or a day first with points: `3/4/2026` is two days
_YEAR_FIRST = re.compile(r"\s*(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?\s*", re.ASCII)
_DAY_FIRST = re.compile(r"\s*(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})\s*", re.ASCII)
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def meant_day(text: str) -> str:
    """What is wrong with a text that is no day as YYYY-MM-DD; empty if that is not clear."""
    if _ISO.fullmatch(text):
        return _("There is no such day.")
    if match := _YEAR_FIRST.fullmatch(text):
        year, month, day = match.groups()
    elif match := _DAY_FIRST.fullmatch(text):
        day, month, year = match.groups()
    else:
        return ""
    try:
        return did_you_mean(date(int(year), int(month), int(day)))
    except ValueError:
        return ""
