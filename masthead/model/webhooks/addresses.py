"""Which addresses webhooks may have: `https`, no credentials, and no private network."""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _

MAX_URL = 500  # characters
# IPv6 networks whose addresses contain an IPv4 address, with the bits after it
_TRANSLATED = (
    (ip_network("64:ff9b::/96"), 0),  # NAT64
    (ip_network("2002::/16"), 80),  # 6to4
    (ip_network("::/96"), 0),  # IPv4-compatible
)
# What some versions of Python take for public: NAT64 of one network, and addresses for examples
_NOT_PUBLIC = ip_network("64:ff9b:1::/48"), ip_network("3fff::/20")


def is_public(text: str) -> bool:
    """Whether an IP address is that of a host on the internet, also the one it contains."""
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(str(address.ipv4_mapped))
        for network, bits in _TRANSLATED:
            if address in network:
                inner = IPv4Address(int(address) >> bits & 0xFFFFFFFF)
                return address.is_global and is_public(str(inner))
        if address.is_site_local or any(address in network for network in _NOT_PUBLIC):
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


def check_url(url: str, *, allow_private: bool) -> str:
    """The address, if a webhook may have it. Raises: Invalid.

    The addresses of its host are checked by `check_resolved`, and again at each connection.
    """
    if len(url) > MAX_URL:
        text = _("`url` has {count} characters; at most {limit} are allowed.")
        raise _invalid(text.format(count=len(url), limit=MAX_URL))
    if not url.isascii() or any(character <= " " or character == "\x7f" for character in url):
        raise _invalid(_("`url` has spaces or characters that are not ASCII; encode them."))
    parts = _split(url)
    if parts.username is not None or parts.password is not None:
        raise _invalid(
            _(
                "`url` contains credentials. Leave them out: the receiver checks the signature of "
                "each message instead."
            )
        )
    schemes = ("https", "http") if allow_private else ("https",)
    if parts.scheme not in schemes or not parts.hostname:
        text = _("`url` must begin with {schemes} and the name of a host.")
        raise _invalid(text.format(schemes=_(" or ").join(f"`{each}://`" for each in schemes)))
    if parts.fragment:
        raise _invalid(_("`url` has a part after `#`, which is never sent. Leave it out."))
    return url


def _split(url: str) -> SplitResult:
    """The parts of a URL. Raises: Invalid."""
    try:
        parts = urlsplit(url)
        if parts.port == 0:  # any other port is checked when it is read
            raise ValueError
    except ValueError:
        raise _invalid(_("`url` is not the address of a web page.")) from None
    return parts


def host_of(url: str) -> str:
    """The host of an address that was checked."""
    return urlsplit(url).hostname or ""


def check_resolved(url: str, found: Iterable[str], *, allow_private: bool) -> None:
    """Check the IP addresses of the host of an address. Raises: Invalid."""
    host, addresses = host_of(url), list(found)
    if not addresses:
        text = _("The host `{host}` in `url` was not found. Check its spelling.")
        raise _invalid(text.format(host=host))
    if not allow_private and not all(map(is_public, addresses)):
        text = _(
            "The host `{host}` in `url` is in a private network, to which masthead sends nothing. "
            "Use an address on the internet, or ask the operator of masthead to allow private "
            "networks."
        )
        raise _invalid(text.format(host=host))


def _invalid(message: str) -> Invalid:
    return Invalid(message, code="invalid_url", field="url")
