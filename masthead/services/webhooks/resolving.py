"""Find the IP addresses of a host, for a check before its address is stored."""

import asyncio
import socket
from contextlib import suppress
from urllib.parse import urlsplit

SECONDS = 5.0


async def resolve(url: str) -> list[str]:
    """The IP addresses of the host of a URL; none if it has none or is not found in time."""
    with suppress(OSError, UnicodeError, ValueError, TimeoutError):
        host = urlsplit(url).hostname
        if host:
            loop = asyncio.get_running_loop()
            found = await asyncio.wait_for(
                loop.getaddrinfo(host, None, type=socket.SOCK_STREAM), SECONDS
            )
            return sorted({str(address[0]) for *_, address in found})
    return []
