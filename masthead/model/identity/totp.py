"""Codes of an authenticator app: TOTP (RFC 6238), six digits, a new code every 30 seconds."""

import re
from datetime import datetime

import pyotp

from masthead.model.types.text import is_digits

SKEW = 1  # steps that a clock may be ahead or behind
SECRET = re.compile(r"[A-Z2-7]{32}")
_CODE_DIGITS = 6
_MOST = 20  # characters that are read
_BLANKS = re.compile(r"[\s-]+")


def new_secret() -> str:
    """A new secret to share with an app, in base32. Entropy: 160 bits."""
    return pyotp.random_base32()


def is_secret(text: str) -> bool:
    """Whether the text has the form of a secret."""
    return SECRET.fullmatch(text) is not None


def provisioning_uri(secret: str, *, email: str, issuer: str) -> str:
    """The URL that an app reads from a QR code. email, issuer: the texts that the app shows."""
    return pyotp.TOTP(secret).provisioning_uri(name=email, issuer_name=issuer)


def matching_step(secret: str, code: str, moment: datetime, *, after: int = -1) -> int | None:
    """The time step of a code: the current one, or the one before or after it.

    after: the last used step. Codes of this step and of earlier steps are refused.
    All steps are compared, each in constant time.
    """
    digits = _BLANKS.sub("", code[:_MOST])
    if len(digits) != _CODE_DIGITS or not is_digits(digits, at_most=_CODE_DIGITS):
        return None
    totp, found = pyotp.TOTP(secret), None
    now = totp.timecode(moment)
    for step in range(now - SKEW, now + SKEW + 1):
        is_same = pyotp.utils.strings_equal(totp.generate_otp(step), digits)
        if is_same and step > after:
            found = step
    return found
