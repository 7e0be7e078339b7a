"""The OpenAPI document, made once for all tests of a process: it takes a tenth of a second."""

from functools import cache

from masthead.api.openapi.document import document
from masthead.model.resources import Document


@cache
def described() -> Document:
    """The document; a test that changes it works on a copy."""
    return document()
