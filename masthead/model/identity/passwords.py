"""The password policy: at least twelve characters, and no common or breached password."""

from masthead.model.errors import Invalid
from masthead.model.identity.breached_passwords import is_breached, repeated_part
from masthead.model.translations import gettext as _
from masthead.model.translations import gettext_noop
from masthead.model.types.email_addresses import email_key
from masthead.model.types.text import casefold, normalize

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
            _("This password is part of your email address.") + f" {_(ADVICE)}",
            field=field,
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
