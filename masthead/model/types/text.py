"""Text: maximum lengths, Unicode normal forms, and forms for comparison.

Only this module normalizes and folds text. The time is proportional to the length of the text,
and the length is limited.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Literal

from masthead.model.errors import Invalid, excerpt
from masthead.model.translations import gettext as _

MAX_TEXT = 255  # of one line
MAX_LONG_TEXT = 10_000  # of several lines, such as notes
MAX_LIST = 30_000  # of a list of numbers or dates in an import
MAX_DIGITS = 19  # of a whole number; the largest of 64 bits has as many
SHORT = 64  # characters; up to that length sorting combining marks takes microseconds

# German letters as those write them who have none, such as banks
WITHOUT_UMLAUTS = {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"}

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]


def short_text(field: str, text: str, limit: int = MAX_TEXT) -> str:
    """The text, unless it is too long. Raises: Invalid."""
    if len(text) > limit:
        raise Invalid(
            _("`{field}` has {length} characters; at most {limit} are allowed.").format(
                field=field, length=len(text), limit=limit
            ),
            field=field,
            value=excerpt(text),
        )
    return text


def is_digits(text: str, *, at_most: int) -> bool:
    """Whether the text is a whole number without a sign: 1 to `at_most` ASCII digits."""
    return 0 < len(text) <= at_most and text.isascii() and text.isdigit()


def normalize(form: Form, text: str) -> str:
    """The text in a Unicode normal form. Raises: ValueError if its length was never checked."""
    _require_limit(text)
    return _normalized(form, _with_marks_in_order(form, text))


def casefold(text: str) -> str:
    """The text for comparison without case. Raises: ValueError as `normalize` does."""
    _require_limit(text)
    return text.casefold()


def caseless(text: str) -> str:
    """The text for comparison without case, in NFC. Raises: ValueError."""
    if text.isascii():
        return casefold(text)
    return _normalized("NFC", normalize("NFC", text).casefold())


# Letters that Unicode does not decompose, although readers see an accented letter
_PLAIN_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ı": "i", "ŧ": "t", "æ": "ae", "œ": "oe", "þ": "th"}
)
_ACCENTS: dict[int, str | None] = dict.fromkeys(range(768, 880))
# Signs that are typed for one another. Invisible ones come from texts that were copied
APOSTROPHES = (
    "'`´\u02b9\u02bb\u02bc\u02bd\u055a\u05f3\u2018\u2019\u201b\u2032\u2035\ua78c\uff07\uff40"
)
HYPHENS = "-\u058a\u05be\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_INVISIBLE = (
    *(0xAD, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFEFF, 0xFFA0),
    *range(0x180B, 0x1810),
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2070),
    *range(0xFE00, 0xFE10),
    *range(0xFFF0, 0xFFF9),
    *range(0xE0000, 0xE01F0),
)
_SIGNS: dict[int, str | None] = {
    **dict.fromkeys(map(ord, APOSTROPHES), "'"),
    **dict.fromkeys(map(ord, HYPHENS), "-"),
    **dict.fromkeys(_INVISIBLE),
    0x2800: " ",
}
_LETTERS = _ACCENTS | _PLAIN_LETTERS
_FOLDED = _LETTERS | _SIGNS
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")


def fold(text: str) -> str:
    """The text as it is compared. Raises: ValueError.

    It has no case, accents, apostrophes and invisible signs, and one kind of hyphen: `O’Brien` and
    `o'brien` are the same, and so are the blanks of all kinds if the text is split into words.
    """
    return fold_searched(text).replace("'", "")


def fold_searched(text: str) -> str:
    """The text as `fold` has it, with all apostrophes as `'`, to search for. Raises: ValueError."""
    if text.isascii():
        return fold_ascii(casefold(text))
    _require_limit(text)
    try:
        return "".join(map(_FOLDED_LETTERS.__getitem__, text))  # a third of the time
    except KeyError:
        return _folded(text.replace("´", "'"), _FOLDED)


def fold_all(texts: Sequence[str]) -> list[str]:
    """What `fold` returns for each of many texts, in a third of the time. Raises: ValueError."""
    joined = "\0".join(texts)
    for letter in set(_BEYOND_ASCII.findall(joined)):
        if (folded := _FOLDED_LETTERS.get(letter)) is None:
            return list(map(fold, texts))
        joined = joined.replace(letter, folded)
    parts = fold_ascii(joined).replace("'", "").split("\0")
    return parts if len(parts) == len(texts) else list(map(fold, texts))


def fold_ascii(text: str) -> str:
    """What `fold_searched` returns for a text in ASCII of any length."""
    return text.lower().replace("`", "'")


def fold_letters(text: str) -> str:
    """The text without case and accents. Stored ids depend on the result. Raises: ValueError."""
    if text.isascii():
        return casefold(text)
    return _folded(text, _LETTERS)


def without_accents(text: str) -> str:
    """The text in NFKD without its combining marks; with its case. Raises: ValueError."""
    return "".join(each for each in normalize("NFKD", text) if not unicodedata.combining(each))


def _folded(text: str, replaced: Mapping[int, str | None]) -> str:
    folded = normalize("NFKD", text).casefold()
    plain = _normalized("NFKD", folded).translate(replaced)
    return _normalized("NFC", plain)


def _require_limit(text: str) -> None:
    if len(text) > MAX_LONG_TEXT:
        raise ValueError(f"A text of {len(text)} characters arrived; its length was not checked.")


def _normalized(form: Form, text: str) -> str:
    """The text in a normal form. Call it only if the marks are sorted or nearly sorted.

    Python sorts the combining marks after a letter in quadratic time, but in linear time if
    they are already sorted.
    """
    return unicodedata.normalize(form, text)


def _with_marks_in_order(form: Form, text: str) -> str:
    """The same text; if it is long, decomposed, with each run of marks in canonical order."""
    if len(text) <= SHORT or text.isascii():
        return text
    decomposition: Form = "NFD" if form == "NFC" else "NFKD"
    letters = "".join([_normalized(decomposition, letter) for letter in text])
    runs = groupby(letters, unicodedata.combining)
    ordered: list[str] = []
    marks: list[tuple[int, str]] = []
    for combining_class, run in runs:
        if combining_class:
            marks.append((combining_class, "".join(run)))
            continue
        ordered += _in_order(marks)
        marks = []
        ordered += run
    return "".join([*ordered, *_in_order(marks)])


def _in_order(marks: list[tuple[int, str]]) -> list[str]:
    """Combining marks by their class; those of one class keep their order."""
    return [text for _, text in sorted(marks, key=lambda mark: mark[0])]


# Letters and signs that are folded alike beside any others: what is left of them never joins what
# is before. A copied text may have the last ones: quotation marks, dashes and blanks
_FOLDED_LETTERS = {
    letter: folded
    for letter in map(chr, (*range(0x530), *range(0x2000, 0x2070)))
    if not any(map(unicodedata.combining, folded := _folded(letter.replace("´", "'"), _FOLDED)))
}
