"""Read the body of an HTTP request, with limits on its length and time."""

import asyncio

from starlette.requests import ClientDisconnect
from starlette.types import Receive

from masthead.model.errors import PayloadTooLarge

MAX_BODY = 1024 * 1024  # bytes
BODY_SECONDS = 30.0  # for the whole body to arrive
PAGES = "/desk/"  # the start of paths of pages, which have limits of their own


async def read_body(receive: Receive, *, seconds: float, limit: int = MAX_BODY) -> bytes:
    """The whole body of an ASGI request, of at most `limit` bytes.

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
            if len(body) > limit:
                raise PayloadTooLarge(limit)
    return bytes(body)
