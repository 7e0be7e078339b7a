"""Which encoding a text file has, by the letters that each encoding makes of its bytes.

Each reading of a word gets a score: how usual its letters are between their neighbours in the
languages of the encoding. Signs inside words, capitals after small letters and mixed alphabets
count against it. What several encodings read alike is not asked.
"""

import codecs
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise

from msgspec import Struct

from masthead.model.errors import Invalid, excerpt
from masthead.model.imports.values.letter_samples import SAMPLES
from masthead.model.translations import gettext as _, gettext_noop

ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "cp1252": gettext_noop("Windows-1252, Western Europe"),
    "cp1250": gettext_noop("Windows-1250, Central Europe"),
    "cp1251": gettext_noop("Windows-1251, Cyrillic"),
    "cp1253": gettext_noop("Windows-1253, Greek"),
    "cp1254": gettext_noop("Windows-1254, Turkish"),
    "iso8859-15": gettext_noop("ISO-8859-15, Western Europe"),
    "iso8859-2": gettext_noop("ISO-8859-2, Central Europe"),
    "iso8859-7": gettext_noop("ISO-8859-7, Greek"),
    "mac-roman": gettext_noop("Mac Roman, Western Europe"),
    "mac-cyrillic": gettext_noop("Mac Cyrillic"),
    "cp1255": gettext_noop("Windows-1255, Hebrew"),
    "cp1256": gettext_noop("Windows-1256, Arabic"),
    "cp1257": gettext_noop("Windows-1257, Baltic"),
    "koi8-u": gettext_noop("KOI8-R and KOI8-U, Cyrillic"),
    "cp850": gettext_noop("Code page 850, DOS, Western Europe"),
    "cp737": gettext_noop("Code page 737, DOS, Greek"),
    "cp852": gettext_noop("Code page 852, DOS, Central Europe"),
    "cp857": gettext_noop("Code page 857, DOS, Turkish"),
    "cp866": gettext_noop("Code page 866, DOS, Cyrillic"),
    "cp932": gettext_noop("Shift-JIS, Japanese"),
}
# Names of encodings that are read as others with the same letters
_ALIKE = {
    "shift_jis": "cp932",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "koi8-r": "koi8-u",
    "ascii": "utf-8",
}
ENCODING_NAMES = {  # as a message calls those that most files have
    "utf-8": "UTF-8",
    "utf-8-sig": gettext_noop("UTF-8 with a byte order mark"),
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "cp1252": "Windows-1252",
}
MAX_LINES = 400  # with letters outside ASCII, which are compared
MAX_LETTERS = 500  # outside ASCII; comparing one takes up to 100 µs
_LINE = 1_000  # bytes of a line that are compared
_SHOWN = 3  # words of each reading
_MARGIN, _LEAST = 3.4, -6.0  # of the best score to the next one; of a letter on average
# Where all letters count, not only those with marks, rare names score more than this, and files in
# encodings that are not known (ISO-8859-5, Mac Greek) less
_LEAST_OF = dict.fromkeys(
    "cp1251 koi8-u cp866 mac-cyrillic cp1253 iso8859-7 cp737 cp1255 cp1256".split(), -4.2
)
_WESTERN = ["de fr es it pt da sv fi nl"]
_CENTRAL = ["pl cs sk hu ro de", "pl cs sk hr de"]
_CYRILLIC = ["ru uk bg sr"]
# The languages of each, in groups: a file has those of one group, as Estonian is not Icelandic
_LANGUAGES = {
    "cp1252": ["de fr es it pt da sv fi nl ga et", "de fr es it da sv fi nl is"],
    "iso8859-15": _WESTERN,
    "mac-roman": _WESTERN,
    "cp850": _WESTERN,
    "cp852": _CENTRAL,
    "cp857": ["tr"],
    "cp737": ["el"],
    "cp866": _CYRILLIC,
    "koi8-u": _CYRILLIC,
    "cp1255": ["he"],
    "cp1256": ["ar"],
    "cp1257": ["lt", "lv", "et"],
    "cp1250": _CENTRAL,
    "iso8859-2": _CENTRAL,
    "cp1251": _CYRILLIC,
    "mac-cyrillic": _CYRILLIC,
    "cp1253": ["el"],
    "iso8859-7": ["el"],
    "cp1254": ["tr"],
    "cp932": [],
}
# How much more often files have an encoding than others
_USUAL = {
    "cp1252": 4,
    **dict.fromkeys(("cp1250", "cp1251", "cp1253", "cp1254"), 2),
    "cp850": -1,
    "iso8859-7": -2,
    "mac-cyrillic": -6,
}
_OUTSIDE = bytes(range(0x80, 0x100))
_SIGN, _MIXED, _CAPITAL = -13, -9, -5
_WORDS = re.compile(r"[A-Za-z\x80-\U0010ffff]*[^\x00-\x7f][A-Za-z\x80-\U0010ffff]*")
_SIGNS = frozenset("€–—‘’“”„‚«»°§·…®©™½²³£¿¡ªº´`\xa0•")
_BESIDE = frozenset("’“”„«»–")  # signs that may be beside a letter


