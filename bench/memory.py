"""The limit: the same server sends bytes that it was given, read from nowhere."""

import json
import os
from base64 import b64decode

from starlette.types import Receive, Scope, Send

ANSWERS = "MASTHEAD_BENCH_ANSWERS"  # the file with the answers: path and query, then base64


def create_app() -> object:
    """An ASGI application that answers from memory."""
    with open(os.environ[ANSWERS]) as file:
        answers = {path: b64decode(body) for path, body in json.load(file).items()}

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await send({"type": "lifespan.shutdown.complete"})
            return
        query = scope["query_string"].decode()
        body = answers.get(scope["path"] + (f"?{query}" if query else ""), b"{}")
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return app
