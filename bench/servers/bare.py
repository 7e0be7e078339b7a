"""The bare server: the same bytes, without masthead's middleware, router and authentication."""

import json
import os

from starlette.types import ASGIApp, Receive, Scope, Send

from masthead.supervision import follow_supervisor

BARE_ANSWERS = "MASTHEAD_BENCH_BARE_ANSWERS"  # names a file: bodies by path and query


def create_app() -> ASGIApp:
    """An ASGI application that responds from memory."""
    follow_supervisor()
    with open(os.environ[BARE_ANSWERS]) as file:
        answers = {path.encode(): body.encode() for path, body in json.load(file).items()}

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await send({"type": "lifespan.shutdown.complete"})
            return
        path, query = scope["path"].encode(), scope["query_string"]
        body = answers.get(path + b"?" + query if query else path, b"{}")
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return app
