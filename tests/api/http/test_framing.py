"""Requests that are malformed at the HTTP level, sent to a real server."""

import json
import socket
from collections.abc import AsyncIterator, Iterator

import pytest

from masthead.store.engine.migrate import migrate
from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.serving import Server, account_at, serve
from tests.support.waiting import PATIENCE

BODY = b'{"number": 1}'
CHUNKED = b"Transfer-Encoding: chunked\r\n"
FORM = b"Content-Type: application/x-www-form-urlencoded\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with an empty database; these requests never reach it."""
    folder = tmp_path_factory.mktemp("framing")
    url = f"sqlite:///{folder / 'masthead.db'}"
    migrate(url)
    with serve(url, folder / "log") as server:
        yield server


@pytest.fixture(scope="module")
async def publisher(server: Server) -> AsyncIterator[Cast]:
    """An account of that server."""
    url = f"sqlite:///{server.log.parent / 'masthead.db'}"
    async with account_at(server, url) as cast:
        yield cast


def send(
    server: Server, *parts: bytes, half_closed: bool = False
) -> tuple[int, dict[str, str], bytes]:
    """Send bytes as they are; return the status, headers and body of the response."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
        connection.sendall(b"".join(parts))
        if half_closed:
            connection.shutdown(socket.SHUT_WR)
        read = b""
        while part := connection.recv(65_536):
            read += part
    head, _, body = read.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    return int(first.split()[1]), headers, body


def post(cast: Cast, path: bytes = b"/v1/issues/") -> bytes:
    """The head of a request with a body, without its end."""
    return (
        b"POST " + path + b" HTTP/1.1\r\nHost: masthead.test\r\nX-Request-Id: broken-1\r\n"
        b"Authorization: Bearer " + cast.key.encode() + b"\r\nConnection: close\r\n"
    )


def expect_refusal(server: Server, answer: tuple[int, dict[str, str], bytes], told: str) -> None:
    """The response is a 400 with the common error body and headers."""
    status, headers, body = answer
    assert status == 400
    refusal = json.loads(body)
    assert set(refusal) == {"error", "message", "code"}
    assert told in refusal["message"]
    assert headers["content-type"] == "application/json"
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-request-id"]


@pytest.mark.parametrize(
    "body",
    [b"zz\r\n{}\r\n0\r\n\r\n", b"5\r\n{}\r\n0\r\n\r\n", b"-1\r\n\r\n", b"fffffffffffffffff\r\n{"],
)
def test_a_malformed_chunk_is_refused_and_logged(
    server: Server, publisher: Cast, body: bytes
) -> None:
    answer = send(server, post(publisher), CHUNKED, b"\r\n", body)
    expect_refusal(server, answer, "malformed or ended early")
    assert answer[1]["x-request-id"] == "broken-1"
    lines = [json.loads(line) for line in server.log.read_text().splitlines() if "broken-1" in line]
    assert ("request body broken", "/v1/issues/") in {(it["event"], it["path"]) for it in lines}


@pytest.mark.parametrize(
    "head, body",
    [(b"Content-Length: 100\r\n", BODY), (CHUNKED, b"d\r\n" + BODY + b"\r\n"), (CHUNKED, b"")],
)
def test_a_body_that_ends_early_is_refused_and_changes_nothing(
    server: Server, publisher: Cast, head: bytes, body: bytes
) -> None:
    answer = send(server, post(publisher), head, b"\r\n", body, half_closed=True)
    expect_refusal(server, answer, "malformed or ended early")
    answer = send(server, post(publisher).replace(b"POST", b"GET"), b"\r\n")
    assert json.loads(answer[2])["items"] == []


def test_the_log_does_not_show_the_secret_path_of_a_form_that_ends_early(
    server: Server, publisher: Cast
) -> None:
    head = post(publisher, b"/link/canary-of-a-link/")
    answer = send(server, head, FORM, b"Content-Length: 9\r\n\r\n", b"a", half_closed=True)
    expect_refusal(server, answer, "malformed or ended early")
    assert "canary-of-a-link" not in server.log.read_text()


@for_each(
    "hosts",
    [b"", b"Host:\r\n", b"Host: a.test\r\nHost: a.test\r\n", b"Host: a.test\r\nHost: b.test\r\n"]
    + [b"Host: " + name + b"\r\n" for name in (b"a.test/x", b"a b", b"u@a.test", b"<a>")],
)
@for_each("path", [b"/v1/me/", b"/health", b"/sign-in/"])
def test_a_request_must_have_exactly_one_host(server: Server, path: bytes, hosts: bytes) -> None:
    head = b"GET " + path + b" HTTP/1.1\r\n" + hosts + b"Connection: close\r\n\r\n"
    expect_refusal(server, send(server, head), "exactly one `Host`")


@pytest.mark.parametrize(
    "head",
    [
        b"GET /health HTTP/1.0\r\n",
        b"GET /health HTTP/1.1\r\nHost: [::1]:8000\r\n",
        b"GET /health HTTP/1.1\r\nHost: a-b.test:80\r\n",
        b"GET http://a.test/health HTTP/1.1\r\n",
        b"GET /health HTTP/1.1\r\nHost: a.test\r\nAccept: a\r\nAccept: b\r\n",
    ],
)
def test_a_request_with_one_host_or_over_http_1_0_succeeds(server: Server, head: bytes) -> None:
    assert send(server, head + b"Connection: close\r\n\r\n")[0] == 200
