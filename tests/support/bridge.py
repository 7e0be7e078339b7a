"""Lets programs with httpx reach the API of a test, without a server."""

import asyncio
from typing import Protocol

import httpx

from tests.conftest import Client


class HasClient(Protocol):
    """An account of a test, whose client sends requests."""

    @property
    def client(self) -> Client:
        """The client of the service."""
        ...


class Bridge(httpx.BaseTransport):
    """Sends the requests of a thread to the API in the event loop. lost: answers to lose first."""

    def __init__(self, cast: HasClient, loop: asyncio.AbstractEventLoop, lost: int = 0) -> None:
        self._cast, self._loop, self._lost = cast, loop, lost

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The response of the API. Raises: ReadError if it is lost."""
        content = request.read()
        target = request.url.raw_path.decode()
        headers = [(name, text) for name, text in request.headers.items() if name != "host"]
        answer = self._cast.client.request(
            request.method, target, content=content or None, headers=headers
        )
        response = asyncio.run_coroutine_threadsafe(answer, self._loop).result()
        if self._lost:
            self._lost -= 1
            raise httpx.ReadError("the connection was closed")
        return _decoded(response)


class AsyncBridge(httpx.AsyncBaseTransport):
    """Sends the requests of a coroutine to the API of a test."""

    def __init__(self, cast: HasClient) -> None:
        self._cast = cast

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The response of the API."""
        content = await request.aread()
        response = await self._cast.client.request(
            request.method,
            request.url.raw_path.decode(),
            content=content or None,
            headers=[(name, text) for name, text in request.headers.items() if name != "host"],
        )
        return _decoded(response)


def _decoded(response: httpx.Response) -> httpx.Response:
    """A copy of a response that was read, and is no longer compressed."""
    headers = response.headers.copy()
    headers.pop("Content-Encoding", None)
    return httpx.Response(response.status_code, headers=headers, content=response.content)
