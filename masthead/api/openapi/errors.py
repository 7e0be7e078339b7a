"""The error responses in the OpenAPI document: the codes of each operation, and what they mean."""

from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from itertools import groupby

from masthead.api.authentication import Access
from masthead.api.openapi.headers import NO_BODY, limit_headers
from masthead.api.openapi.schemas import ref
from masthead.api.openapi.texts import ErrorText, OperationText
from masthead.api.route import Route
from masthead.model.error_resources import ApiError
from masthead.model.resources import Document

NO_KEY = "NoKey"
INACTIVE = "Inactive"
NO_KEY_RESPONSE: Document = {
    "description": "The API key is missing or invalid. The response has no body. "
    "To solve it: send a valid key as `Authorization: Bearer <key>`.",
    "headers": {
        "WWW-Authenticate": {
            "required": True,
            "description": "`Bearer`; after an invalid key, with the `error` and the "
            "`error_description` of RFC 6750.",
            "schema": {"type": "string", "pattern": "^Bearer"},
        }
    },
    "content": NO_BODY,
}
INACTIVE_RESPONSE: Document = {
    "description": "The account is inactive. The response has no body. "
    "To solve it: ask the operator of the server.",
    "content": NO_BODY,
}
OR_INACTIVE = "Or the account is inactive; then the response has no body."
WAITS = {
    HTTPStatus.CONFLICT,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.SERVICE_UNAVAILABLE,
}
RETRY_AFTER = {
    "Retry-After": {
        "required": True,
        "description": "Seconds to wait.",
        "schema": {"type": "integer", "examples": [2]},
    }
}

# Of requests with an `Idempotency-Key`
_KEY_CODES = (
    "invalid_idempotency_key",
    "request_in_progress",
    "answer_deleted",
    "idempotency_key_reused",
)


class ErrorResponses:
    """The error responses of all operations. texts: by code. operations: by route."""

    def __init__(
        self, texts: Mapping[str, ErrorText], operations: Mapping[str, OperationText]
    ) -> None:
        self._texts, self._operations = texts, operations
        self._shared: Document = {NO_KEY: NO_KEY_RESPONSE, INACTIVE: INACTIVE_RESPONSE}
        self._examples: Document = {}

    def of(self, route: Route) -> Document:
        """The error responses of an operation by status. Most operations share them."""
        responses: Document = {}
        if route.access is not Access.PUBLIC:
            responses["401"] = ref("responses", NO_KEY)
            responses["403"] = ref("responses", INACTIVE)
        codes = sorted(self.codes_of(route), key=lambda code: self._texts[code].status)
        for status, group in groupby(codes, key=lambda code: self._texts[code].status):
            each = tuple(group)
            if len(each) == 1 or status == HTTPStatus.FORBIDDEN:
                name = "".join(each).title().replace("_", "")
                self._shared[name] = self._response(status, each)
                responses[str(status)] = ref("responses", name)
            else:
                responses[str(status)] = self._response(status, each)
        return dict(sorted(responses.items()))

    def codes_of(self, route: Route) -> Iterator[str]:
        """The codes of the errors of an operation."""
        yield "precondition_failed"
        if route.access is not Access.PUBLIC:
            yield from _input_codes(route)
            yield from ("rate_limited", "unavailable")
        if route.rights:
            yield "missing_right"
        if route.access is Access.WRITE:
            yield from ("read_only_key", "payload_too_large", *_KEY_CODES)
        if "{" in route.path:  # for a write to an unknown copy, with `If-Match`
            yield "not_found"
        yield from self._operations[str(route)].codes

    def components(self) -> tuple[Document, Document]:
        """The responses that operations share, and an example of each error in a response."""
        return self._shared, dict(sorted(self._examples.items()))

    def _response(self, status: int, codes: Sequence[str]) -> Document:
        lines = [f"- `{code}`: {self._texts[code].explanation}" for code in codes]
        title = "The request is invalid, or the stored data does not allow it. See `code`:"
        if len(codes) == 1:
            title, lines = lines[0][2:], []
        if status == HTTPStatus.FORBIDDEN:
            lines = [OR_INACTIVE]
        response: Document = {
            "description": "\n".join([title, "", *lines] if lines else [title]),
            "content": {
                "application/json": {
                    "schema": ref("schemas", ApiError.__name__),
                    "examples": {code: self._example(code) for code in codes},
                }
            },
        }
        if status == HTTPStatus.FORBIDDEN:
            response["content"] |= NO_BODY
        if status in WAITS:
            response["headers"] = RETRY_AFTER
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            response["headers"] = RETRY_AFTER | limit_headers()
        return response

    def _example(self, code: str) -> Document:
        text = self._texts[code]
        value: Document = {"error": True, "message": text.message, "code": code}
        if text.id:
            value["id"] = text.id
        if text.field:
            first = {"field": text.field, "message": text.message, "code": code}
            value |= {"field": text.field, "errors": [first]}
        summary = f"{text.cause[0].upper()}{text.cause[1:]}."
        self._examples[code] = {"summary": summary, "value": value}
        return ref("examples", code)


def _input_codes(route: Route) -> Iterator[str]:
    """The codes of errors in the query string and the body."""
    parameters = route.query.__struct_fields__
    if route.body is not None:
        yield from ("invalid_json", "unsupported_media_type", "unsupported_encoding")
        yield "unknown_field"
    yield "unknown_parameter"
    if route.body is not None or parameters or "{copy_id}" in route.path:
        yield "validation_error"
    if "cursor" in parameters:
        yield "invalid_cursor"
