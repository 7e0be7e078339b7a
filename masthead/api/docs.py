"""`/openapi.json`, and `/docs`, where it is read and tried."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from masthead.api.openapi import document_bytes


async def openapi_document(_request: Request) -> Response:
    """The API's description in OpenAPI 3.1."""
    return Response(document_bytes(), media_type="application/json")


PATHS: list[BaseRoute] = [Route("/openapi.json", openapi_document)]
