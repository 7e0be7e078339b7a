"""`GET /openapi.json`, and `GET /docs`, the interactive documentation (Swagger UI)."""

from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route

from masthead.api.openapi.document import document_bytes

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


async def openapi_document(_request: Request) -> Response:
    """The API as an OpenAPI 3.1 document."""
    return Response(document_bytes(), media_type="application/json")


def _file(path: str, file: Path) -> Route:
    """The route of one file."""

    async def send(_request: Request) -> Response:
        return FileResponse(file, media_type=TYPES[file.suffix], headers=HEADERS)

    return Route(path, send)


PATHS: list[BaseRoute] = [
    Route("/openapi.json", openapi_document),
    _file("/docs", STATIC / "index.html"),
    _file("/docs/start.js", STATIC / "start.js"),
    _file("/docs/swagger-ui.css", SWAGGER / "swagger-ui.css"),
    _file("/docs/swagger-ui-bundle.js", SWAGGER / "swagger-ui-bundle.js"),
    _file("/docs/favicon-32x32.png", SWAGGER / "favicon-32x32.png"),
]
