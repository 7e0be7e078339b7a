"""Shared expectations: the shape of an error response, and invalid dates."""

from collections.abc import Mapping
from typing import Any

import httpx

from masthead.model.errors import MAX_ERRORS

BAD_DATES: tuple[object, ...] = (
    "",
    " 2026-01-05",
    "2026-1-5",
    "2026-02-30",
    "20260105",
    "2026-01-05T00:00:00",
    "1899-12-31",
    "10000-01-01",
    "２０２６-01-05",
    "soon",
    20260105,
    True,
    [],
)
"""Values that no date field accepts."""


def refused(response: httpx.Response, code: str, *, status: int = 400, id: object = None) -> str:
    """Check the status, shape and code of an error response; return its message.

    id: of the record that the message names, if it names one.
    """
    assert response.status_code == status, response.text
    body = response.json()
    assert body.pop("id", None) == id
    require_first_told(body)
    body.pop("field", None)
    body.pop("errors", None)
    assert set(body) == {"error", "message", "code"}
    assert body["error"] is True
    assert body["code"] == code, body
    message = body["message"]
    assert isinstance(message, str)
    assert message
    return message


def require_first_told(body: Mapping[str, Any]) -> None:
    """Fail unless the first of `errors` is what the body of an error says itself."""
    assert ("field" in body) == ("errors" in body)
    if "errors" in body:
        first = {name: body[name] for name in ("field", "message", "code")}
        assert body["errors"][0] == first
        assert len(body["errors"]) <= MAX_ERRORS
        assert all(set(each) == set(first) for each in body["errors"])
