"""The site that passkeys belong to, as browsers know it (WebAuthn: relying party)."""

import ipaddress
from urllib.parse import urlsplit

from msgspec import Struct

_PORTS = {"https": 443, "http": 80}


class RelyingParty(Struct, frozen=True):
    """id: the host name. origin: scheme, host and port as a browser reports them."""

    id: str
    origin: str


def relying_party(public_url: str) -> RelyingParty | None:
    """The relying party at an address; None where browsers refuse passkeys.

    Browsers need a host name, not a network address, and https unless the host is `localhost`.
    """
    address = urlsplit(public_url)
    host = address.hostname or ""
    if _is_network_address(host):
        return None
    if address.scheme != "https" and host != "localhost":
        return None
    if not host.isascii():
        host = host.encode("idna").decode()
    is_usual = address.port in (None, _PORTS[address.scheme])
    origin = f"{address.scheme}://{host}" + ("" if is_usual else f":{address.port}")
    return RelyingParty(host, origin)


def _is_network_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
