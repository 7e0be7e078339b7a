"""A filter of passwords that were published in data breaches, and of common variations.

The file holds the first bytes of SHA-256 digests, sorted; tools/make_breached_passwords.py writes
it.
"""

import hashlib
import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from masthead.model.types.text import MAX_TEXT, casefold

FILE = Path(__file__).parent / "breached_passwords.bin"
MIN_WORD = 4
WIDTH = 5  # bytes of a digest; about one in ten million other texts has the same ones

_EDGES = re.compile(r"^[\W\d_]+|[\W\d_]+$")
_END = re.compile(r"[\W\d_]+$")
_SEPARATORS = re.compile(r"[\W_]+")
_LETTERS_MEANT = (
    str.maketrans("@48310!$57+", "aabeiois" + "stt"),
    str.maketrans("@48310!$57+", "aabelols" + "stt"),
)


def digest_of(text: str) -> bytes:
    """The bytes that the file stores for an entry."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).digest()[:WIDTH]


def unpadded(text: str) -> str:
    """The text without the digits and signs around it."""
    return _EDGES.sub("", text)


def repeated_part(text: str) -> str:
    """The shortest text that makes this text when repeated."""
    return text[: (text + text).index(text, 1)] if text else ""


def entries_of(password: str, shortest: int) -> set[str]:
    """The entries for a password of a list. shortest: the minimum length of a password.

    The entry for a shorter password is its word, because people add digits to make it longer.
    """
    folded = casefold(password.strip()[:MAX_TEXT])
    word = unpadded(folded)
    words = {word} if MIN_WORD <= len(word) < shortest else set()
    return words | {folded} if len(folded) >= shortest else words


def is_breached(folded: str) -> bool:
    """Whether a password is in the filter, or is a common variation of an entry.

    folded: the password without case. Many people add digits and signs around a word, replace
    letters with signs, repeat it, reverse it or add separators.
    """
    return any(_has(text) for text in set(_variations(folded)))


def _variations(folded: str) -> Iterator[str]:
    joined = _SEPARATORS.sub("", folded)
    for whole in (folded, joined, repeated_part(folded), repeated_part(joined)):
        for word in (whole, unpadded(whole), _END.sub("", whole)):
            yield from (word, word[::-1], repeated_part(word))
            for letters in _LETTERS_MEANT:
                yield unpadded(word.translate(letters))


def _has(text: str) -> bool:
    digests, wanted = _digests(), digest_of(text)
    count = len(digests) // WIDTH
    place = bisect_left(range(count), wanted, key=lambda each: _digest_at(digests, each))
    return place < count and _digest_at(digests, place) == wanted


def _digest_at(digests: bytes, place: int) -> bytes:
    return digests[place * WIDTH : (place + 1) * WIDTH]


@cache
def _digests() -> bytes:
    return FILE.read_bytes()
