"""Email addresses: their syntax, and the forms in which they are compared."""

import re

from email_validator import SPECIAL_USE_DOMAIN_NAMES, EmailNotValidError, validate_email

from masthead.model.errors import Invalid
from masthead.model.types.text import casefold, caseless, normalize, short_text

SPECIAL_USE_DOMAIN_NAMES.clear()  # addresses are checked by syntax only: .test and .local are fine

# Addresses that need no second look: the library, which takes 30 µs, lets all of them pass
_PLAIN_EMAIL = re.compile(
    r"(?=.{1,254}\Z)(?=[^@]{1,64}@)(?!.*--)[A-Za-z0-9_+-]+(?:\.[A-Za-z0-9_+-]+)*"
    r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}"
)


def email_address(field: str, text: str) -> str:
    """The address in NFC if its syntax is right; no network is asked. Raises: Invalid."""
    if _PLAIN_EMAIL.fullmatch(short_text(field, text)):
        return text
    address = normalize("NFC", text)
    try:
        validate_email(address, check_deliverability=False)
    except EmailNotValidError as reason:
        raise Invalid(
            f"`{field}` is `{text}`; expected an e-mail address: {reason}", field=field, value=text
        ) from None
    return address


def domain_key(address: str) -> str:
    """What two spellings of an address's domain have in common, full-width letters included."""
    domain = address.rpartition("@")[2]
    return casefold(domain if domain.isascii() else normalize("NFKC", domain))


def email_key(address: str) -> str:
    """The address in the form for comparison: trimmed, NFC, case folded.

    Raises: Invalid if it is too long.
    """
    return caseless(short_text("email", address.strip()))
