"""Other spellings of what staff search for: umlauts, hyphens, phone numbers and typing errors.

The search index finds texts by their parts, so that each spelling is a list of parts that a text
must contain. `count_errors` then decides whether a word of the text is really meant.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, product
from string import ascii_lowercase

from masthead.model.search import search_terms
from masthead.model.types.email_addresses import stored_keys
from masthead.model.types.phone_numbers import significant_digits
from masthead.model.types.text import HYPHENS, MAX_TEXT, fold_searched

Terms = list[str]

LETTERS = 3  # of a part: the index knows no shorter ones
MIN_LETTERS = 4  # of a word in which an error is expected
LONG = 8  # letters of a word in which two errors are expected
MOST_MIXED, MOST_SPELLINGS = 3, 8  # words with umlauts, and searches for other spellings
MAX_LETTERS = 24  # longer words are rarely names, and have too many spellings
_UMLAUTS = {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"}
_WRITTEN_OUT = re.compile("ae|oe|ue|aa")
_PLAIN = {"ae": "a", "oe": "o", "ue": "u", "aa": "a"}
_PHONE = re.compile(r"(?:\+|\(|\b00?)[0-9][0-9 ()/.-]{4,}")
_WORD = re.compile(r"[^\s,;/()-]+")
_HYPHENS = re.compile(f"[{re.escape(''.join(HYPHENS))}-]")
MIN_PHONE_DIGITS = 5


def other_spellings(search: str) -> list[Terms]:
    """The same words with umlauts written in the other way, hyphens as blanks, and phone digits.

    `Müller` finds `Mueller`, `Mueller` finds `Müller`, `+49 30 12345` finds `030/12345`, and
    `ada@bücher.example` finds `ada@xn--bcher-kva.example`.
    """
    terms = search_terms(search)
    words = [_spellings_of(word) for word in _HYPHENS.sub(" ", search).split()]
    mixed = [[term for each in words for term in each] for words in product(*words[:MOST_MIXED])]
    rest = [term for each in words[MOST_MIXED:] for term in each[0]]
    others = list[Terms]()
    for each in (
        *_email_spellings(search),
        *([*first, *rest] for first in mixed),
        *_phone_spellings(search),
    ):
        if each and each != terms and each not in others:
            others.append(each)
    return others[:MOST_SPELLINGS]


def _spellings_of(word: str) -> list[Terms]:
    """The terms of a word as it is typed, and with its umlauts written in the other way."""
    typed = search_terms(word)
    written = search_terms(re.sub("[äöüøå]", lambda found: _UMLAUTS[found[0]], word.lower()))
    plain = [_WRITTEN_OUT.sub(lambda found: _PLAIN[found[0]], term) for term in typed]
    return [typed, *(each for each in (written, plain) if each != typed)]


def _email_spellings(search: str) -> Iterator[Terms]:
    """The terms with the domain of the first email address in Unicode and in ASCII."""
    word = next((each for each in search.split() if "@" in each), "")
    if 0 < len(word) <= MAX_TEXT:
        for key in stored_keys(word):
            yield search_terms(search.replace(word, key))


def _phone_spellings(search: str) -> Iterator[Terms]:
    """The digits after the code of the country or the first zero, if the search has a number."""
    text = fold_searched(search)
    if not (found := _PHONE.search(text)):
        return
    rest = search_terms(text[: found.start()] + " " + text[found.end() :])
    digits = significant_digits(found[0], least=MIN_PHONE_DIGITS)
    if len(digits) >= MIN_PHONE_DIGITS:
        yield [*rest, digits]


def likely_errors(term: str) -> list[Terms]:
    """Parts of the words that may be meant by a word with typing errors; empty for numbers.

    Of a word of eight letters or more, they are the parts that remain around two errors; of a
    shorter one, those around one error, or whole words if too little remains.
    """
    if not (MIN_LETTERS <= len(term) <= MAX_LETTERS) or not term.isalpha():
        return []
    return _smallest(_around_two_errors(term) if len(term) >= LONG else _around_one_error(term))


def few_errors(term: str) -> list[Terms]:
    """As `likely_errors`, for one error, and with so few parts that two words can have one.

    Of a word of four to six letters, they are its two halves. Those of four or five letters
    overlap: an error in the middle is not found.
    """
    if not (MIN_LETTERS <= len(term) <= MAX_LETTERS) or not term.isalpha():
        return []
    if len(term) > 2 * LETTERS:  # then enough remains around each error
        return _smallest(_around_one_error(term))
    return [[term[:LETTERS]], [term[-LETTERS:]]]


def _smallest(found: Iterable[frozenset[str]]) -> list[Terms]:
    """The lists of parts without those that contain all parts of another."""
    kept = list[frozenset[str]]()
    for parts in sorted(found, key=lambda parts: (sum(map(len, parts)), sorted(parts))):
        if not any(all(any(part in long for long in parts) for part in each) for each in kept):
            kept.append(parts)
    return [sorted(parts) for parts in kept]


def _around_one_error(term: str) -> Iterator[frozenset[str]]:
    """The parts around one letter that is wrong, missing, too many, or swapped with the next."""
    for place in range(len(term) + 1):
        start, end, rest = term[:place], term[place:], term[place + 1 :]
        if len(end) > 1:
            yield frozenset([f"{start}{end[1]}{end[0]}{end[2:]}"])
        if end and len(start + rest) >= LETTERS:
            yield frozenset([start + rest])
        for after in (end, rest) if end else (end,):
            if _is_enough(parts := _long_parts(start, after)):
                yield parts
            else:
                yield from (frozenset([f"{start}{it}{after}"]) for it in ascii_lowercase)


def _around_two_errors(term: str) -> Iterator[frozenset[str]]:
    """The parts around two errors, if enough of the word remains."""
    for one, other in combinations(range(len(term) + 1), 2):
        parts = _long_parts(term[:one], term[one + 1 : other], term[other + 1 :])
        if _is_enough(parts):
            yield parts


def _long_parts(*parts: str) -> frozenset[str]:
    return frozenset(part for part in parts if len(part) >= LETTERS)


def _is_enough(parts: frozenset[str]) -> bool:
    """Whether few texts contain them: they have two runs of three letters."""
    return sum(len(part) - LETTERS + 1 for part in parts) > 1


def max_errors(term: str) -> int:
    """How many errors a word may have to be found."""
    return 2 if len(term) >= LONG else 1


def closest(term: str, text: str, count: Callable[[str, str], int]) -> int | None:
    """The errors of the most similar word of a folded text; None if all have too many.

    count: `count_errors`, which may be cached for a search: many texts have the same words.
    """
    most = max_errors(term)
    letters = set(term)
    words = {
        each
        for each in _WORD.findall(text)
        if abs(len(each) - len(term)) <= most
        and len(letters.symmetric_difference(each)) <= 2 * most
    }
    counts = [errors for word in words if (errors := count(term, word)) <= most]
    return min(counts, default=None)


def count_errors(one: str, other: str) -> int:
    """How many letters are wrong, missing, too many, or swapped with the next one.

    Cost: the product of their lengths.
    """
    before: Sequence[int] = []
    above: list[int] = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        current = [row]
        for column, its in enumerate(other, 1):
            cost = min(
                above[column] + 1, current[column - 1] + 1, above[column - 1] + (letter != its)
            )
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == its:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        before, above = above, current
    return above[-1]
