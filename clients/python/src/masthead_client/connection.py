"""Sends requests with httpx, and repeats those that are lost."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any, TypeVar

import httpx

from masthead_client.requests import AGENT, LOST, Call, Patience, new_call, read

T = TypeVar("T")


class Connection:
    """A server, and the key that it is asked with."""

    def __init__(self, http: httpx.Client, key: str | None, patience: Patience) -> None:
        self.http, self._patience = http, patience
        self._headers = _headers(key)

    def call(self, kind: type[T], method: str, path: str, **parts: Any) -> T:
        """The record that a request returns. parts: those of `new_call`. Raises: MastheadError."""
        call = new_call(method, path, **parts)
        record: T = read(call, self.send(call))
        return record

    def send(self, call: Call) -> httpx.Response:
        """The response after as many attempts as are allowed. Raises: Unreachable."""
        attempt = 0
        while True:
            try:
                response = self.http.request(**_request(call, self._headers))
            except LOST as problem:
                pause = self._patience.after_loss(call, problem, attempt)
            else:
                after = self._patience.after_response(response, attempt)
                if after is None:
                    return response
                pause = after
            time.sleep(pause)
            attempt += 1


class AsyncConnection:
    """A server, and the key that it is asked with, for asyncio."""

    def __init__(self, http: httpx.AsyncClient, key: str | None, patience: Patience) -> None:
        self.http, self._patience = http, patience
        self._headers = _headers(key)

    async def call(self, kind: type[T], method: str, path: str, **parts: Any) -> T:
        """The record that a request returns. parts: those of `new_call`. Raises: MastheadError."""
        call = new_call(method, path, **parts)
        record: T = read(call, await self.send(call))
        return record

    async def send(self, call: Call) -> httpx.Response:
        """The response after as many attempts as are allowed. Raises: Unreachable."""
        attempt = 0
        while True:
            try:
                response = await self.http.request(**_request(call, self._headers))
            except LOST as problem:
                pause = self._patience.after_loss(call, problem, attempt)
            else:
                after = self._patience.after_response(response, attempt)
                if after is None:
                    return response
                pause = after
            await asyncio.sleep(pause)
            attempt += 1


def _headers(key: str | None) -> dict[str, str]:
    headers = {"User-Agent": AGENT, "Accept": "application/json"}
    return headers | ({"Authorization": f"Bearer {key.strip()}"} if key else {})


def _request(call: Call, headers: Mapping[str, str]) -> dict[str, Any]:
    """The arguments of `httpx.Client.request`."""
    return {
        "method": call.method,
        "url": call.path,
        "params": call.query or None,
        "content": call.body,
        "headers": {**headers, **call.headers},
        "follow_redirects": False,
    }
