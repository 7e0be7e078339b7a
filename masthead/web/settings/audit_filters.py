"""Settings: the filters of the audit log that are set, each with a name and how to remove it."""

from collections.abc import Mapping, Sequence
from datetime import date

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.web.kit.formatting import day_in, get_locale

DAYS = ("since", "until")


class SetFilter(Struct, frozen=True):
    """A filter that is set. names: of its fields in the URL."""

    label: str
    names: Sequence[str]


def list_set(
    values: Mapping[str, str],
    choices: Mapping[str, Sequence[tuple[str, str]]],
    days: Sequence[tuple[str, str]],
    locale: str,
) -> list[SetFilter]:
    """The filters that are set, in words.

    choices: the values of a field with their names. days: names of days, with the day.
    """
    found: list[SetFilter] = []
    since, until = values["since"], values["until"]
    named = {day: name for name, day in days}
    if since and since == until:
        found.append(SetFilter(named.get(since, _day(since, locale)), DAYS))
    else:
        if since:
            found.append(SetFilter(_("from {day}").format(day=_day(since, locale)), ["since"]))
        if until:
            found.append(SetFilter(_("until {day}").format(day=_day(until, locale)), ["until"]))
    for name, pairs in choices.items():
        if value := values[name]:
            found.append(SetFilter(dict(pairs).get(value, value), [name]))
    if values["record"]:
        found.append(SetFilter(_("ID {id}").format(id=values["record"]), ["record"]))
    return found


def has_other_than_chips(
    values: Mapping[str, str], people: Sequence[tuple[str, str]], days: Sequence[tuple[str, str]]
) -> bool:
    """Whether a filter is set that none of the chips above the list shows.

    people, days: what the chips choose, with their names.
    """
    of_days = {("", ""), *((day, day) for _name, day in days)}
    return (
        values["who"] not in {"", *(id for id, _name in people)}
        or (values["since"], values["until"]) not in of_days
        or any(value for name, value in values.items() if name not in ("who", *DAYS))
    )


def _day(text: str, locale: str) -> str:
    """A day in words; the text itself if it is none."""
    try:
        return day_in(date.fromisoformat(text), get_locale(locale))
    except (ValueError, Invalid):
        return text
