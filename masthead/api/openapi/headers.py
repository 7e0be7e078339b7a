"""Headers in the OpenAPI document that many operations share."""

from masthead.api.authentication import Access
from masthead.api.filters import NEXT_UPDATED_SINCE
from masthead.api.openapi.schemas import ref
from masthead.api.route import Route, find_record, has_tag
from masthead.api.routes import ROUTES
from masthead.model.resources import Document

# No bytes at all. Without a schema, generated clients have no type for what an operation returns
NO_BODY: Document = {"text/plain": {"schema": {"type": "string", "const": ""}}}
NOT_MODIFIED = "NotModified"

# Without an example: the tag of one response is no tag of another
IF_NONE_MATCH: Document = {
    "name": "If-None-Match",
    "in": "header",
    "description": "The `ETag` of the response that you have. If it has not changed, you get 304 "
    "without a body.",
    "schema": {"type": "string"},
}
IF_MATCH: Document = {
    "name": "If-Match",
    "in": "header",
    "description": "The `ETag` of the record that you have. If the record has changed since then, "
    "you get 412, and nothing is written.",
    "schema": {"type": "string"},
}

COMPONENTS: Document = {
    "ETag": {
        "description": "The entity tag of the response: it changes if the response changes. Send "
        "it as `If-None-Match` with the next request for the same, or as `If-Match` to write only "
        "if nothing has changed.",
        "schema": {"type": "string"},
    },
    "RateLimit-Policy": {
        "description": "The limits on requests, if the operator has set any: `q` requests in `w` "
        "seconds for the API key (`key`) and for all keys of the account (`account`).",
        "schema": {"type": "string", "examples": ['"key";q=600;w=60']},
    },
    "RateLimit": {
        "description": "What is left of each limit: `r` requests now; all of them after `t` "
        "seconds without a request.",
        "schema": {"type": "string", "examples": ['"key";r=599;t=1']},
    },
}
_LIMITS = ("RateLimit-Policy", "RateLimit")
_NEXT: Document = {
    NEXT_UPDATED_SINCE: {
        "description": "With `updated_since`, on the first page: send it as `updated_since` the "
        "next time. It also covers what others are writing just now.",
        "schema": {"type": "string", "format": "date-time"},
    }
}
NOT_MODIFIED_RESPONSE: Document = {
    "description": "The response has not changed: it is the one with an entity tag in "
    "`If-None-Match`. This response has no body.",
    "headers": {name: ref("headers", name) for name in COMPONENTS},
    "content": NO_BODY,
}


def request_headers(route: Route) -> list[Document]:
    """The headers that make a request of a route conditional, as parameters."""
    if route.method == "GET":
        return [IF_NONE_MATCH]
    return [IF_MATCH] if "{" in route.path and find_record(route, ROUTES) else []


def response_headers(route: Route) -> Document:
    """The headers of the successful response of a route."""
    tag = ("ETag",) if has_tag(route, find_record(route, ROUTES)) else ()
    limits = () if route.access is Access.PUBLIC else _LIMITS
    following = _NEXT if "updated_since" in route.query.__struct_fields__ else {}
    return {name: ref("headers", name) for name in (*tag, *limits)} | following


def limit_headers() -> Document:
    """The headers that tell the limits on requests."""
    return {name: ref("headers", name) for name in _LIMITS}
