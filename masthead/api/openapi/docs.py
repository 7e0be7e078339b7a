"""`GET /openapi.json`, and `GET /docs`, the interactive documentation (Swagger UI)."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from masthead.api.http.response import NOT_MODIFIED, tag_in_coding
from masthead.api.openapi.document import document_bytes
from masthead.api.preconditions.entity_tags import entity_tag, read_if_none_match
from masthead.services.child_process import run_in_file_thread
from masthead.serving.compression import MIN_BYTES, accepted_coding, compress_file

STATIC = Path(__file__).parent / "static"
SWAGGER = STATIC / "swagger-ui"

HEADERS = {
    # The style sheet of Swagger UI has images as `data:` URLs
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; object-src 'none'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
VARY = {"Vary": "Accept-Encoding"}
Read = Callable[[], bytes]


class _Answer(Struct, frozen=True):
    """A file in a coding. tag: without the coding, which the one in `headers` names."""

    body: bytes
    tag: bytes
    headers: dict[str, str]


@cache
def _answer(read: Read, coding: str) -> _Answer:
    """The answer with a file. It is kept: compressed, all files together are 0.5 MB."""
    body = read()
    tag = entity_tag(body)
    if not coding or len(body) < MIN_BYTES:
        return _Answer(body, tag, {**VARY, "ETag": tag.decode()})
    headers = {**VARY, "ETag": tag_in_coding(tag, coding).decode(), "Content-Encoding": coding}
    return _Answer(compress_file(body, coding), tag, headers)


def _file(path: str, read: Read, media_type: str, headers: Mapping[str, str] = HEADERS) -> Route:
    """The route of one file."""

    async def send(request: Request) -> Response:
        coding = accepted_coding(request.headers.get("Accept-Encoding", ""))
        answer = await run_in_file_thread(_answer, read, coding)
        sent = [value.encode("latin-1") for value in request.headers.getlist("If-None-Match")]
        known = read_if_none_match(sent)
        if known is not None and known.matches(answer.tag):
            tag = known.sent(answer.tag).decode("latin-1")
            return Response(status_code=NOT_MODIFIED, headers={**VARY, "ETag": tag})
        return Response(answer.body, media_type=media_type, headers={**headers, **answer.headers})

    return Route(path, send)


PATHS: list[BaseRoute] = [
    _file("/openapi.json", document_bytes, "application/json", {}),
    _file("/docs", (STATIC / "index.html").read_bytes, "text/html"),
    _file("/docs/start.js", (STATIC / "start.js").read_bytes, "text/javascript"),
    *(
        _file(f"/docs/{name}", (SWAGGER / name).read_bytes, media_type)
        for name, media_type in {
            "swagger-ui.css": "text/css",
            "swagger-ui-bundle.js": "text/javascript",
            "favicon-32x32.png": "image/png",
        }.items()
    ),
]
