"""Signatures of Standard Webhooks, checked by the library of the standard and by ed25519."""

from base64 import b64decode
from datetime import UTC, datetime, timedelta

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from standardwebhooks.webhooks import Webhook as Oracle, WebhookVerificationError

from masthead.model.clock import now
from masthead.model.webhooks.signatures import SigningKeys, in_force, new_keys, rotate, sign

BODY = '{"type": "issue.created", "name": "Frühling"}'.encode()


def signatures(headers: dict[str, str], version: str) -> list[str]:
    parts = [each.split(",") for each in headers["webhook-signature"].split(" ")]
    return [signature for found, signature in parts if found == version]


def test_the_library_of_the_standard_accepts_a_message() -> None:
    keys = new_keys()
    headers = dict(sign([keys], "4294967297", now(), BODY))
    assert Oracle(keys.secret).verify(BODY, headers)["name"] == "Frühling"


def test_the_library_of_the_standard_refuses_another_body_and_another_secret() -> None:
    keys = new_keys()
    headers = dict(sign([keys], "4294967297", now(), BODY))
    for secret, body in ((keys.secret, BODY + b" "), (new_keys().secret, BODY)):
        with pytest.raises(WebhookVerificationError):
            Oracle(secret).verify(body, headers)


def test_the_signature_is_the_one_of_the_library() -> None:
    keys, moment = new_keys(), datetime(2026, 3, 2, 9, 15, 0, 999, UTC)
    headers = dict(sign([keys], "msg_1", moment, BODY))
    own = f"v1,{signatures(headers, 'v1')[0]}"
    assert own == Oracle(keys.secret).sign("msg_1", moment, BODY.decode())


def test_the_public_key_checks_the_second_signature() -> None:
    keys = new_keys()
    headers = dict(sign([keys], "1", now(), BODY))
    public = Ed25519PublicKey.from_public_bytes(b64decode(keys.public.removeprefix("whpk_")))
    content = f"1.{headers['webhook-timestamp']}.".encode() + BODY
    signature = b64decode(signatures(headers, "v1a")[0])
    public.verify(signature, content)
    with pytest.raises(InvalidSignature):
        public.verify(signature, content + b" ")


def test_both_secrets_sign_during_a_rotation() -> None:
    moment = now()
    old = new_keys()
    keys = rotate((old,), moment, timedelta(hours=1))
    assert keys[0].secret != old.secret
    headers = dict(sign(in_force(keys, moment), "1", moment, BODY))
    assert len(signatures(headers, "v1")) == len(signatures(headers, "v1a")) == 2
    for secret in (old.secret, keys[0].secret):
        Oracle(secret).verify(BODY, headers)


def test_the_old_secret_ends_with_the_overlap_and_no_later_rotation_extends_it() -> None:
    moment = now()
    keys = rotate((new_keys(),), moment, timedelta(hours=1))
    keys = rotate(keys, moment, timedelta(hours=9))
    assert [each.ends_at for each in keys] == [
        None,
        moment + timedelta(hours=9),
        moment + timedelta(hours=1),
    ]
    assert len(in_force(keys, moment + timedelta(hours=2))) == 2
    assert in_force(keys, moment + timedelta(hours=9)) == keys[:1]


def test_a_rotation_without_an_overlap_ends_the_old_secret_at_once() -> None:
    assert len(rotate((new_keys(),), now(), timedelta())) == 1


def test_secrets_have_the_prefixes_of_the_standard() -> None:
    keys = new_keys()
    assert isinstance(keys, SigningKeys)
    assert (keys.secret[:6], keys.private[:5], keys.public[:5]) == ("whsec_", "whsk_", "whpk_")
    assert len(b64decode(keys.secret[6:])) == 32
