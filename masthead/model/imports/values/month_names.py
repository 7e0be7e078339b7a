"""Names of months and of weekdays in some languages."""

from collections.abc import Iterator, Mapping
from functools import cache

from babel import Locale

from masthead.model.types.text import fold

_LANGUAGES = "en de fr es it nl pt pl cs sk hu ro sv da nb fi tr ru uk".split()
_BEFORE = "le el il on am den de the".split()  # `le 3 mai 2026`
_WIDTHS = ("wide", "abbreviated")


def month_of(word: str) -> int | None:
    """The number of a month; None if no language has it, or two mean different ones."""
    return _months().get(_key(word))


def is_before_a_date(word: str) -> bool:
    """Return whether a word before a date adds nothing to it, such as a weekday or `le`.

    A weekday of two letters needs a sign: `do` is Thursday in German, and until in Polish.
    """
    key = _key(word.rstrip(".,"))
    is_clear = len(key) > 2 or word[-1] in ".,"
    return key in _BEFORE or (is_clear and key in _weekdays())


def _key(word: str) -> str:
    return fold(word.rstrip(".").replace("ı", "i"))


def _names(named: Mapping[str, Mapping[str, Mapping[int, str]]]) -> Iterator[tuple[str, int]]:
    for context in ("format", "stand-alone"):
        for width in _WIDTHS:
            for number, name in named[context][width].items():
                yield _key(name), number


@cache
def _months() -> dict[str, int]:
    found = dict[str, set[int]]()
    for language in _LANGUAGES:
        for name, number in _names(Locale(language).months):
            found.setdefault(name, set()).add(number)
    others = {"sept": 9, "maerz": 3, "mrz": 3}
    return {name: min(numbers) for name, numbers in found.items() if len(numbers) == 1} | others


@cache
def _weekdays() -> frozenset[str]:
    return frozenset(
        name for language in _LANGUAGES for name, _day in _names(Locale(language).days)
    )
