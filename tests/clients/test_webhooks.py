"""A client accepts the messages that masthead signs, and no others."""

import datetime
import json
import time

import pytest
from standardwebhooks.webhooks import Webhook

from masthead.model.webhooks.signatures import SigningKeys, new_keys, rotate, sign
from masthead_client import InvalidSignature, verify_webhook

BODY = '{"id": 1, "type": "issue.created", "name": "Frühling"}'.encode()


def now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


def headers_of(keys: list[SigningKeys], *, seconds: int = 0) -> dict[str, str]:
    """The headers of a message that is signed so many seconds from now."""
    return dict(sign(keys, "msg_1", now() + datetime.timedelta(seconds=seconds), BODY))


def test_a_message_of_masthead_is_accepted() -> None:
    keys = new_keys()
    headers = headers_of([keys])
    assert verify_webhook(BODY, headers, keys.secret) == json.loads(BODY)
    capitals = {name.title(): value for name, value in headers.items()}
    assert verify_webhook(BODY, capitals, keys.secret) == Webhook(keys.secret).verify(BODY, headers)


def test_both_secrets_are_accepted_while_one_is_replaced() -> None:
    old = new_keys()
    both = rotate([old], now(), datetime.timedelta(hours=1))
    for each in both:
        assert verify_webhook(BODY, headers_of(both), each.secret)
    with pytest.raises(InvalidSignature):
        verify_webhook(BODY, headers_of(both[:1]), old.secret)


def test_a_changed_message_is_refused() -> None:
    keys = new_keys()
    headers = headers_of([keys])
    signature = headers["webhook-signature"]
    for change in (
        {"webhook-id": "msg_2"},
        {"webhook-timestamp": str(int(time.time()) + 1)},
        {"webhook-signature": ""},
        {"webhook-signature": signature.replace("v1,", "v2,")},
        {"webhook-signature": "v1,ä"},
    ):
        with pytest.raises(InvalidSignature, match="No signature is right"):
            verify_webhook(BODY, headers | change, keys.secret)
    with pytest.raises(InvalidSignature, match="No signature"):
        verify_webhook(BODY + b" ", headers, keys.secret)
    with pytest.raises(InvalidSignature, match="No signature"):
        verify_webhook(BODY, headers, new_keys().secret)


def test_an_old_message_is_refused() -> None:
    keys = new_keys()
    old = headers_of([keys], seconds=-400)
    with pytest.raises(InvalidSignature, match="300 are allowed"):
        verify_webhook(BODY, old, keys.secret)
    assert verify_webhook(BODY, old, keys.secret, tolerance=600)
    with pytest.raises(InvalidSignature, match="300 are allowed"):
        verify_webhook(BODY, headers_of([keys], seconds=400), keys.secret)


def test_what_is_missing_is_said() -> None:
    keys = new_keys()
    with pytest.raises(InvalidSignature, match="webhook-id"):
        verify_webhook(BODY, {}, keys.secret)
    headers = headers_of([keys]) | {"webhook-timestamp": "today"}
    with pytest.raises(InvalidSignature, match="'today', not a time"):
        verify_webhook(BODY, headers, keys.secret)
    with pytest.raises(ValueError, match="begins with whsec_"):
        verify_webhook(BODY, headers_of([keys]), "whpk_!")
