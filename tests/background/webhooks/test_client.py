"""The client of webhooks: no private networks, no redirects, no endless or slow answers."""

import asyncio
import socket
from typing import Any

import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult

from masthead.background.webhooks.client import KEPT_ANSWER, MAX_ANSWER, OutboundClient
from masthead.model.webhooks.messages import Answer, NoAnswer
from masthead.services.webhooks.resolving import resolve
from tests.support.ports import reserved_port
from tests.support.webhooks import Answering, Receiver, receiving

HEADERS = (("webhook-id", "1"),)


class ChangingResolver(AbstractResolver):
    """Resolves names to one address after another, as a hostile DNS server does."""

    def __init__(self, *addresses: str) -> None:
        self._addresses, self.asked = list(addresses), 0

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The next address."""
        self.asked += 1
        address = self._addresses.pop(0)
        return [
            ResolveResult(
                hostname=host, host=address, port=port, family=socket.AF_INET, proto=0, flags=0
            )
        ]

    async def close(self) -> None:
        """Do nothing."""


async def ask(
    url: str, *, seconds: float = 5.0, allow_private: bool = True, **options: Any
) -> Answer:
    async with OutboundClient(allow_private=allow_private, seconds=seconds, **options) as client:
        return await client.post(url, b"{}", HEADERS)


async def answer_of(answering: Answering, *, seconds: float = 5.0) -> tuple[Answer, Receiver]:
    async with receiving() as receiver:
        receiver.answer = answering
        return await ask(receiver.url, seconds=seconds), receiver


async def test_a_request_has_the_body_and_the_headers() -> None:
    async with receiving() as receiver:
        answer = await ask(receiver.url)
    assert (answer.status, answer.error, answer.text) == (204, "", "")
    ((headers, body),) = receiver.requests
    assert body == b"{}"
    assert headers["content-type"] == "application/json"
    assert headers["webhook-id"] == "1"
    assert headers["user-agent"].startswith("masthead/")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433"])
async def test_a_private_address_gets_no_connection(host: str) -> None:
    async with receiving() as receiver:
        url = receiver.url.replace("127.0.0.1", host)
        answer = await ask(url, allow_private=False)
        assert receiver.requests == []
    assert answer.status is None
    assert answer.error


async def test_a_name_that_changes_after_the_check_leads_nowhere() -> None:
    async with receiving() as receiver:
        url = receiver.url.replace("127.0.0.1", "rebind.test")
        resolver = ChangingResolver("93.184.215.14", "127.0.0.1")
        first = await resolver.resolve("rebind.test")  # the check at save sees a public address
        assert first[0]["host"] == "93.184.215.14"
        answer = await ask(url, allow_private=False, resolver=resolver)
        assert resolver.asked == 2
        assert receiver.requests == []
        assert "private network" in answer.error
        # the control: without the check of the socket, the same name reaches the receiver
        control = await ask(url, allow_private=True, resolver=ChangingResolver("127.0.0.1"))
        assert control.status == 204
        ((headers, _),) = receiver.requests
    assert headers["host"].startswith("rebind.test:")


async def test_a_redirect_is_a_failure_and_is_not_followed() -> None:
    async def redirect(request: web.Request) -> web.StreamResponse:
        return web.Response(status=302, headers={"Location": "/elsewhere"})

    answer, receiver = await answer_of(redirect)
    assert (answer.status, len(receiver.requests)) == (302, 1)
    assert "redirect" in answer.error


async def test_a_slow_answer_is_a_failure() -> None:
    async def wait(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(60)
        raise AssertionError

    answer, _ = await answer_of(wait, seconds=0.3)
    assert answer.status is None
    assert answer.error == NoAnswer.TOO_SLOW


async def test_an_answer_that_never_ends_is_a_failure() -> None:
    async def drip(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"a")
            await asyncio.sleep(0.02)

    answer, _ = await answer_of(drip, seconds=0.3)
    assert answer.status == 200
    assert answer.error == NoAnswer.TOO_SLOW
    assert answer.text.startswith("a")


async def test_a_long_answer_is_not_read_to_its_end() -> None:
    async def flood(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"a" * MAX_ANSWER)

    answer, _ = await answer_of(flood, seconds=30)
    assert answer.error == f"The answer is longer than {MAX_ANSWER} bytes."
    assert answer.text == "a" * KEPT_ANSWER


async def test_another_status_is_a_failure_with_the_beginning_of_the_answer() -> None:
    async def refuse(request: web.Request) -> web.StreamResponse:
        return web.Response(status=503, text="later\0", headers={"Retry-After": "7"})

    answer, _ = await answer_of(refuse)
    assert (answer.status, answer.error, answer.text) == (503, "The answer is 503.", "later")
    assert answer.retry_after == "7"


async def test_an_answer_that_is_no_http_is_a_failure() -> None:
    async def answer_badly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b"hello\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(answer_badly, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        answer = await ask(f"http://127.0.0.1:{port}/")
    assert answer.status is None
    assert answer.error == NoAnswer.NO_HTTP


async def test_nothing_listens() -> None:
    with reserved_port() as port:
        answer = await ask(f"http://127.0.0.1:{port}/")
    assert answer.error == NoAnswer.REFUSED


async def test_an_answer_that_is_cut_off_is_a_failure() -> None:
    async def cut(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    answer, _ = await answer_of(cut)
    assert answer.error == NoAnswer.CUT_OFF


async def test_a_server_without_encryption_is_a_failure() -> None:
    async with receiving() as receiver:
        answer = await ask(receiver.url.replace("http:", "https:"))
    assert answer.error == NoAnswer.NO_ENCRYPTION


async def test_a_name_that_is_not_found_is_a_failure() -> None:
    answer = await ask("https://no-such-host.invalid/")
    assert answer.error == NoAnswer.NOT_FOUND


async def test_no_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    async with receiving() as receiver:
        assert (await ask(receiver.url)).status == 204


async def test_hosts_are_resolved_to_their_addresses() -> None:
    assert "127.0.0.1" in await resolve("http://localhost/")
    assert await resolve("https://93.184.215.14/") == ["93.184.215.14"]
    assert await resolve("https://no-such-host.invalid/") == []
    assert await resolve("https://" + "a" * 300 + ".test/") == []
    assert await resolve("https://[::1/") == []
    assert await resolve("") == []
