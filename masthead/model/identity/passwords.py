"""The password policy: at least twelve characters, and no common or breached password."""

import hashlib
import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.email_addresses import email_key
from masthead.model.types.text import MAX_TEXT, casefold, normalize

MIN_PASSWORD = 12
MAX_PASSWORD = 128
PRODUCT = "masthead"  # attackers try passwords with this word first
MIN_BESIDE_PRODUCT = 8  # characters in addition to this word
MAX_TYPED = 4 * MAX_PASSWORD  # a letter typed as combining parts has at most four

# Neighbours on a keyboard and in the alphabet, which repeats
LINES = (
    "abcdefghijklmnopqrstuvwxyzabcd 12345678901234 qwertyuiopasdfghjklzxcvbnm qwertzuiop yxcvbnm"
    " azertyuiop qsdfghjklm wxcvbn 1qaz 2wsx 3edc 4rfv 5tgb 6yhn 7ujm 8ik 9ol 1qay"
).split()
RUNS = frozenset(
    line[start : start + length]
    for row in LINES
    for line in (row, row[::-1])
    for length in (3, 4, 5)
    for start in range(len(line) - length + 1)
)
ADVICE = gettext_noop(
    "Use a few words that do not belong together, or let your browser make one up."
)


def plain_password(text: str) -> str:
    """The form of a password that is hashed. It does not depend on how keyboards compose letters.

    A text that is longer than any password is truncated, and remains too long to be one.
    """
    return normalize("NFC", text[: MAX_TYPED + 1])


def new_password(text: str, email: str, *, field: str = "password") -> str:
    """The password in the form that is hashed. Raises: Invalid; the message never shows it."""
    password = plain_password(text)
    length = len(password) if len(text) <= MAX_TYPED else len(text)
    if not MIN_PASSWORD <= length <= MAX_PASSWORD:
        raise Invalid(
            _("The password has {length} characters; {least} to {most} are allowed.").format(
                length=length, least=MIN_PASSWORD, most=MAX_PASSWORD
            )
            + f" {_(ADVICE)}",
            field=field,
        )
    folded = casefold(password)
    if _is_common(folded):
        raise Invalid(
            _(
                "This password is too common: it, or a very similar one, was published in a data "
                "breach."
            )
            + f" {_(ADVICE)}",
            field=field,
        )
    if any(folded == part or folded in (part * 3) for part in _parts_of(email)):
        raise Invalid(
            _("This password is part of your email address.") + f" {_(ADVICE)}", field=field
        )
    return password


def _is_common(folded: str) -> bool:
    """Whether the password is a keyboard run, or it or a similar one was published in a breach."""
    return (
        is_breached(folded)
        or len(repeated_part(folded)) < 5
        or _is_of_runs(folded)
        or (PRODUCT in folded and len(folded.replace(PRODUCT, "")) < MIN_BESIDE_PRODUCT)
    )


def _is_of_runs(folded: str) -> bool:
    """Whether a password consists of keyboard runs or repeated characters, each three or longer.

    Other characters are ignored unless they are at least half of it.
    """
    text = "".join(filter(str.isalnum, folded))
    reached = {0}
    for start in range(len(text)):
        for piece in (text[start : start + length] for length in (3, 4, 5)):
            if start in reached and (piece in RUNS or (len(piece) == 3 and len({*piece}) == 1)):
                reached.add(start + len(piece))
    return len(text) in reached and 2 * len(text) > len(folded)


def _parts_of(email: str) -> tuple[str, ...]:
    """The address and its two parts, for comparison with a password."""
    key = email_key(email)
    return key, *key.split("@")


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
