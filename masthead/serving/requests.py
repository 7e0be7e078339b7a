"""Limits on requests: how many at once, the memory and time of their bodies, slow downloads."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.requests import ClientDisconnect
from starlette.types import Receive

from masthead.model.errors import PayloadTooLarge, Unavailable
from masthead.serving.connections import Peer

MAX_BODY = 1024 * 1024  # bytes
BODY_SECONDS = 30.0  # for the whole body to arrive
PAGES = "/desk/"  # the start of paths of pages, which have limits of their own
MAX_BODIES = 32 * MAX_BODY  # bytes of all bodies in a worker; above it, uploads are dropped
SEND_SECONDS = 60.0  # for a client to receive a piece of a download


async def read_body(receive: Receive, *, seconds: float) -> bytes:
    """The whole body of an ASGI request, of at most `MAX_BODY` bytes.

    Raises: PayloadTooLarge as soon as the body is over the limit; TimeoutError if it takes longer
    than `seconds`; ClientDisconnect if the client disconnects.
    """
    body, is_complete = bytearray(), False
    async with asyncio.timeout(seconds):
        while not is_complete:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            body += message.get("body", b"")
            is_complete = not message.get("more_body", False)
            if len(body) > MAX_BODY:
                raise PayloadTooLarge(MAX_BODY)
    return bytes(body)


class ActiveRequests:
    """The requests that a worker is answering, and the memory that their bodies take.

    limit: how many requests can run at a time. peers: the clients with a running request.
    is_draining: whether clients shall close their connections, because the worker stops.
    """

    def __init__(self, limit: int) -> None:
        self._limit, self._body_bytes = limit, 0
        self._uploads: dict[Peer, int] = {}  # bytes of unfinished bodies, oldest first
        self._sending: dict[Peer, float] = {}  # since when they receive a piece, oldest first
        self.peers: set[Peer] = set()
        self.is_draining = False

    def add(self, peer: Peer) -> None:
        """Count a completely received request. Raises: Unavailable if there are too many."""
        self._uploads.pop(peer, None)
        if len(self.peers) >= self._limit:
            raise Unavailable("The service is handling too many requests")
        self.peers.add(peer)

    def drain(self) -> None:
        """Let each response tell its client to close the connection."""
        self.is_draining = True

    def add_body_bytes(self, peer: Peer, size: int) -> None:
        """Count a part of a body. Raises: Unavailable if all bodies take twice the limit."""
        self._body_bytes += size
        self._uploads[peer] = self._uploads.get(peer, 0) + size
        if self._body_bytes > 2 * MAX_BODIES:
            raise Unavailable("The service is handling too many large requests")

    def release_body_bytes(self, peer: Peer, size: int) -> None:
        """Stop counting a part of a body, which is on the disk now."""
        self._body_bytes -= size
        if peer in self._uploads:
            self._uploads[peer] -= size

    def remove(self, peer: Peer, size: int) -> None:
        """Stop counting a request and its body."""
        self._uploads.pop(peer, None)
        self.peers.discard(peer)
        self._body_bytes -= size

    @contextmanager
    def sending(self, peer: Peer) -> Iterator[None]:
        """Send a client a piece of a download during the block."""
        self._sending[peer] = time.monotonic()
        try:
            yield
        finally:
            self._sending.pop(peer, None)

    def peers_to_drop(self) -> list[Peer]:
        """The clients to disconnect: those that receive nothing, and those with too large bodies.

        Of the latter so many that the bodies are within the limit again, oldest first.
        """
        before = time.monotonic() - SEND_SECONDS
        chosen = [peer for peer, since in list(self._sending.items()) if since < before]
        excess = self._body_bytes - MAX_BODIES
        for peer, size in list(self._uploads.items()):
            if excess <= 0:
                break
            chosen.append(peer)
            excess -= size
        return chosen
