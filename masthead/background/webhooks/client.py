"""The HTTP client for webhooks: no private networks, no redirects, no proxies, no long waits.

The address of each connection is checked when its socket is created, after the name was resolved,
so a name that changes its address between the check of a URL and the connection leads nowhere.
"""

import socket
import time
from collections.abc import Iterable
from types import TracebackType
from typing import Any

from aiohttp import (
    ClientConnectorCertificateError,
    ClientConnectorDNSError,
    ClientError,
    ClientPayloadError,
    ClientResponseError,
    ClientSession,
    ClientSSLError,
    ClientTimeout,
    DummyCookieJar,
    ServerDisconnectedError,
    TCPConnector,
)
from aiohttp.abc import AbstractResolver

from masthead import __version__
from masthead.model.webhooks.addresses import is_public
from masthead.model.webhooks.messages import Answer, NoAnswer

SECONDS = 10.0  # for connecting, sending and the answer together
MAX_ANSWER = 65_536  # bytes
KEPT_ANSWER = 1000  # characters that are stored
USER_AGENT = f"masthead/{__version__}"


class AddressRefused(OSError):
    """The host has an address in a private network."""


# The more exact causes first
REASONS: tuple[tuple[NoAnswer, tuple[type[BaseException], ...]], ...] = (
    (NoAnswer.PRIVATE, (AddressRefused,)),
    (NoAnswer.NOT_FOUND, (ClientConnectorDNSError, socket.gaierror)),
    (NoAnswer.CERTIFICATE, (ClientConnectorCertificateError,)),
    (NoAnswer.NO_ENCRYPTION, (ClientSSLError,)),
    (NoAnswer.REFUSED, (ConnectionRefusedError,)),
    (
        NoAnswer.CUT_OFF,
        (ServerDisconnectedError, ClientPayloadError, ConnectionResetError, BrokenPipeError),
    ),
    (NoAnswer.NO_HTTP, (ClientResponseError,)),
    (NoAnswer.UNREACHABLE, (ClientError, OSError, ValueError)),
)


class OutboundClient:
    """Sends requests; use it as a context manager. resolver: of names, that of aiohttp if None."""

    def __init__(
        self,
        *,
        allow_private: bool,
        seconds: float = SECONDS,
        resolver: AbstractResolver | None = None,
    ) -> None:
        self._allow_private, self._seconds, self._resolver = allow_private, seconds, resolver

    async def __aenter__(self) -> "OutboundClient":
        """Open the client."""
        self._session = ClientSession(
            connector=TCPConnector(
                limit=0,  # each webhook has its own
                resolver=self._resolver,
                socket_factory=self._create_socket,
            ),
            timeout=ClientTimeout(total=self._seconds),
            cookie_jar=DummyCookieJar(),
            trust_env=False,
            auto_decompress=False,
            headers={"User-Agent": USER_AGENT, "Accept-Encoding": "identity"},
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close all connections."""
        await self._session.close()

    def _create_socket(self, info: Any) -> socket.socket:
        """A socket for an address, if it is public. Raises: AddressRefused."""
        family, type, protocol, _, address = info
        if not self._allow_private and not is_public(str(address[0])):
            raise AddressRefused("the address is in a private network")
        return socket.socket(family, type, protocol)

    async def post(self, url: str, body: bytes, headers: Iterable[tuple[str, str]]) -> Answer:
        """Send a POST request with JSON, and return the answer."""
        began = time.monotonic()
        status, text, retry_after = None, b"", None
        try:
            async with self._session.post(
                url,
                data=body,
                headers=[("Content-Type", "application/json"), *headers],
                allow_redirects=False,
            ) as response:
                status = response.status
                retry_after = response.headers.get("Retry-After")
                async for part in response.content.iter_any():
                    text += part
                    if len(text) > MAX_ANSWER:
                        response.close()  # without it, the rest would be read
                        break
            error = _error_of(status, len(text))
        except TimeoutError:
            error = NoAnswer.TOO_SLOW.value
        except (ClientError, OSError, ValueError) as reason:
            error = _describe(reason)
        return Answer(
            status=status,
            text=text[: 4 * KEPT_ANSWER].decode(errors="replace")[:KEPT_ANSWER].replace("\0", ""),
            error=error,
            retry_after=retry_after,
            duration_ms=round(1000 * (time.monotonic() - began)),
        )


def _error_of(status: int, size: int) -> str:
    """Why an answer does not count as accepted; empty if it does."""
    if size > MAX_ANSWER:
        return f"The answer is longer than {MAX_ANSWER} bytes."
    if 300 <= status < 400:
        return f"The answer is {status}, a redirect, which masthead does not follow."
    if not 200 <= status < 300:
        return f"The answer is {status}."
    return ""


def _describe(reason: BaseException) -> str:
    """Why there is no answer. It never quotes the request."""
    causes = list[BaseException]()
    inner: BaseException | None = reason
    while inner is not None:
        causes.append(inner)
        inner = getattr(inner, "os_error", None) or inner.__cause__
    return next(why.value for why, kinds in REASONS for each in causes if isinstance(each, kinds))
