"""Network addresses, and proxy headers."""

import pytest

from masthead.model.identity.ip_addresses import MAX_HOPS, TrustedProxies, network_of, parse_address
from tests.support.cases import for_each

LOOPBACK = TrustedProxies("127.0.0.0/8, ::1")


@for_each(
    "text, parsed",
    [
        ("192.0.2.7", "192.0.2.7"),
        (" 192.0.2.7 ", "192.0.2.7"),
        ("192.0.2.7:4711", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("[::ffff:192.0.2.7]:80", "192.0.2.7"),
        ("2001:DB8:0:0::1", "2001:db8::1"),
        ("[2001:db8::1]", "2001:db8::1"),
        ("[2001:db8::1]:4711", "2001:db8::1"),
        ("fe80::1%eth0", "fe80::1"),
        ("", None),
        ("unknown", None),
        ("192.0.2.256", None),
        ("192.0.2.7<script>", None),
        ("_hidden", None),
        ("٣.0.2.7", None),
        ("1" * 10_000, None),
    ],
)
def test_addresses_are_validated_and_normalised(text: str, parsed: str | None) -> None:
    found = parse_address(text)
    assert (str(found) if found else None) == parsed


@pytest.mark.parametrize(
    "address, network",
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("", ""),
        ("unix", "unix"),
    ],
)
def test_an_ipv6_client_is_counted_by_its_network(address: str, network: str) -> None:
    assert network_of(address) == network


@for_each(
    "peer, forwarded, client",
    [
        ("192.0.2.7", [], "192.0.2.7"),
        ("192.0.2.7", ["198.51.100.9"], "192.0.2.7"),
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", ["198.51.100.9"], "198.51.100.9"),
        ("::1", ["198.51.100.9"], "198.51.100.9"),
        ("::ffff:127.0.0.1", ["198.51.100.9"], "198.51.100.9"),
        ("127.0.0.1", ["203.0.113.1, 198.51.100.9"], "198.51.100.9"),
        ("127.0.0.1", ["203.0.113.1", "198.51.100.9"], "198.51.100.9"),
        ("127.0.0.1", ["198.51.100.9", "127.0.0.1"], "198.51.100.9"),
        ("127.0.0.1", ["203.0.113.1, 198.51.100.9, 127.0.0.2", "127.0.0.1"], "198.51.100.9"),
        ("127.0.0.1", ["198.51.100.9, unknown"], "127.0.0.1"),
        ("127.0.0.1", ["198.51.100.9, "], "127.0.0.1"),
        ("127.0.0.1", ["'; DROP TABLE throttle"], "127.0.0.1"),
        ("127.0.0.1", ["[2001:db8::1]:4711"], "2001:db8::1"),
        ("127.0.0.1", ["127.0.0.3"], "127.0.0.3"),
        ("", ["198.51.100.9"], ""),
        ("unix", [], ""),
    ],
)
def test_the_last_address_before_the_trusted_proxies_is_the_client(
    peer: str, forwarded: list[str], client: str
) -> None:
    assert LOOPBACK.client_address(peer, forwarded) == client


def test_proxies_on_other_networks_are_trusted_if_they_are_listed() -> None:
    proxies = TrustedProxies("10.0.0.0/8, 2001:db8::5")
    lines = ["203.0.113.1, 198.51.100.9, 10.1.2.3"]
    for peer in ("10.9.9.9", "2001:db8::5"):
        assert proxies.client_address(peer, lines) == "198.51.100.9"
        assert proxies.is_trusted(peer)
    for peer in ("127.0.0.1", "2001:db8::6", ""):
        assert proxies.client_address(peer, lines) == peer
        assert not proxies.is_trusted(peer)


def test_no_proxy_is_trusted_if_the_list_is_empty() -> None:
    assert TrustedProxies("").client_address("127.0.0.1", ["198.51.100.9"]) == "127.0.0.1"


def test_a_long_list_of_addresses_is_read_up_to_a_limit() -> None:
    lines = ["198.51.100.9", *["127.0.0.1"] * MAX_HOPS]
    assert LOOPBACK.client_address("127.0.0.1", lines) == "127.0.0.1"
    assert LOOPBACK.client_address("127.0.0.1", lines[:-1]) == "198.51.100.9"


@pytest.mark.parametrize("networks", ["localhost", "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/8;::1"])
def test_an_invalid_list_of_proxies_is_refused(networks: str) -> None:
    with pytest.raises(ValueError, match=r"does not appear|host bits|not allowed|not permitted"):
        TrustedProxies(networks)
