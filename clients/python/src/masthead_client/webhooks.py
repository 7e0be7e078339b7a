"""Checks the messages that masthead sends to webhooks: Standard Webhooks 1.0, with HMAC-SHA256."""

import base64
import binascii
import hmac
import json
import time
from collections.abc import Mapping

from masthead_client.errors import InvalidSignature
from masthead_client.types import Event

SECRET = "whsec_"  # noqa: S105 - how secrets begin
TOLERANCE = 300


def verify_webhook(
    body: bytes, headers: Mapping[str, str], secret: str, *, tolerance: float = TOLERANCE
) -> Event:
    """The event in a message to a webhook.

    body: the bytes of the request, as they arrived. secret: `whsec_…`, which was shown when the
    webhook was created. tolerance: how many seconds the message may be old, or early.

    Raises: InvalidSignature, unless the message is from masthead and not too old. Answer it with
    400. The same event can arrive again: its header `webhook-id` is then the same.
    """
    sent = {name.lower(): value for name, value in headers.items()}
    try:
        id, timestamp = sent["webhook-id"], sent["webhook-timestamp"]
        signatures = sent["webhook-signature"].split()
    except KeyError as missing:
        raise InvalidSignature(f"The header {missing} is missing.") from None
    try:
        age = abs(time.time() - int(timestamp))
    except ValueError:
        raise InvalidSignature(f"webhook-timestamp is {timestamp!r}, not a time.") from None
    if age > tolerance:
        raise InvalidSignature(
            f"The message is {age:.0f} seconds old; {tolerance:.0f} are allowed."
        )
    digest = hmac.digest(_key(secret), f"{id}.{timestamp}.".encode() + body, "sha256")
    expected = b"v1," + base64.b64encode(digest)
    # While a secret is replaced, there are several
    if not any(hmac.compare_digest(expected, each.encode()) for each in signatures):
        raise InvalidSignature(
            "No signature is right: check the secret, and use the body unchanged."
        )
    event: Event = json.loads(body)
    return event


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix(SECRET), validate=True)
    except binascii.Error:
        raise ValueError(
            "The secret of a webhook begins with whsec_, followed by Base64."
        ) from None
