"""Values as people and programs write them: texts, whole numbers, yes and no, words of lists.

Each function takes the name of the field and the text of a cell, trimmed and not empty. It returns
the value, or None if the cell counts as empty, or raises Invalid. `amounts` reads amounts, `days`
reads dates, `country_names` reads countries.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from masthead.model.errors import Invalid, excerpt
from masthead.model.translations import gettext as _
from masthead.model.types.enums import Medium, SubscriptionStatus, SubscriptionType
from masthead.model.types.fields import MAX_NUMBER
from masthead.model.types.messages import shown
from masthead.model.types.spreadsheets import unguarded
from masthead.model.types.text import MAX_DIGITS

E = TypeVar("E", bound=StrEnum)

# A number as text, or an empty cell. Names such as 's-Hertogenbosch and '44 Club keep theirs
_NUMBER_AS_TEXT = re.compile(r"'(?=(?:[0-9][-0-9 .,:/]*)?$)")
_FORMULA = re.compile(r'="(.*)"', re.DOTALL)
_SCIENTIFIC = re.compile(r"[+-]?[0-9](?:[.,][0-9]+)?[eE]\+[0-9]{1,3}")
_FLOAT = re.compile(r"[0-9]+[.,]0+")

_YES = "true yes y 1 t x ja j oui o si s sí sì sim vrai wahr vero verdadero on ok ✓ ✔ ☑".split()
_NO = "false no n 0 f nein non nee nej não falsch faux falso off - – — ☐".split()
_FLAGS = {**dict.fromkeys(_YES, True), **dict.fromkeys(_NO, False)}


def clean(text: str) -> str:
    """A cell without what spreadsheets put around texts: `'00123` and `="00123"` are `00123`.

    An apostrophe before a sign of a formula goes too, as in our own files.
    """
    text = text.strip()
    if "'" in text:
        text = unguarded(text[1:] if _NUMBER_AS_TEXT.match(text) else text).strip()
    if text.startswith('="') and (match := _FORMULA.fullmatch(text)):
        return match[1].replace('""', '"').strip()
    return text


def _number_of_a_spreadsheet(field: str, text: str) -> Invalid:
    message = _(
        "`{field}` is `{text}`: written by a spreadsheet as a number, which loses digits. Format "
        "the column as text and export again."
    )
    return Invalid(message.format(field=field, text=excerpt(text)), field=field, value=text)


def check_digits_are_kept(field: str, text: str) -> None:
    """Raises: Invalid if a text is a number such as `1.78E+12`, which has lost digits."""
    if _SCIENTIFIC.fullmatch(text):
        raise _number_of_a_spreadsheet(field, text)


def read_code(field: str, text: str) -> str:
    """An order id or a payment reference. Raises: Invalid if a spreadsheet damaged it."""
    check_digits_are_kept(field, text)
    return text[: -len(text.split(".")[-1]) - 1] if _FLOAT.fullmatch(text) else text


def read_digits(field: str, text: str) -> str:
    """A phone number or a postcode. Raises: Invalid if a spreadsheet damaged it."""
    if _SCIENTIFIC.fullmatch(text) or _FLOAT.fullmatch(text):
        raise _number_of_a_spreadsheet(field, text)
    return text


def read_flag(field: str, text: str) -> bool:
    """Yes or no, in several languages. Raises: Invalid."""
    plain = text[:-2] if text in ("1.0", "0.0", "1,0", "0,0") else text
    found = _FLAGS.get(plain.lower())
    if found is None:
        message = _(
            "`{field}` is {value}; expected true or false, yes or no, 1 or 0, x or an empty cell."
        )
        raise Invalid(message.format(field=field, value=shown(text)), field=field, value=text)
    return found


_WHOLE = re.compile(r"([0-9]+)(?:[.,]0*)?", re.ASCII)


def read_whole(field: str, text: str, *, most: int, least: int = 1) -> int:
    """A whole number, also written `12.0`. Raises: Invalid."""
    match = _WHOLE.fullmatch(text)
    number = int(match[1]) if match and len(match[1]) <= MAX_DIGITS else -1
    if not least <= number <= most:
        message = _("`{field}` is {value}; expected a whole number from {least} to {most}.")
        if most == MAX_NUMBER:
            message = _("`{field}` is {value}; expected a whole number, such as 12.")
        words = {"field": field, "value": shown(text), "least": least, "most": most}
        raise Invalid(message.format(**words), field=field, value=text)
    return number


_KEY = re.compile(r"[^\w+]+")


def plain(text: str) -> str:
    """A word for comparison: lower case, with blanks for other signs, without `wc-`."""
    return _KEY.sub(" ", text.strip().lower().replace("_", " ")).strip().removeprefix("wc ")


_STATUSES = {plain(each): each for each in SubscriptionStatus}
_STATUSES |= {
    "canceled": SubscriptionStatus.CANCELLED,
    "completed": SubscriptionStatus.COMPLETE,
    "pastdue": SubscriptionStatus.PAST_DUE,
    "renewals stopped": SubscriptionStatus.RENEWALS_STOPPED,
    "not renewing": SubscriptionStatus.RENEWALS_STOPPED,
    "non renewing": SubscriptionStatus.RENEWALS_STOPPED,
}
_MEDIA = {plain(each): each for each in Medium}
_MEDIA |= {
    f"{one}{sign}{other}": Medium.PRINT_AND_DIGITAL
    for one in ("print", "druck")
    for other in ("digital", "online")
    for sign in (" ", "+", " + ", " and ", " und ")
}
_MEDIA |= dict.fromkeys(("druck", "gedruckt", "papier", "druckausgabe"), Medium.PRINT)
_MEDIA |= dict.fromkeys(("online", "epaper", "e paper"), Medium.DIGITAL)
_MEDIA["both"] = Medium.PRINT_AND_DIGITAL
_TYPES = {plain(each): each for each in SubscriptionType}


def read_status(field: str, text: str) -> SubscriptionStatus:
    """One of our statuses, case-insensitive. Raises: Invalid."""
    return _member(field, text, _STATUSES)


def read_medium(field: str, text: str) -> Medium:
    """A medium in any case. Raises: Invalid."""
    return _member(field, text, _MEDIA)


def read_type(field: str, text: str) -> SubscriptionType:
    """A type in any case. Raises: Invalid."""
    return _member(field, text, _TYPES)


def _member(field: str, text: str, known: Mapping[str, E]) -> E:
    found = known.get(plain(text))
    if found is None:
        names = ", ".join(f"`{each.value}`" for each in dict.fromkeys(known.values()))
        message = _("`{field}` is {value}; expected {expected}.")
        expected = _("one of {names}").format(names=names)
        words = {"field": field, "value": shown(text), "expected": expected}
        raise Invalid(message.format(**words), field=field, value=text)
    return found


_PERIODS = {
    "day": ("day", "days", "daily", "tag", "tage", "taglich", "täglich", "d"),
    "week": ("week", "weeks", "weekly", "woche", "wochen", "wochentlich", "wöchentlich", "w"),
    "month": ("month", "months", "monthly", "monat", "monate", "monatlich", "m", "mo"),
    "quarter": ("quarter", "quarterly", "quartal", "vierteljährlich"),
    "year": "year years yearly annual annually jahr jahre jährlich jahrlich y a".split(),
}
_PERIOD_OF = {word: period for period, words in _PERIODS.items() for word in words}
_COUNTED = re.compile(r"(?:every )?([0-9]{0,3}) ?(\w+)")


def read_period(field: str, text: str) -> tuple[int, str]:
    """A billing period: a number, and `day`, `week`, `month` or `year`; `2 weeks` is (2, week)."""
    match = _COUNTED.fullmatch(plain(text))
    period = _PERIOD_OF.get(match[2]) if match else None
    if match is None or period is None or match[1] == "0":
        message = _("`{field}` is {value}; expected day, week, month or year.")
        raise Invalid(message.format(field=field, value=shown(text)), field=field, value=text)
    count = int(match[1] or 1)
    return (3 * count, "month") if period == "quarter" else (count, period)