class Reading(Struct, frozen=True):
    """A file in an encoding. words: some with letters outside ASCII."""

    encoding: str
    score: float
    words: Sequence[str]

    def shown(self) -> str:
        """The first words, as a message shows them."""
        return ", ".join(f"`{excerpt(word)}`" for word in self.words[:_SHOWN])


def encoding_named(name: str) -> str:
    """The encoding with a name such as `windows-1250`. Raises: Invalid."""
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        found = ""
    found = _ALIKE.get(found, found).removesuffix("-sig")
    if found not in ENCODINGS:
        message = _("`encoding` is `{name}`; use one of {names}.")
        names = ", ".join(f"`{each}`" for each in ENCODINGS)
        raise Invalid(message.format(name=excerpt(name), names=names), field="encoding", value=name)
    return found


def choose_encoding(lines: Sequence[bytes]) -> str:
    """The encoding of lines that are not UTF-8. Raises: Invalid if it is not clear."""
    lines = _first_letters(lines)
    readings = compare_readings(lines)
    best, *others = readings
    letters = sum(map(_count_letters, lines))
    is_clear = not others or best.score - others[0].score >= _MARGIN
    if is_clear and best.score >= _LEAST_OF.get(best.encoding, _LEAST) * letters:
        return best.encoding
    text = _(
        "The encoding of the file is not clear. Compare the words: {readings}. Choose the "
        "encoding, or save the file as CSV UTF-8."
    )
    shown = "; ".join(f"{_(ENCODINGS[each.encoding])}: {each.shown()}" for each in readings[:3])
    raise Invalid(text.format(readings=shown), field="encoding", value=best.encoding)


def _first_letters(lines: Sequence[bytes]) -> list[bytes]:
    """The lines up to the limit of letters outside ASCII."""
    kept, letters = list[bytes](), 0
    for line in lines:
        kept.append(line[:_LINE])
        letters += _count_letters(kept[-1])
        if letters > MAX_LETTERS:
            break
    return kept


def _count_letters(line: bytes) -> int:
    """The bytes outside ASCII."""
    return len(line) - len(line.translate(None, _OUTSIDE))


def compare_readings(lines: Sequence[bytes]) -> list[Reading]:
    """The readings of lines that differ, the best first; one at least: some read all bytes."""
    found: dict[tuple[str, ...], Reading] = {}
    for encoding in _LANGUAGES:
        try:
            texts = [_decode(line, encoding) for line in lines]
        except UnicodeDecodeError:
            continue
        words = tuple(dict.fromkeys(word for text in texts for word in _WORDS.findall(text)))
        score = _USUAL.get(encoding, 0) + _score(encoding, words)
        reading = Reading(encoding, score, words)
        if words not in found or found[words].score < score:
            found[words] = reading
    return sorted(found.values(), key=lambda each: -each.score)


def _decode(line: bytes, encoding: str) -> str:
    """A line in an encoding. An incomplete character does not count where a long line was cut."""
    return codecs.getincrementaldecoder(encoding)().decode(line, len(line) < _LINE)


