"""Recovery codes: each one replaces an authenticator app or a passkey once."""

import hashlib
import secrets

from masthead.model.ids import BASE32

COUNT = 10
GROUPS, GROUP = 4, 6  # 24 letters of 5 bits: 120 bits, enough for a plain digest
_LENGTH = GROUPS * GROUP
_READ_AS = str.maketrans({"O": "0", "I": "1", "L": "1", "-": "", " ": ""})
_MOST = 100  # characters that are read


def new_recovery_codes() -> list[str]:
    """Ten new codes, each like `7KM2QX-…`. Entropy of each: 120 bits."""
    return [_new_code() for _ in range(COUNT)]


def _new_code() -> str:
    groups = ("".join(secrets.choice(BASE32) for _ in range(GROUP)) for _ in range(GROUPS))
    return "-".join(groups)


def recovery_code_digest(text: str) -> str | None:
    """The stored digest of a code, regardless of how it is typed; None if it is not a code."""
    code = text[:_MOST].strip().upper().translate(_READ_AS)
    if len(code) != _LENGTH or not set(code) <= set(BASE32):
        return None
    return hashlib.sha256(code.encode()).hexdigest()
