"""Which passwords are taken: twelve characters or more, and none that is tried first."""

import re
from pathlib import Path

from masthead.model.errors import Invalid
from masthead.model.text import casefold, normalize
from masthead.model.values import email_key

MIN_PASSWORD = 12
MAX_PASSWORD = 128
MAX_TYPED = 4 * MAX_PASSWORD  # a letter that is typed in parts has at most four of them

_LINES = (Path(__file__).parent / "common_passwords.txt").read_text(encoding="utf-8").splitlines()
COMMON = frozenset(line for line in _LINES if not line.startswith("#"))
ROWS = ("abcdefghijklmnopqrstuvwxyz" * 5, "qwertyuiopasdfghjklzxcvbnm", "1234567890" * 13)
EDGES = re.compile(r"^[\W\d_]+|[\W\d_]+$")
ADVICE = "Take a few words that nobody would put together, or let your browser make one up."


def plain_password(text: str) -> str:
    """The password as it is hashed, however the keyboard composes its letters.

    Of a text that is longer than any password only the beginning is kept, which is none either.
    """
    return normalize("NFC", text[: MAX_TYPED + 1])


def new_password(text: str, email: str, *, field: str = "password") -> str:
    """A password that its owner may take, as it is hashed. Raises: Invalid; never shows it."""
    password = plain_password(text)
    length = len(password) if len(text) <= MAX_TYPED else len(text)
    if not MIN_PASSWORD <= length <= MAX_PASSWORD:
        raise Invalid(
            f"The password has {length} characters; {MIN_PASSWORD} to {MAX_PASSWORD} are "
            f"allowed. {ADVICE}",
            field=field,
        )
    folded = casefold(password)
    if _is_common(folded):
        raise Invalid(
            f"This password is among those that are tried first. {ADVICE}",
            field=field,
        )
    if any(folded == told or folded in (told * 3) for told in _told(email)):
        raise Invalid(
            f"This password is part of your e-mail address. {ADVICE}",
            field=field,
        )
    return password


def _is_common(folded: str) -> bool:
    """Whether it is in the list, with digits around it or repeated, or a run of the keyboard."""
    word, unit = EDGES.sub("", folded), _unit(folded)
    return (
        not COMMON.isdisjoint({folded, unit, word, word and _unit(word), EDGES.sub("", unit)})
        or len(unit) < 5
        or any(folded in row or folded in row[::-1] for row in ROWS)
    )


def _unit(text: str) -> str:
    """The shortest text that, repeated, makes this one."""
    return text[: (text + text).index(text, 1)]


def _told(email: str) -> tuple[str, ...]:
    """What an e-mail address tells of itself: the whole, and either side."""
    key = email_key(email)
    return key, *key.split("@")
