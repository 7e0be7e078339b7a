"""The links in emails that open the page for reading: signed, so that no token is stored.

Each one names a subscriber and the moment in which it was written. Its signature includes the email
address, so that it ends with that address.
"""

import hmac
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from msgspec import Struct

from masthead.model.ids import is_id

READING_VALID = timedelta(days=60)  # letters are read late
READING_SESSION = timedelta(hours=1)  # from the moment in which the link is opened
_PURPOSE = b"reading"
_DIGITS = 32  # of the signature: 128 bits
_MOMENT = 14  # hexadecimal digits of the microseconds since 1970


class ReadingToken(Struct, frozen=True):
    """What a link says, before its signature is checked. written_at: when its email was."""

    subscriber_id: str
    written_at: datetime
    signature: str

    def is_signed(self, secret: bytes, account_id: int, email_digest: str) -> bool:
        """Whether this server wrote the link for the address that the subscriber has."""
        own = _signature(secret, account_id, self.subscriber_id, self.written_at, email_digest)
        return hmac.compare_digest(self.signature, own)


def write_reading_token(
    secret: bytes, account_id: int, subscriber_id: str, moment: datetime, email_digest: str
) -> str:
    """The part of a link that names a subscriber. Takes 5 µs. secret: of this server."""
    signature = _signature(secret, account_id, subscriber_id, moment, email_digest)
    return f"{subscriber_id}{_micros(moment):0{_MOMENT}x}{signature}"


def read_reading_token(token: str) -> ReadingToken | None:
    """What a token says; None if it has not the form of one."""
    id, rest = token[: -_MOMENT - _DIGITS], token[-_MOMENT - _DIGITS :]
    if not is_id(id) or not rest.isascii():
        return None
    try:
        moment = datetime.fromtimestamp(0, UTC) + timedelta(microseconds=int(rest[:_MOMENT], 16))
    except ValueError:
        return None
    return ReadingToken(id, moment, rest[_MOMENT:])


def _micros(moment: datetime) -> int:
    return (moment - datetime.fromtimestamp(0, UTC)) // timedelta(microseconds=1)


@lru_cache(maxsize=8)
def _key(secret: bytes) -> bytes:
    return hmac.digest(secret, _PURPOSE, "sha256")


def _signature(secret: bytes, account_id: int, id: str, moment: datetime, email_digest: str) -> str:
    text = f"{account_id} {id} {_micros(moment)} {email_digest}"
    return hmac.digest(_key(secret), text.encode(), "sha256").hex()[:_DIGITS]
