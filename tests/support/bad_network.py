"""A network that loses, delays or doubles one HTTP request in five."""

import asyncio
import random

import httpx
from aiohttp import web

FAULTS = ("request lost", "answer lost", "delayed", "doubled")
FORWARDED = ("Authorization", "Content-Type", "Idempotency-Key", "webhook-id")


class BadNetwork:
    """Forwards requests to a server. faults: how many requests had which one."""

    def __init__(self, url: str, http: httpx.AsyncClient) -> None:
        self._url, self._http, self._chance = url, http, random.Random(29)
        self.requests, self.faults = 0, dict.fromkeys(FAULTS, 0)

    async def answer(self, request: web.Request) -> web.Response:
        """Forward a request, and return the answer."""
        self.requests += 1
        fault = self._chance.choice(FAULTS) if self._chance.random() < 0.2 else None
        if fault:
            self.faults[fault] += 1
        if fault == "request lost":
            return _cut(request)
        if fault == "delayed":
            await asyncio.sleep(self._chance.uniform(0, 0.2))
        body = await request.read()
        times = 2 if fault == "doubled" else 1
        answers = await asyncio.gather(
            *(self._forward(request, body) for _ in range(times)), return_exceptions=True
        )
        answer = self._chance.choice(answers)
        if fault == "answer lost" or isinstance(answer, BaseException):
            return _cut(request)
        return web.Response(
            status=answer.status_code,
            body=answer.content,
            headers={"Content-Type": answer.headers.get("Content-Type", "")},
        )

    async def _forward(self, request: web.Request, body: bytes) -> httpx.Response:
        headers = {name: request.headers[name] for name in FORWARDED if name in request.headers}
        url = self._url + request.path_qs
        return await self._http.request(request.method, url, content=body, headers=headers)


def _cut(request: web.Request) -> web.Response:
    """Cut the connection of a request, so that no answer arrives."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()
