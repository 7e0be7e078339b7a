"""The API's description in OpenAPI 3.1, made from the routes and structs that serve."""

from functools import cache
from typing import Any

import msgspec

from masthead.api.routes import ROUTES
from masthead.model.resources import Document


@cache
def document_bytes() -> bytes:
    """The document as JSON."""
    return msgspec.json.encode(document())


def document() -> Document:
    """The document."""
    paths: dict[str, Any] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = {"operationId": route.name}
    return {"openapi": "3.1.0", "info": {"title": "masthead", "version": "1.0.0"}, "paths": paths}