def _score(encoding: str, words: Sequence[str]) -> float:
    """The logarithm of how usual words are, about: in the languages that fit best together."""
    if encoding == "cp932":
        return sum(_japanese(*three) for word in words for three in _threes(word))
    groups = [each.split() for each in _LANGUAGES[encoding]]
    languages = dict.fromkeys(language for group in groups for language in group)
    score, of_letters = 0.0, [0.0] * len(groups)
    letters = _LettersOfLanguages(languages)
    for word in words:
        of_signs, by_language = _score_word(word, letters)
        score += of_signs
        for place, group in enumerate(groups):
            of_letters[place] += max(by_language[language] for language in group)
    return score + max(of_letters)


def _score_word(word: str, letters: "_LettersOfLanguages") -> tuple[float, dict[str, float]]:
    """The score of the signs of a word, and that of its letters by language."""
    score, of_letters = 0.0, dict.fromkeys(letters.languages, 0.0)
    for before, char, after in _threes(word):
        is_inside = before.isalpha() and after.isalpha()
        is_beside = before.isalpha() or after.isalpha()
        if char.isalpha() and char not in "ªº":
            if "\u0370" <= char < "\u0700" and (_is_latin(before) or _is_latin(after)):
                score += _MIXED
            if (char.isupper() and before.islower()) or (
                char.islower() and before.isupper() and after.isupper()
            ):
                score += _CAPITAL
            for language, of_letter in letters.scores(before, char, after):
                of_letters[language] += of_letter
        elif char in _SIGNS and (char == "’" or not is_inside):
            score += -3 if char in _BESIDE or not is_beside else _SIGN
        else:
            score += _SIGN
    return score, of_letters


def _threes(word: str) -> list[tuple[str, str, str]]:
    """The letters of a word outside ASCII, each with its neighbours."""
    padded = f" {word} "
    return [
        (padded[at - 1], padded[at], padded[at + 1])
        for at in range(1, len(padded) - 1)
        if not padded[at].isascii()
    ]


def _is_latin(char: str) -> bool:
    return char.isascii() and char.isalpha()


def _japanese(before: str, char: str, after: str) -> float:
    if _is_latin(before) or _is_latin(after):
        return _SIGN
    if "\u3000" <= char <= "\u30ff" or "\u4e00" <= char <= "\u9fff" or "\uff00" <= char <= "\uff5e":
        return -7
    return -9 if "\uff61" <= char <= "\uff9f" else _SIGN


class _LettersOfLanguages:
    """How usual letters are in some languages; the scores of a file are worked out once."""

    def __init__(self, languages: Iterable[str]) -> None:
        self.languages = {language: _letters(language) for language in languages}
        self._scores: dict[str, list[tuple[str, float]]] = {}

    def scores(self, before: str, char: str, after: str) -> list[tuple[str, float]]:
        """The score of a letter between two others, by language."""
        key = before + char + after
        if (found := self._scores.get(key)) is None:
            three = [_small(each) if each.isalpha() else " " for each in key]
            found = [(name, each.score(*three)) for name, each in self.languages.items()]
            self._scores[key] = found
        return found


class _Letters:
    """How often letters of a language are beside others."""

    def __init__(self, words: str) -> None:
        self._one, self._two = Counter[str](), Counter[str]()
        self._first, self._last = Counter[str](), Counter[str]()
        for word in re.findall(r"[^\W\d_]+", words):
            text = f" {''.join(map(_small, word))} "
            self._one.update(text[1:-1])
            for pair in pairwise(text):
                self._two["".join(pair)] += 1
            self._first.update(text[:-1])
            self._last.update(text[1:])
        self._all = sum(self._one.values())

    def score(self, before: str, char: str, after: str) -> float:
        """The logarithm of how usual a small letter is between two others, or blanks."""
        behind = self._two[before + char] / (self._first[before] + 3)
        ahead = self._two[char + after] / (self._last[after] + 3)
        return math.log(0.35 * behind + 0.35 * ahead + 0.3 * self._one[char] / self._all + 2e-5)


def _small(char: str) -> str:
    return "i" if char == "İ" else char.lower()


@cache
def _letters(language: str) -> _Letters:
    return _Letters(SAMPLES[language])
