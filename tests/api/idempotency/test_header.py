"""The header `Idempotency-Key`: quoted or bare, and what is refused."""

import re

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from masthead.api.http.request import HttpRequest
from masthead.api.idempotency.header import KEY_PATTERN, read_key
from masthead.model.errors import Invalid
from masthead.serving.requests import ActiveRequests
from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.expect import refused
from tests.support.keyed_requests import new_key, send

ISSUES = "/v1/issues/"
CODE = "invalid_idempotency_key"
PRINTABLE = st.characters(min_codepoint=32, max_codepoint=126)
KEYS = st.text(PRINTABLE, min_size=1, max_size=255)


def read(*values: bytes) -> bytes | None:
    """The key of a request with these headers."""

    async def unused(*_: object) -> None:
        raise AssertionError

    headers = [(b"idempotency-key", value) for value in values]
    scope = {
        "type": "http",
        "method": "POST",
        "path": ISSUES,
        "query_string": b"",
        "headers": headers,
        "scheme": "http",
        "http_version": "1.1",
    }
    return read_key(HttpRequest(scope, unused, unused, ActiveRequests(1)))  # type: ignore[arg-type]


@for_each(
    "value, key",
    [
        (b"a", b"a"),
        (b'"a"', b"a"),
        (b' \t"a" ', b"a"),
        (b"two words", b"two words"),
        (b'"two words"', b"two words"),
        (b"8e03978e-40d5-43dd-bc93-6894a57f9324", b"8e03978e-40d5-43dd-bc93-6894a57f9324"),
        (rb'"\"\\"', b'"\\'),
        (b'it"s', b'it"s'),
        (b"x" * 255, b"x" * 255),
        (b'"' + b"x" * 255 + b'"', b"x" * 255),
        (b'"' + rb"\"" * 255 + b'"', b'"' * 255),
    ],
)
def test_a_key_is_quoted_or_bare(value: bytes, key: bytes) -> None:
    assert read(value) == key


def test_without_the_header_there_is_no_key() -> None:
    assert read() is None


@for_each(
    "values, says",
    [
        ([b""], "is empty; send a key, such as a UUID"),
        ([b'""'], "is empty"),
        ([b'" "', b"a"], "2 `Idempotency-Key` headers; send one"),
        ([b"a", b"a"], "2 `Idempotency-Key` headers"),
        ([b"x" * 300], "300 characters; at most 255"),
        ([b'"' + b"x" * 256 + b'"'], "256 characters"),
        (["é".encode()], "printable ASCII"),
        ([b"a\tb"], "printable ASCII"),
        ([b"a\x7f"], "printable ASCII"),
        ([b'"a'], "quotation mark"),
        ([b'"'], "quotation mark"),
        ([b'"a"b"'], "quotation mark"),
        ([b'"a", "b"'], "quotation mark"),
        ([b'"a"; version=1'], "quotation mark"),
        ([rb'"\a"'], "quotation mark"),
        ([b'"a\\"'], "quotation mark"),
    ],
)
def test_another_value_is_refused(values: list[bytes], says: str) -> None:
    with pytest.raises(Invalid, match=says) as refusal:
        read(*values)
    assert refusal.value.code == CODE


@given(KEYS)
def test_any_printable_key_can_be_quoted(key: str) -> None:
    escaped = key.replace("\\", "\\\\").replace('"', '\\"')
    assert read(f'"{escaped}"'.encode()) == key.encode()


@given(st.binary(max_size=400))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_any_other_bytes_are_a_key_or_refused(value: bytes) -> None:
    try:
        key = read(value)
    except Invalid:
        return
    assert key is not None
    assert 0 < len(key) <= 255
    assert key.isascii()
    assert key.decode().isprintable()


@given(st.text(PRINTABLE, max_size=300) | KEYS.map(lambda key: f'"{key}"') | KEYS)
@example("x" * 255)
@example("x" * 256)
@example(" x")
@example('"' + "x" * 255 + '"')
@example('"' + "x" * 256 + '"')
@example(r'"\""')
def test_the_openapi_document_describes_what_is_accepted(value: str) -> None:
    value = value.strip()  # as HTTP does
    try:
        accepted = read(value.encode()) is not None
    except Invalid:
        accepted = False
    assert accepted is (re.fullmatch(KEY_PATTERN, value) is not None)


async def test_a_refused_key_writes_nothing(acme: Cast) -> None:
    for key in ("", "x" * 300):
        message = refused(await send(acme, "POST", ISSUES, {"number": 7}, key), CODE)
        assert "`Idempotency-Key`" in message
    assert (await acme.get(ISSUES)).json()["items"] == []


async def test_two_headers_are_refused(acme: Cast) -> None:
    headers = [("Idempotency-Key", new_key()), ("Idempotency-Key", new_key())]
    answer = await acme.client.post(ISSUES, key=acme.key, json={"number": 7}, headers=headers)
    assert "2 `Idempotency-Key` headers" in refused(answer, CODE)


async def test_a_quoted_and_a_bare_key_are_the_same(acme: Cast) -> None:
    key = new_key()
    first = await send(acme, "POST", ISSUES, {"number": 7}, key)
    again = await send(acme, "POST", ISSUES, {"number": 7}, f'"{key}"')
    assert again.content == first.content
    assert again.headers["Idempotent-Replayed"] == "true"


async def test_a_refused_key_is_reported_before_a_refused_body(acme: Cast) -> None:
    refused(await send(acme, "POST", ISSUES, {"no": 1}, ""), CODE)
    answer = await acme.client.post(
        ISSUES, key=acme.read_only_key, json={}, headers={"Idempotency-Key": ""}
    )
    refused(answer, "read_only_key", status=403)
