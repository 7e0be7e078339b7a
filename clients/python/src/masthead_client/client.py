"""The clients: `Masthead`, and `AsyncMasthead` for asyncio."""

from types import TracebackType
from typing import Self

import httpx

from masthead_client.connection import AsyncConnection, Connection
from masthead_client.requests import Patience
from masthead_client.resources import AsyncResources, Resources


class Masthead(Resources):
    """A client of a masthead server.

    address: of the server, such as `https://magazine.example`. key: `mh_…`; None only to ask for
    the status of subscriptions. timeout: seconds for an attempt. retries: attempts after the first
    one, if a request is lost or the server is busy. longest_wait: seconds; if the server wants a
    longer pause, the error is raised at once. transport: how httpx sends, such as with a proxy.

    Use it in a `with` block, or call `close`. It may be shared by threads.
    """

    def __init__(
        self,
        address: str,
        key: str | None,
        *,
        timeout: float = 30,
        retries: int = 4,
        longest_wait: float = 60,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        http = httpx.Client(base_url=_checked(address), timeout=timeout, transport=transport)
        self._connection = Connection(http, key, Patience(retries, longest_wait))
        super().__init__(self._connection)

    def close(self) -> None:
        """Close the connections."""
        self._connection.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class AsyncMasthead(AsyncResources):
    """A client of a masthead server, for asyncio: the same as `Masthead`, with `await`."""

    def __init__(
        self,
        address: str,
        key: str | None,
        *,
        timeout: float = 30,
        retries: int = 4,
        longest_wait: float = 60,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        http = httpx.AsyncClient(base_url=_checked(address), timeout=timeout, transport=transport)
        self._connection = AsyncConnection(http, key, Patience(retries, longest_wait))
        super().__init__(self._connection)

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


def _checked(address: str) -> str:
    if not address.startswith(("https://", "http://")):
        raise ValueError(f"The address is {address!r}; it begins with https://, or http://.")
    return address
