"""Address formats of libaddressinput, such as `%N%n%O%n%A%n%Z %C`, as functions.

The fields are name (N), company (O), address lines (A), town (C), state (S) and postcode (Z).
"""

import re
from collections.abc import Callable
from functools import lru_cache

from msgspec import Struct

from masthead.model.types.text import casefold

PLACES = {"N": 0, "O": 1, "A": 2, "C": 3, "S": 4, "Z": 5}
_FIELD = re.compile("%([NOACSZ])")
_LITERAL = re.compile("([ ,/-]*)(.*)")

Values = list[str]  # in the order of PLACES; empty if there is none; `\n` between address lines


def complete_format(format: str) -> str:
    """The format with all fields but the state. Those that the country lacks get a sensible place.

    A town is written next to the street, and a postcode after the town in its line.
    """
    if "%C" not in format:
        is_western = format.index("%N") < format.index("%A")  # from the person to the country
        format = format.replace("%A", "%A%n%C" if is_western else "%C%n%A")
    if "%Z" not in format:
        format = format.replace("%C", "%C %Z")
    return "%n".join([line for line in format.split("%n") if line.strip()])


class _Part(Struct, frozen=True):
    """A field in its line, or a fixed word.

    separator: what is written before it, unless it comes first. prefix: what is written before it
    in any case, such as `SI-`, unless the value begins with `code` already.
    """

    place: int
    separator: str
    prefix: str
    code: str


@lru_cache(maxsize=1024)
def compiled(format: str, upper: str) -> Callable[[Values], list[str]]:
    """The function that arranges values in the lines of a format. It may change the list.

    A state is left out if the format has none; without a town, it is written as the town.
    upper: the fields in capitals.
    """
    words: list[str] = []
    rows = [_parts(line, words) for line in complete_format(format).split("%n")]
    plain = [[(part.place, part.separator, part.prefix, part.code) for part in row] for row in rows]
    capitals = [PLACES[field] for field in upper if field in PLACES]
    town, state = PLACES["C"], PLACES["S"]
    redundant = {casefold(word) for word in words}
    has_state = "%S" in format

    def arrange(values: Values) -> list[str]:
        if not has_state and not values[town]:
            values[town] = values[state]
        for place in capitals:
            values[place] = values[place].upper()
        if words:
            for place in (town, state):  # Singapore is in the format already
                if casefold(values[place]) in redundant:
                    values[place] = ""
            values += words
        lines: list[str] = []
        for row in plain:
            text = ""
            for place, separator, prefix, code in row:
                value = values[place]
                if value:
                    if prefix and not _begins_with(value, code):
                        value = prefix + value
                    text = text + separator + value if text else value
            if "\n" in text:
                lines += text.split("\n")
            elif text:
                lines.append(text)
        return lines

    return arrange


def _begins_with(value: str, code: str) -> bool:
    """Whether a postcode has the prefix already: `L-4711` and `l 4711` have `L`."""
    return value.upper().startswith(code) and not value[len(code) : len(code) + 1].isalpha()


def _parts(line: str, words: list[str]) -> list[_Part]:
    """The parts of a line. Adds its fixed words, whose places follow those of the fields.

    A text with letters is a prefix of the field right after it, as in `SI-%Z`, or else a fixed
    word, as in `SINGAPORE %Z`.
    """
    literals = _FIELD.split(line)
    parts: list[_Part] = []
    for literal, field in zip(literals[::2], [*literals[1::2], ""], strict=True):
        match = _LITERAL.fullmatch(literal)
        assert match
        separator, text = match.groups()
        if text and (not field or text.endswith(" ")):
            words.append(text.strip())
            parts.append(_Part(len(PLACES) + len(words) - 1, separator, "", ""))
            separator, text = " ", ""
        if field:
            parts.append(_Part(PLACES[field], separator, text, text.rstrip("-")))
    return parts
