"""IP addresses: parsing, grouping by network, and the client address behind trusted proxies."""

import ipaddress
from collections.abc import Iterable

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

MAX_HOPS = 32  # entries of `X-Forwarded-For` that are read
IPV6_CLIENT_BITS = 64  # of an address; the client can choose the rest


def parse_address(text: str) -> Address | None:
    """The address in a text, IPv4 if it is mapped into IPv6; None if there is none.

    A port after the address is ignored, as in `192.0.2.7:4711` and `[2001:db8::1]:4711`.
    """
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        parsed = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped:
        return parsed.ipv4_mapped
    return parsed


def network_of(address: str) -> str:
    """The network of an address for counting: the address itself, or the /64 of an IPv6 one."""
    parsed = parse_address(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((int(parsed), IPV6_CLIENT_BITS), strict=False))
    return str(parsed) if parsed else address


class TrustedProxies:
    """The proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted."""

    def __init__(self, networks: str) -> None:
        """networks: addresses and networks, separated by commas. Raises: ValueError."""
        parts = filter(None, map(str.strip, networks.split(",")))
        self._networks: list[Network] = [ipaddress.ip_network(part) for part in parts]

    def __contains__(self, address: Address | None) -> bool:
        """Whether an address is that of a trusted proxy."""
        return address is not None and any(address in network for network in self._networks)

    def client_address(self, peer: str, forwarded: Iterable[str]) -> str:
        """The client's address, or an empty text if the connection has none.

        peer: the other end of the connection. forwarded: the values of all `X-Forwarded-For`
        lines, in their order. They are read from the end for as long as the address found is a
        trusted proxy; the last valid address counts.
        """
        found = parse_address(peer)
        if found not in self:
            return str(found or "")
        entries = ",".join(forwarded).rsplit(",", MAX_HOPS)[-MAX_HOPS:]
        for entry in reversed(entries):
            following = parse_address(entry)
            if following is None:
                break
            found = following
            if found not in self:
                break
        return str(found)

    def is_trusted(self, peer: str) -> bool:
        """Whether the other end of a connection is a trusted proxy."""
        return parse_address(peer) in self
