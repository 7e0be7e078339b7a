"""Errors that tests receive are in the OpenAPI document, with the code, at their operation."""

import re
from functools import cache
from http import HTTPStatus
from typing import Any

import httpx

from masthead.api.idempotency.header import HEADER
from masthead.api.route import Route
from masthead.api.routes import ROUTES
from tests.support.expect import require_first_told
from tests.support.openapi import described


@cache
def _codes() -> dict[tuple[str, str], dict[str, set[str | None]]]:
    """The codes of each operation by method and path, and then by status; None for no body."""
    whole = described()
    found: dict[tuple[str, str], dict[str, set[str | None]]] = {}
    for path, operations in whole["paths"].items():
        for method, operation in operations.items():
            responses = operation["responses"]
            found[method.upper(), path] = {
                status: _codes_of(whole, response) for status, response in responses.items()
            }
    return found


def _codes_of(whole: dict[str, Any], response: dict[str, Any]) -> set[str | None]:
    if "$ref" in response:
        response = whole["components"]["responses"][response["$ref"].rpartition("/")[2]]
    content = response.get("content", {})  # 304 has none
    codes: set[str | None] = {None} if "text/plain" in content else set()
    return codes | set(content.get("application/json", {}).get("examples", ()))


def require_described(method: str, path: str, response: httpx.Response) -> None:
    """Raises: AssertionError if the document does not have this error for this operation."""
    if response.status_code < 400:
        return
    plain = path.partition("?")[0]
    asked = "GET" if method == "HEAD" else method
    # `/v1/copies/mark-sent/` has its own methods, although `/v1/copies/{copy_id}/` is like it
    routes = [route for route in ROUTES if route.path == plain] or [
        route for route in ROUTES if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", route.path), plain)
    ]
    route = next((each for each in routes if each.method == asked), None)
    if route is None:
        return
    if method == "HEAD":
        return
    code = None
    if response.content:
        told = response.json()
        code = told["code"]
        require_first_told(told)
        assert "field" not in told or _is_known(route, told), f"{route} has no {told['field']}"
    known = _codes()[route.method, route.path].get(str(response.status_code), set())
    assert code in known or response.status_code == HTTPStatus.INTERNAL_SERVER_ERROR, (
        f"{route} returned {response.status_code} {code}, which the OpenAPI document does not have"
    )


def _is_known(route: Route, told: dict[str, Any]) -> bool:
    """Whether a field of an error is one of the operation, if its code does not say otherwise."""
    structs = [each for each in (route.body, route.query) if each]
    known = {name for struct in structs for name in struct.__struct_fields__}
    known |= {HEADER, *re.findall(r"\w+", route.path)}
    is_unknown = told["code"] in {"unknown_field", "unknown_parameter", "invalid_json"}
    return is_unknown or told["field"].partition("[")[0] in known
