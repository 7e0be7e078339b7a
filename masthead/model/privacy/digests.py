"""Digests by which an erased person is recognised, without their name or address.

A digest is an HMAC with a secret of the account: without the secret, nobody can test a list of
known addresses against it.
"""

import hashlib
import hmac
import secrets

from msgspec import Struct

from masthead.model.types.email_addresses import email_key, stored_keys
from masthead.model.types.text import fold


class PersonDetails(Struct, frozen=True, kw_only=True):
    """Who an order is for. email: None if there is none, and never a placeholder address."""

    email: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    company: str | None = None
    address1: str | None = None
    postcode: str | None = None


def new_secret() -> str:
    """A secret for the digests of an account. Entropy: 256 bits."""
    return secrets.token_hex(32)


def email_digest(secret: str, email: str) -> str:
    """The digest of an email address."""
    return _digest(secret, "email", email_key(email))


def known_email_digests(secret: str, email: str) -> list[str]:
    """The digests that an erasure of an email address may have, those of earlier versions too."""
    return [_digest(secret, "email", key) for key in stored_keys(email)]


def address_digest(secret: str, person: PersonDetails) -> str | None:
    """The digest of name, street and postcode; None if one of them is missing."""
    name = " ".join(filter(None, (person.first_name, person.last_name))) or person.company
    parts = [_comparable(part) for part in (name, person.address1, person.postcode)]
    return _digest(secret, "address", *parts) if all(parts) else None


def digests_of(secret: str, person: PersonDetails) -> list[str]:
    """The digests that tell whether a person is erased: of the email, else of the address."""
    if person.email:
        return known_email_digests(secret, person.email)
    digest = address_digest(secret, person)
    return [] if digest is None else [digest]


def _comparable(text: str | None) -> str:
    return "".join(filter(str.isalnum, fold(text or "")))


def _digest(secret: str, *parts: str) -> str:
    return hmac.new(secret.encode(), "\0".join(parts).encode(), hashlib.sha256).hexdigest()
