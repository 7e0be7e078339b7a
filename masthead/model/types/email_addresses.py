"""Email addresses: their syntax, and the forms in which they are compared."""

import re
from collections.abc import Callable
from typing import Any

from email_validator import (
    SPECIAL_USE_DOMAIN_NAMES,
    EmailNotValidError,
    ValidatedEmail,
    validate_email,
)

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.text import casefold, caseless, normalize, short_text

SPECIAL_USE_DOMAIN_NAMES.clear()  # addresses are checked by syntax only: .test and .local are fine

# The most frequent messages of the library, without the characters that some of them list
MISTAKES = (
    gettext_noop("An email address must have an @-sign."),
    gettext_noop("There must be something before the @-sign."),
    gettext_noop("There must be something after the @-sign."),
    gettext_noop("The part after the @-sign is not valid. It should have a period."),
    gettext_noop("An email address cannot end with a period."),
    gettext_noop("An email address cannot have a period immediately after the @-sign."),
    gettext_noop("An email address cannot have two periods in a row."),
    gettext_noop("An email address cannot start with a period."),
    gettext_noop("An email address cannot have a period immediately before the @-sign."),
    gettext_noop("An email address cannot have a hyphen immediately after the @-sign."),
    gettext_noop("An email address cannot have a period and a hyphen next to each other."),
    gettext_noop(
        "A display name and angle brackets around the email address are not permitted here."
    ),
    gettext_noop("The part after the @-sign contains invalid characters"),
    gettext_noop("The email address contains invalid characters before the @-sign"),
)

# Simple addresses, all valid for the library, which takes 30 µs
_PLAIN_EMAIL = re.compile(
    r"(?=.{1,254}\Z)(?=[^@]{1,64}@)(?!.*--)[A-Za-z0-9_+-]+(?:\.[A-Za-z0-9_+-]+)*"
    r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}"
)

_ENCODED_WORD = "=?"  # begins encoded text in the header of an email, which programs decode


def email_address(field: str, text: str) -> str:
    """The address in NFC, if its syntax is valid. Does not query DNS. Raises: Invalid."""
    if _PLAIN_EMAIL.fullmatch(short_text(field, text)):
        return text
    address = normalize("NFC", text)
    if _ENCODED_WORD in address:
        message = _("`{field}` is `{text}`; an email address cannot have `=?` in it.")
        raise Invalid(message.format(field=field, text=text), field=field, value=text)
    try:
        validate_email(address, check_deliverability=False, strict=True)
    except EmailNotValidError as reason:
        message = _("`{field}` is `{text}`; expected an email address. {reason}")
        message = message.format(field=field, text=text, reason=_reason(address, str(reason)))
        raise Invalid(message, field=field, value=text) from None
    return address


def _reason(address: str, message: str) -> str:
    """The message of the library about an address, translated."""
    if address.count("@") > 1:
        return _("There is more than one @-sign. Keep one address only.")
    mistake, colon, characters = message.partition(": ")
    return _(mistake) + colon + characters


def domain_key(address: str) -> str:
    """The domain of an address for comparison, without case, and in ASCII if it can be."""
    domain = address.rpartition("@")[2]
    if _is_plain(domain):
        return casefold(domain)
    found = _read_domain(domain)
    return found.ascii_domain if found else casefold(normalize("NFKC", domain))


def with_ascii_domain(address: str) -> str:
    """The address with `xn--bcher-kva.test` in place of `bücher.test`, which any server can send.

    An address that cannot be written so stays as it is.
    """
    if address.isascii():
        return address
    try:
        found = validate_email(address, check_deliverability=False)
    except EmailNotValidError:
        return address
    return f"{found.local_part}@{found.ascii_domain}"


def email_key(address: str) -> str:
    """The address for comparison: trimmed, in NFC, without case, with its domain in ASCII.

    `ada@BÜCHER.test` and `ada@xn--bcher-kva.test` have the same key. A domain that cannot be
    written in ASCII stays as it is. Raises: Invalid if the address is too long.
    """
    return stored_keys(address)[0]


def stored_keys(address: str) -> list[str]:
    """The keys that records with an address, or with its key, may have: its own one comes first.

    Versions before 0.3 stored the domain as it was written, in Unicode or in ASCII.
    Raises: Invalid if the address is too long.
    """
    text = short_text("email", address.strip())
    local, at, domain = text.rpartition("@")
    if _is_plain(domain) or not (found := _read_domain(domain)):
        return [caseless(text)]
    key = f"{caseless(local)}{at}{found.ascii_domain}"
    return list(dict.fromkeys([key, caseless(f"{local}{at}{found.domain}"), caseless(text)]))


def loaded_key(address: str) -> str:
    """The key of an imported subscriber: as earlier versions stored it, if others can find it so.

    Then an export of two subscribers whose addresses were different there can still be imported.
    Raises: Invalid if the address is too long.
    """
    key, written = email_key(address), written_key(address)
    is_found = email_key(written) == key and written in stored_keys(key)
    return written if is_found else key


def written_key(address: str) -> str:
    """The address trimmed, in NFC, without case, but with its domain as it is written.

    Ids depend on it. Raises: Invalid if the address is too long.
    """
    return caseless(short_text("email", address.strip()))


def by_spelling(address: str) -> Callable[[Any], tuple[bool, str]]:
    """A sort key for records with an `email` and an `id`: those with this spelling come first."""
    written = written_key(address)
    return lambda record: (written_key(record.email) != written, record.id)


def _is_plain(domain: str) -> bool:
    """Whether a domain has one spelling, apart from case."""
    return domain.isascii() and "xn--" not in casefold(domain)


def _read_domain(domain: str) -> ValidatedEmail | None:
    """A domain in Unicode and in ASCII; None if it cannot be written in both. Takes 0.1 ms."""
    try:
        return validate_email(f"a@{domain}", check_deliverability=False)
    except EmailNotValidError:
        return None
