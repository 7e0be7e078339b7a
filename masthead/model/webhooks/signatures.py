"""Signatures of Standard Webhooks 1.0: HMAC-SHA256 (`v1`) and ed25519 (`v1a`)."""

import hmac
import secrets
from base64 import b64decode, b64encode
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from masthead.lazy_modules import LazyModule

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ed25519
else:
    ed25519 = LazyModule("cryptography.hazmat.primitives.asymmetric.ed25519")


SECRET, PRIVATE, PUBLIC = "whsec_", "whsk_", "whpk_"
_BYTES = 32


class SigningKeys(Struct, frozen=True):
    """What signs the messages of an endpoint.

    secret: `whsec_…`, shared with the receiver. private: `whsk_…`, which never leaves the database.
    ends_at: when a replaced pair stops signing; None for the newest.
    """

    secret: str
    private: str
    ends_at: datetime | None = None

    @property
    def public(self) -> str:
        """`whpk_…`, with which a receiver checks `v1a` signatures."""
        key = _private_key(self.private).public_key()
        return PUBLIC + b64encode(key.public_bytes_raw()).decode()


def new_keys() -> SigningKeys:
    """New keys: 256 random bits each."""
    return SigningKeys(
        SECRET + b64encode(secrets.token_bytes(_BYTES)).decode(),
        PRIVATE + b64encode(secrets.token_bytes(_BYTES)).decode(),
    )


def rotate(keys: Sequence[SigningKeys], moment: datetime, overlap: timedelta) -> list[SigningKeys]:
    """New keys before the current ones, which also sign until the overlap has passed."""
    ends_at = moment + overlap
    old = [replace(each, ends_at=min(each.ends_at or ends_at, ends_at)) for each in keys]
    return [new_keys(), *in_force(old, moment)]


def in_force(keys: Sequence[SigningKeys], moment: datetime) -> list[SigningKeys]:
    """The keys that still sign, newest first."""
    return [each for each in keys if each.ends_at is None or each.ends_at > moment]


def sign(
    keys: Sequence[SigningKeys], id: str, moment: datetime, body: bytes
) -> tuple[tuple[str, str], ...]:
    """The headers of a message: its id, the time of the attempt, and two signatures of each key."""
    timestamp = str(int(moment.timestamp()))
    content = f"{id}.{timestamp}.".encode() + body
    signatures = [
        signature
        for each in keys
        for signature in (
            "v1," + b64encode(hmac.digest(_secret_bytes(each.secret), content, "sha256")).decode(),
            "v1a," + b64encode(_private_key(each.private).sign(content)).decode(),
        )
    ]
    return (
        ("webhook-id", id),
        ("webhook-timestamp", timestamp),
        ("webhook-signature", " ".join(signatures)),
    )


@lru_cache(1000)
def _secret_bytes(secret: str) -> bytes:
    return b64decode(secret.removeprefix(SECRET))


@lru_cache(1000)
def _private_key(private: str) -> "ed25519.Ed25519PrivateKey":
    return ed25519.Ed25519PrivateKey.from_private_bytes(b64decode(private.removeprefix(PRIVATE)))
