"""A minimal client that sends requests one by one over one connection."""

import json
import socket
import time
from typing import Any
from urllib.parse import urlsplit


class Client:
    """One keep-alive connection with an API key, and a session cookie for the pages."""

    def __init__(self, address: str, key: str, *, cookie: str = "") -> None:
        where = urlsplit(address)
        self._where = where.hostname or "", where.port or 0
        self._fields = f"Host: bench\r\nAuthorization: Bearer {key}\r\n"
        if cookie:
            self._fields += f"Cookie: {cookie}\r\n"
        self._socket: socket.socket | None = None

    def ask(self, method: str, path: str, body: object = None) -> bytes:
        """The body of the response. Raises: RuntimeError unless the request succeeds."""
        raw = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\n{self._fields}"
        if raw:
            head += f"Content-Type: application/json\r\nContent-Length: {len(raw)}\r\n"
        status, answer = self._exchange(f"{head}\r\n".encode() + raw)
        if not 200 <= status < 300:
            raise RuntimeError(f"{method} {path} is answered with {status}: {answer[:500]!r}")
        return answer

    def get(self, path: str) -> Any:
        """The JSON at a path."""
        return json.loads(self.ask("GET", path))

    def timed(self, method: str, path: str, body: object = None) -> float:
        """The seconds until the response arrives."""
        began = time.perf_counter()
        self.ask(method, path, body)
        return time.perf_counter() - began

    def _exchange(self, request: bytes) -> tuple[int, bytes]:
        if self._socket is None:
            self._socket = socket.create_connection(self._where, timeout=600)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.sendall(request)
        answer = bytearray()
        while (end := answer.find(b"\r\n\r\n")) < 0:
            answer += self._receive()
        head = bytes(answer[:end]).lower()
        fields = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:])
        body = answer[end + 4 :]
        while len(body) < int(fields.get(b"content-length", b"0")):
            body += self._receive()
        if fields.get(b"connection") == b"close":
            self.close()
        return int(head.split(b" ", 2)[1]), bytes(body)

    def _receive(self) -> bytes:
        assert self._socket is not None
        part = self._socket.recv(262_144)
        if not part:
            raise RuntimeError("the server has closed the connection")
        return part

    def close(self) -> None:
        """Close the connection."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
