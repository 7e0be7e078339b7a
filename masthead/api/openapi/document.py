"""Generates the OpenAPI 3.1 document from the routes and their structs."""

import re
from collections.abc import Iterator
from functools import cache
from http import HTTPStatus

import msgspec

from masthead.api.authentication import Access
from masthead.api.openapi.schemas import Schemas, ref
from masthead.api.router import Route
from masthead.api.routes import ROUTES
from masthead.model.resources import ApiError, Document

ABOUT = """The subscribers, subscriptions, issues and copies of a magazine publisher.

* Paths end with a slash. Request and response bodies are JSON in UTF-8 (`application/json`).
* Every request needs an API key, except the status of a subscription. A key gives access to one
  account. PATCH and POST require a read-write key.
* Lists are paginated: to get the next page, repeat the request with the `cursor` of the response.
* Dates are `YYYY-MM-DD`, in UTC. Amounts are decimal text with the decimals of their currency.
* Leading and trailing spaces are removed from text. In a POST, null or empty text in an optional
  field is the same as no value. A PATCH changes only the fields that it contains.
* A request with unknown fields or parameters is refused.
* Errors have a `message` for people and a `code` for programs. Responses with status 401, and with
  403 for an inactive account, have no body.
* Every response has an `X-Request-Id` header; include it when you ask for support.
"""

TAGS = {
    "me": "The API key and its account.",
    "subscribers": "Subscribers, with totals of their subscriptions.",
    "sources": "Sources of orders, such as shops.",
    "subscriptions": "Subscriptions for a number of issues, and memberships for a period of time.",
    "issues": "The issues of the magazine.",
    "copies": "Copies: one issue for one subscription, and whether it was sent.",
    "dispatches": "Dispatch runs: the copies of an issue that go out together.",
    "delivery-reports": "Delivery reports: what carriers say of copies, and holds on addresses.",
    "claims": "Claims: readers say that copies never came, and get replacements.",
}

PATH_PARAMETERS: dict[str, Document] = {
    "id": {
        "description": "The `id` of the record.",
        "schema": {"type": "string", "pattern": r"^[\w\d]+$"},
    },
    "copy_id": {
        "description": "The `id` of the copy; an unknown id is skipped.",
        "schema": {"type": "integer", "format": "int64"},
    },
}


@cache
def document_bytes() -> bytes:
    """The document as JSON."""
    return msgspec.json.encode(document())


def document() -> Document:
    """The document."""
    schemas, paths = Schemas(ROUTES), Document()
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "masthead",
            "version": "1.0.0",
            "description": ABOUT,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "tags": [{"name": name, "description": words} for name, words in TAGS.items()],
        "security": [{"key": []}],
        "paths": paths,
        "components": {
            "schemas": schemas.components(),
            "responses": {name: error.response() for name, error in ERRORS.items()},
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "An API key, which begins with `mh_`.",
                }
            },
        },
    }


def _json(schema: Document) -> Document:
    return {"application/json": {"schema": schema}}


# --- Operations ----------------------------------------------------------------------------------


def _operation(route: Route, schemas: Schemas) -> Document:
    """The operation of a route: its parameters, body and responses."""
    operation: Document = {
        "operationId": route.name,
        "tags": [route.path.split("/")[2]],
        "summary": route.summary,
        "parameters": [
            *(
                {"name": name, "in": "path", "required": True, **PATH_PARAMETERS[name]}
                for name in re.findall(r"{(\w+)}", route.path)
            ),
            *schemas.parameters(route.query),
        ],
        "responses": {
            str(route.status): {
                "description": HTTPStatus(route.status).phrase,
                "content": _json(schemas.of(route.response)),
            },
            **{str(ERRORS[name].status): ref("responses", name) for name in _errors_of(route)},
        },
    }
    if route.body is not None:
        operation["requestBody"] = {
            "required": route.requires_body,
            "content": _json(schemas.of(route.body)),
        }
    if route.access is Access.PUBLIC:
        operation["security"] = []
    return operation


def _errors_of(route: Route) -> Iterator[str]:
    """The names of the error responses of a route, in the order of their status."""
    has_key = route.access is not Access.PUBLIC
    if has_key:
        yield from ("Invalid", "NoKey", "NoWrite" if route.access is Access.WRITE else "Inactive")
    if "{id}" in route.path:
        yield "NotFound"
    if route.body is not None:
        yield "PayloadTooLarge"
    if has_key:
        yield from ("RateLimited", "Unavailable")


class ErrorResponse(msgspec.Struct, frozen=True):
    """An error response. header: the name of its header, and the schema."""

    status: int
    description: str
    has_body: bool = True
    header: tuple[str, Document] | None = None

    def response(self) -> Document:
        """The response as a component."""
        response: Document = {"description": self.description}
        if self.header is not None:
            name, schema = self.header
            response["headers"] = {name: {"required": True, "schema": schema}}
        if self.has_body:
            response["content"] = _json(ref("schemas", ApiError.__name__))
        return response


RETRY_AFTER = (
    "Retry-After",
    {"type": "integer", "description": "Seconds to wait."},
)
ERRORS = {
    "Invalid": ErrorResponse(
        400,
        "The request is invalid: `invalid_json`, `unsupported_media_type`, `validation_error`, "
        "`unknown_field`, `unknown_parameter`, `invalid_cursor`. Or the stored data does not allow "
        "it: `invalid_source`, `unknown_start_issue`, `duplicate_order_id`, "
        "`duplicate_issue_number`, `not_recurring`, `unknown_issue`, `nothing_to_send`, "
        "`already_marked`, `already_discarded`, `already_shipped`, `not_marked`, `undo_expired`.",
    ),
    "NoKey": ErrorResponse(
        401,
        "The API key is missing or invalid. No body.",
        has_body=False,
        header=(
            "WWW-Authenticate",
            {
                "type": "string",
                "pattern": "^Bearer",
                "description": "`Bearer`; after an invalid key, with the `error` and the "
                "`error_description` of RFC 6750.",
            },
        ),
    ),
    "Inactive": ErrorResponse(403, "The account is inactive. No body.", has_body=False),
    "NoWrite": ErrorResponse(
        403, "The API key is read-only: `read_only_key`. Or the account is inactive: no body."
    ),
    "NotFound": ErrorResponse(404, "The account has no record with this id: `not_found`."),
    "PayloadTooLarge": ErrorResponse(413, "The body is larger than 1 MiB: `payload_too_large`."),
    "RateLimited": ErrorResponse(
        429,
        "Too many requests with this API key, or of this account: `rate_limited`.",
        header=RETRY_AFTER,
    ),
    "Unavailable": ErrorResponse(
        503,
        "The database is not responding: `unavailable`. Nothing was changed.",
        header=RETRY_AFTER,
    ),
}
