"""No webhook has an address that leads into a private network."""

import pytest

from masthead.model.errors import Invalid
from masthead.model.webhooks.addresses import check_resolved, check_url, host_of, is_public

PRIVATE = (
    "127.0.0.1 127.8.8.8 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 0.0.0.0 "
    "0.1.2.3 100.64.0.1 100.127.255.255 192.0.0.1 198.18.0.1 224.0.0.1 239.255.255.255 240.0.0.1 "
    "255.255.255.255 192.0.2.1 ::1 :: fe80::1 fe80::1%eth0 fc00::1 fd12:3456::1 fec0::1 ff02::1 "
    "::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::127.0.0.1 ::10.0.0.1 "
    "64:ff9b::7f00:1 64:ff9b::a00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::a00:1 2002:7f00:1:: "
    "64:ff9b:1:a00:1::808:808 64:ff9b:1::808:808 "
    "2002:a00:1:: 2001:db8::1 2001::1 ::ffff:0:127.0.0.1 100::1 3fff::1 5f00::1"
).split()
PUBLIC = "93.184.215.14 8.8.8.8 100.63.255.255 100.128.0.1 172.32.0.1 2606:4700::1111".split()


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_are_refused(address: str) -> None:
    assert not is_public(address)
    with pytest.raises(Invalid, match="private network"):
        check_resolved("https://a.test/", ["93.184.215.14", address], allow_private=False)
    check_resolved("https://a.test/", [address], allow_private=True)


@pytest.mark.parametrize("address", [*PUBLIC, "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_public_addresses_are_accepted(address: str) -> None:
    assert is_public(address)
    check_resolved("https://a.test/", [address], allow_private=False)


@pytest.mark.parametrize(
    "url, part",
    [
        ("http://a.test/", "must begin with `https://`"),
        ("ftp://a.test/", "must begin with `https://`"),
        ("a.test", "must begin with `https://`"),
        ("https:///path", "must begin with `https://`"),
        ("https://user:secret@a.test/", "credentials"),
        ("https://user@a.test/", "credentials"),
        ("https://@a.test/", "credentials"),
        ("https://a.test/#part", "after `#`"),
        ("https://a.test:99999/", "not the address"),
        ("https://a.test:0/", "not the address"),
        ("https://[::1/", "not the address"),
        ("https://a.test/ b", "spaces"),
        ("https://a.test/\r\nX: y", "spaces"),
        ("https://ä.test/", "not ASCII"),
        ("https://a.test/" + "a" * 500, "characters"),
    ],
)
def test_other_addresses_are_refused_with_the_reason(url: str, part: str) -> None:
    with pytest.raises(Invalid, match=part) as refused:
        check_url(url, allow_private=False)
    assert (refused.value.code, refused.value.field) == ("invalid_url", "url")
    assert "secret" not in str(refused.value)


def test_http_is_allowed_with_private_networks_only() -> None:
    assert check_url("http://a.test/", allow_private=True) == "http://a.test/"
    assert check_url("https://a.test:8443/x?y=1", allow_private=False)


def test_a_host_that_is_not_found_is_refused() -> None:
    with pytest.raises(Invalid, match=r"`a\.test` in `url` was not found"):
        check_resolved("https://a.test/", [], allow_private=True)
    assert host_of("https://[2606:4700::1]/") == "2606:4700::1"
    assert host_of("mailto:a") == ""
