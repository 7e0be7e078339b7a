"""The address that ends renewal letters for a subscriber: signed, so that it needs no sign-in."""

import hmac
from functools import lru_cache

from masthead.model.ids import is_id

_PURPOSE = b"unsubscribe"
_DIGITS = 32  # of the signature: 128 bits


def unsubscribe_token(secret: bytes, subscriber_id: str) -> str:
    """The part of the address that names a subscriber. Takes 3 µs. secret: of this server."""
    return f"{subscriber_id}{_signature(secret, subscriber_id)}"


def read_unsubscribe_token(secret: bytes, token: str) -> str | None:
    """The id of the subscriber that a token names; None if its signature is wrong."""
    id, signature = token[:-_DIGITS], token[-_DIGITS:]
    if not is_id(id) or not signature.isascii():
        return None
    return id if hmac.compare_digest(signature, _signature(secret, id)) else None


def unsubscribe_url(public_url: str, secret: bytes, subscriber_id: str) -> str:
    """The address of the page on which a subscriber ends renewal letters."""
    return f"{public_url}/unsubscribe/{unsubscribe_token(secret, subscriber_id)}/"


@lru_cache(maxsize=8)
def _key(secret: bytes) -> bytes:
    return hmac.digest(secret, _PURPOSE, "sha256")


def _signature(secret: bytes, id: str) -> str:
    return hmac.digest(_key(secret), id.encode(), "sha256").hex()[:_DIGITS]


def masked_email(email: str) -> str:
    """An email address that only its owner recognizes, such as `a…@example.test`."""
    name, _, domain = email.rpartition("@")
    return f"{name[:1]}…@{domain}"
