"""Refused keys are logged; the log never contains the key."""

import secrets
from collections.abc import MutableMapping, Sequence
from typing import Any

import pytest
from structlog.testing import capture_logs

from masthead.model.ids import key_prefix, new_key
from masthead.services import keys
from tests.conftest import BY, Cast


def fresh_address() -> str:
    """An address that no other test uses for refusals."""
    number = secrets.randbelow(2**24)
    return f"13.{number >> 16}.{number >> 8 & 255}.{number & 255}"


def own_lines(logs: Sequence[MutableMapping[str, Any]]) -> list[MutableMapping[str, Any]]:
    """The lines about these requests; those of earlier tests may be counted in another line."""
    return [each for each in logs if each["event"] != "security log lines left out"]


@pytest.mark.parametrize(
    "kind, reason",
    [
        ("none", "no key"),
        ("two", "several keys"),
        ("basic", "not a key"),
        ("nonsense", "not a key"),
        ("unknown", "unknown, revoked or expired"),
        ("revoked", "unknown, revoked or expired"),
    ],
)
async def test_a_bad_key_is_logged_with_the_request_and_network(
    acme: Cast, kind: str, reason: str
) -> None:
    address, key = fresh_address(), new_key(acme.account_id)
    if kind == "revoked":
        key = acme.key
        await keys.revoke_key(acme.db, acme.account_id, acme.key_id, by=BY)
    given = {
        "none": [],
        "two": [f"Bearer {acme.key}", f"Bearer {acme.key}"],
        "basic": ["Basic dXNlcjpwYXNzd29yZA=="],
        "nonsense": ["Bearer hunter2-is-my-password"],
    }.get(kind, [f"Bearer {key}"])
    headers = [("X-Forwarded-For", address), *[("Authorization", each) for each in given]]
    with capture_logs() as logs:
        response = await acme.client.get("/v1/me/", headers=headers)
    assert response.status_code == 401
    (line,) = own_lines(logs)
    is_form = kind in ("unknown", "revoked")
    assert line == {
        "event": "bad key",
        "log_level": "warning",
        "request_id": response.headers["X-Request-Id"],
        "address": address,
        "reason": reason,
    } | ({"key": key_prefix(key)} if is_form else {})
    for part in (key[12:], acme.key[12:], "hunter2", "dXNlcj"):
        assert part not in str(line)


async def test_a_valid_key_is_not_logged(acme: Cast) -> None:
    with capture_logs() as logs:
        assert (await acme.get("/v1/me/")).status_code == 200
    assert logs == []


async def test_all_forwarding_headers_are_read_and_the_last_one_counts(acme: Cast) -> None:
    address = fresh_address()
    headers = [("X-Forwarded-For", fresh_address()), ("X-Forwarded-For", address)]
    with capture_logs() as logs:
        await acme.client.get("/v1/me/", headers=headers)
    assert [each["address"] for each in own_lines(logs)] == [address]
