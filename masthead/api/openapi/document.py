"""The API's description in OpenAPI 3.1, made from the routes and structs that serve."""

import re
from collections.abc import Iterator
from functools import cache
from http import HTTPStatus

import msgspec

from masthead.api.authentication import Access
from masthead.api.openapi.schemas import Schemas, ref
from masthead.api.routes import ROUTES, Route
from masthead.model.resources import ApiError, Document

ABOUT = """The subscribers, subscriptions, issues and copies of a magazine publisher.

* Paths end with a slash. Bodies are JSON in UTF-8, sent as `application/json`.
* Only the status of a subscription can be asked for without an API key. A key belongs to one
  account, outside of which it sees nothing; only a read-write key may PATCH and POST.
* Lists come in pages: repeat the request with the `cursor` of the answer to get the next one.
* Days are `YYYY-MM-DD`, in UTC. Amounts are decimal text in the precision of their currency.
* Texts are trimmed. In a POST null, or an empty text, in an optional field counts as left out;
  a PATCH leaves alone what it does not name.
* A field or parameter that is not described here is refused.
* A refusal says what is wrong and has a `code` for programs. Only 401, and 403 for an inactive
  account, have no body.
* Every answer has an `X-Request-Id`: quote it when you ask for help.
"""

TAGS = {
    "me": "The key itself.",
    "subscribers": "The readers.",
    "sources": "Where orders come from.",
    "subscriptions": "What the readers bought: a number of issues, or membership for a time.",
    "issues": "The issues of the magazine.",
    "copies": "Which issue goes to whom, and whether it went out.",
}

PATH_PARAMETERS: dict[str, Document] = {
    "id": {
        "description": "an `id` that a list shows",
        "schema": {"type": "string", "pattern": r"^[\w\d]+$"},
    },
    "copy_id": {
        "description": "the `id` of a copy; one that no copy has is skipped",
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
            "responses": {name: refusal.response() for name, refusal in REFUSALS.items()},
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "an API key; it begins with `mh_`",
                }
            },
        },
    }


def _json(schema: Document) -> Document:
    return {"application/json": {"schema": schema}}


# --- Operations ----------------------------------------------------------------------------------


def _operation(route: Route, schemas: Schemas) -> Document:
    """What a route takes and answers."""
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
            **{str(REFUSALS[name].status): ref("responses", name) for name in _refusals(route)},
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


def _refusals(route: Route) -> Iterator[str]:
    """How a route can refuse, by the order of status."""
    has_key = route.access is not Access.PUBLIC
    if has_key:
        yield from ("Invalid", "NoKey", "NoWrite" if route.access is Access.WRITE else "Inactive")
    if "{id}" in route.path:
        yield "NotFound"
    if route.body is not None:
        yield "PayloadTooLarge"
    if has_key:
        yield from ("RateLimited", "Unavailable")


class Refusal(msgspec.Struct, frozen=True):
    """A response that is an error. header: one that it has, with its schema."""

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


RETRY_AFTER = ("Retry-After", {"type": "integer", "description": "seconds to wait"})
REFUSALS = {
    "Invalid": Refusal(
        400,
        "The request is not valid: `invalid_json`, `unsupported_media_type`, `validation_error`, "
        "`unknown_field`, `unknown_parameter`, `invalid_cursor`. Or the data do not allow it: "
        "`invalid_source`, `unknown_start_issue`, `duplicate_order_id`, `duplicate_issue_number`, "
        "`not_recurring`.",
    ),
    "NoKey": Refusal(
        401,
        "The key is missing or not valid. No body.",
        has_body=False,
        header=("WWW-Authenticate", {"const": "Bearer"}),
    ),
    "Inactive": Refusal(403, "The account is inactive. No body.", has_body=False),
    "NoWrite": Refusal(
        403, "The key may only read: `read_only_key`. Or, without a body, the account is inactive."
    ),
    "NotFound": Refusal(404, "Nothing in this account has that id: `not_found`."),
    "PayloadTooLarge": Refusal(413, "The body is over 1 MiB: `payload_too_large`."),
    "RateLimited": Refusal(
        429, "The operator's limit is used up: `rate_limited`.", header=RETRY_AFTER
    ),
    "Unavailable": Refusal(
        503, "The database does not answer: `unavailable`. Nothing was changed.", header=RETRY_AFTER
    ),
}
