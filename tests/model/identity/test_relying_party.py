"""The addresses at which browsers allow passkeys."""

import pytest

from masthead.model.identity.relying_party import RelyingParty, relying_party


@pytest.mark.parametrize(
    "public_url, id, origin",
    [
        ("https://desk.acme.test", "desk.acme.test", "https://desk.acme.test"),
        ("https://Desk.Acme.test:443", "desk.acme.test", "https://desk.acme.test"),
        ("https://desk.acme.test:8443", "desk.acme.test", "https://desk.acme.test:8443"),
        ("http://localhost:8000", "localhost", "http://localhost:8000"),
        ("http://localhost:80", "localhost", "http://localhost"),
        ("https://bücher.test", "xn--bcher-kva.test", "https://xn--bcher-kva.test"),
    ],
)
def test_a_host_name_over_https_and_localhost_can_have_passkeys(
    public_url: str, id: str, origin: str
) -> None:
    assert relying_party(public_url) == RelyingParty(id, origin)


@pytest.mark.parametrize(
    "public_url",
    ["http://desk.acme.test", "http://127.0.0.1:8000", "https://192.0.2.7", "https://[::1]:8000"],
)
def test_plain_http_and_network_addresses_cannot_have_passkeys(public_url: str) -> None:
    assert relying_party(public_url) is None
