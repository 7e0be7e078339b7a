"""`GET /openapi.json`, and `GET /docs`, the interactive documentation (Swagger UI)."""

from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route

from masthead.api.openapi.document import document_bytes
from masthead.services.child_process import run_in_file_thread
from masthead.serving.compression import MIN_BYTES, accepted_coding, compress_file

STATIC = Path(__file__).parent / "static"
SWAGGER = STATIC / "swagger-ui"

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
}
HEADERS = {
    # The style sheet of Swagger UI has images as `data:` URLs
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; object-src 'none'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
VARY = {"Vary": "Accept-Encoding"}


async def openapi_document(request: Request) -> Response:
    """The API as an OpenAPI 3.1 document."""
    coding = accepted_coding(request.headers.get("Accept-Encoding", ""))
    if not coding:
        return Response(document_bytes(), media_type="application/json", headers=VARY)
    body = await run_in_file_thread(_compressed_document, coding)
    headers = {**VARY, "Content-Encoding": coding}
    return Response(body, media_type="application/json", headers=headers)


@cache
def _compressed_document(coding: str) -> bytes:
    return compress_file(document_bytes(), coding)


@cache
def _compressed(file: Path, coding: str) -> bytes:
    """A file in a coding. It is kept: all files together are 0.5 MB."""
    return compress_file(file.read_bytes(), coding)


def _file(path: str, file: Path) -> Route:
    """The route of one file."""
    is_large = file.stat().st_size >= MIN_BYTES

    async def send(request: Request) -> Response:
        kind = TYPES[file.suffix]
        coding = accepted_coding(request.headers.get("Accept-Encoding", ""))
        if not coding or not is_large:
            return FileResponse(file, media_type=kind, headers={**HEADERS, **VARY})
        body = await run_in_file_thread(_compressed, file, coding)
        headers = {**HEADERS, **VARY, "Content-Encoding": coding}
        return Response(body, media_type=kind, headers=headers)

    return Route(path, send)


PATHS: list[BaseRoute] = [
    Route("/openapi.json", openapi_document),
    _file("/docs", STATIC / "index.html"),
    _file("/docs/start.js", STATIC / "start.js"),
    _file("/docs/swagger-ui.css", SWAGGER / "swagger-ui.css"),
    _file("/docs/swagger-ui-bundle.js", SWAGGER / "swagger-ui-bundle.js"),
    _file("/docs/favicon-32x32.png", SWAGGER / "favicon-32x32.png"),
]
