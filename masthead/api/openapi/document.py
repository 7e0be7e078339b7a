"""Generates the OpenAPI 3.1 document from the routes and their structs."""

import re
from functools import cache
from http import HTTPStatus
from typing import Any

import msgspec

from masthead.api.authentication import Access
from masthead.api.idempotency.header import HEADER, KEY_PATTERN
from masthead.api.openapi import texts
from masthead.api.openapi.errors import ErrorResponses
from masthead.api.openapi.examples import Examples
from masthead.api.openapi.headers import (
    COMPONENTS,
    NOT_MODIFIED,
    NOT_MODIFIED_RESPONSE,
    request_headers,
    response_headers,
)
from masthead.api.openapi.schemas import Schemas, ref
from masthead.api.route import Route
from masthead.api.routes import ROUTES
from masthead.model.identity.rights import in_order, needed_in_words
from masthead.model.resources import Document

TAGS = {
    "me": "The API key and its account.",
    "subscribers": "Subscribers, with totals of their subscriptions.",
    "sources": "Sources of orders, such as shops.",
    "subscriptions": "Subscriptions for a number of issues, and memberships for a period of time.",
    "issues": "The issues of the magazine.",
    "copies": "Copies: one issue for one subscription, and whether it was sent.",
    "dispatches": "Dispatch runs: the copies of an issue that go out together.",
    "delivery-reports": "Delivery reports: what carriers say of copies, and holds on addresses.",
    "claims": "Claims: subscribers say that copies never came, and get replacements.",
    "invoices": "Invoices and credit notes: what payers owe for orders.",
    "payments": "Payments of invoices.",
    "products": "Products: what new orders can be for, and its prices.",
    "orders": "Orders of all kinds: memberships, gifts, several copies, many at once.",
    "address-changes": "Planned addresses: from an issue on, or for some issues.",
    "events": "Events: what happened to the records of the account, for programs.",
    "webhooks": "Webhooks: addresses to which masthead sends the events.",
    "sandbox": "The clock and the emails of a sandbox, an account for trying out.",
}

ID: Document = {"type": "string", "pattern": r"^[\w\d]+$"}
COPY_ID: Document = {
    "description": "Id of the copy.",
    "schema": {"type": "integer", "format": "int64"},
}
# What an id in a path stands for
RECORDS = {
    "subscribers": "subscriber",
    "subscriptions": "subscription",
    "issues": "issue",
    "dispatches": "dispatch run",
    "delivery-reports": "delivery report",
    "claims": "claim",
    "invoices": "invoice",
    "payments": "payment",
    "products": "product",
    "address-changes": "change of address",
    "webhooks": "webhook",
    "sandbox": "sandbox",
}
IDEMPOTENCY_KEY: Document = {
    "name": HEADER,
    "in": "header",
    # No example: programs would send the same key with all requests
    "description": "A new key for each new request, such as a UUID (in Postman: `{{$guid}}`). For "
    "24 hours, a repetition with the same key changes nothing, and gets the same response.",
    "schema": {"type": "string", "pattern": KEY_PATTERN},
}
REPLAYED: Document = {
    "Idempotent-Replayed": {
        "description": "Present if this is the stored response to an earlier request.",
        "schema": {"const": "true"},
    }
}


@cache
def document_bytes() -> bytes:
    """The document as JSON."""
    return msgspec.json.encode(document())


def document() -> Document:
    """The document."""
    structs, errors = texts.read_examples(), texts.read_errors()
    operations = texts.read_operations()
    examples = Examples(structs, texts.read_fields())
    parts = Parts(
        Schemas(ROUTES, examples, [*errors]),
        examples,
        ErrorResponses(errors, operations),
        operations,
    )
    paths = Document()
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, parts)
    responses, error_examples = parts.errors.components()
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "masthead",
            "version": "1.0.0",
            "description": texts.read_about(),
            "contact": {"name": "The operator of this server"},
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/", "description": "The server that this document comes from."}],
        "tags": [{"name": name, "description": words} for name, words in TAGS.items()],
        "security": [{"key": []}],
        "paths": paths,
        "components": {
            "schemas": parts.schemas.components(),
            "responses": responses | {NOT_MODIFIED: NOT_MODIFIED_RESPONSE},
            "headers": COMPONENTS,
            "examples": examples.components() | error_examples,
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "An API key, which begins with `mh_`.",
                }
            },
        },
    }


# --- Operations ----------------------------------------------------------------------------------


class Parts(msgspec.Struct, frozen=True):
    """What the operations are made of. texts: by route."""

    schemas: Schemas
    examples: Examples
    errors: ErrorResponses
    texts: dict[str, texts.OperationText]

    def content(self, kind: Any) -> Document:
        """The JSON of a struct, with its schema and an example."""
        schema = self.schemas.of(kind)
        name = schema["$ref"].rpartition("/")[2]
        return {"application/json": {"schema": schema, "examples": self.examples.of_struct(name)}}


def _operation(route: Route, parts: Parts) -> Document:
    """The operation of a route: its parameters, body and responses."""
    resource, described = route.path.split("/")[2], parts.texts[str(route)]
    operation: Document = {
        "operationId": route.name,
        "tags": [resource],
        "summary": described.title,
        "description": _description(route, texts.without_links(described.text)),
        "parameters": [
            *(
                {
                    "name": name,
                    "in": "path",
                    "required": True,
                    **_path_parameter(name, resource),
                }
                for name in re.findall(r"{(\w+)}", route.path)
            ),
            *parts.schemas.parameters(route.query),
            *([IDEMPOTENCY_KEY] if route.access is Access.WRITE else ()),
            *request_headers(route),
        ],
        "responses": {
            str(route.status): {
                "description": HTTPStatus(route.status).phrase,
                "headers": {
                    **(REPLAYED if route.access is Access.WRITE else {}),
                    **response_headers(route),
                },
                "content": parts.content(route.response),
            },
            **({"304": ref("responses", NOT_MODIFIED)} if route.method == "GET" else {}),
            **parts.errors.of(route),
        },
    }
    if route.body is not None:
        operation["requestBody"] = {
            "required": route.requires_body,
            "content": parts.content(route.body),
        }
    if route.access is Access.PUBLIC:
        operation["security"] = []
    return operation


def _description(route: Route, text: str) -> str:
    """The text about an operation, with the rights that it needs before its command."""
    about, mark, command = text.partition("```sh")
    needed = needs_rights(route)
    return "\n\n".join(part.strip() for part in (about, needed, mark + command) if part)


def needs_rights(route: Route) -> str:
    """The sentence about the rights that an operation needs; empty if it needs none."""
    return f"Needs {needed_in_words(in_order(route.rights))}." if route.rights else ""


def _path_parameter(name: str, resource: str) -> Document:
    if name == "copy_id":
        return COPY_ID
    return {"description": f"Id of the {RECORDS[resource]}.", "schema": ID}
