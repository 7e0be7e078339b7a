"""Codes of an authenticator app, compared with the examples of RFC 6238."""

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pyotp
import pytest

from masthead.model.identity.totp import is_secret, matching_step, new_secret, provisioning_uri

RFC_SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"  # "12345678901234567890" in base32
# RFC 6238, appendix B, SHA1: the last six of its eight digits
EXAMPLES = [
    (59, "287082"),
    (1111111109, "081804"),
    (1111111111, "050471"),
    (1234567890, "005924"),
    (2000000000, "279037"),
    (20000000000, "353130"),
]
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def code_at(moment: datetime) -> str:
    return pyotp.TOTP(RFC_SECRET).at(moment)


@pytest.mark.parametrize("seconds, code", EXAMPLES)
def test_the_examples_of_the_rfc_match(seconds: int, code: str) -> None:
    moment = datetime.fromtimestamp(seconds, UTC)
    assert matching_step(RFC_SECRET, code, moment) == seconds // 30


@pytest.mark.parametrize(
    "steps, is_taken", [(-2, False), (-1, True), (0, True), (1, True), (2, False)]
)
def test_a_clock_may_be_one_step_off(steps: int, is_taken: bool) -> None:
    code = code_at(NOON + timedelta(seconds=30 * steps))
    assert (matching_step(RFC_SECRET, code, NOON) is not None) is is_taken


def test_a_used_step_and_all_earlier_steps_are_refused() -> None:
    step = int(NOON.timestamp()) // 30
    assert matching_step(RFC_SECRET, code_at(NOON), NOON, after=step) is None
    before = code_at(NOON - timedelta(seconds=30))
    assert matching_step(RFC_SECRET, before, NOON, after=step) is None
    later = code_at(NOON + timedelta(seconds=30))
    assert matching_step(RFC_SECRET, later, NOON, after=step) == step + 1


@pytest.mark.parametrize("code", ["", "12345", "1234567", "abcdef", "١٢٣٤٥٦", "12 34 5x"])
def test_text_that_is_not_a_code_does_not_match(code: str) -> None:
    assert matching_step(RFC_SECRET, code, NOON) is None


def test_a_code_may_be_typed_in_groups() -> None:
    code = code_at(NOON)
    assert matching_step(RFC_SECRET, f" {code[:3]} {code[3:]} ", NOON) is not None


def test_a_secret_has_160_random_bits() -> None:
    secrets = {new_secret() for _ in range(20)}
    assert len(secrets) == 20
    assert all(is_secret(each) for each in secrets)
    assert not is_secret("short")


def test_the_address_for_the_app_names_the_site_and_the_user() -> None:
    uri = urlsplit(provisioning_uri(RFC_SECRET, email="ann@acme.test", issuer="masthead (a.test)"))
    assert (uri.scheme, uri.netloc) == ("otpauth", "totp")
    assert parse_qs(uri.query) == {"secret": [RFC_SECRET], "issuer": ["masthead (a.test)"]}
    assert "ann%40acme.test" in uri.path
