"""Errors as responses: the HTTP status and the JSON body of each exception."""

from msgspec import structs
from starlette.exceptions import HTTPException
from starlette.requests import Request

from masthead.api.http.codec import json_response
from masthead.api.http.response import Headers, JsonResponse
from masthead.model.advice import FOUND_BY, with_way_out
from masthead.model.error_resources import ApiError, FieldError
from masthead.model.errors import (
    AnswerDeleted,
    Busy,
    Erased,
    Invalid,
    KeyReused,
    MastheadError,
    MethodNotAllowed,
    MissingSlash,
    NotFound,
    PayloadTooLarge,
    PreconditionFailed,
    RateLimited,
    ReadOnlyKey,
    RequestInProgress,
    TooManyAttempts,
    Unavailable,
    UnknownPath,
    UnsupportedEncoding,
    excerpt,
)
from masthead.model.events.cursors import CursorExpired
from masthead.model.identity.rights import MissingRight
from masthead.model.sandboxes import NotSandbox

STATUS: dict[type[MastheadError], int] = {
    Invalid: 400,
    MissingRight: 403,
    NotSandbox: 403,
    ReadOnlyKey: 403,
    NotFound: 404,
    MissingSlash: 404,
    UnknownPath: 404,
    MethodNotAllowed: 405,
    RequestInProgress: 409,
    AnswerDeleted: 410,
    CursorExpired: 410,
    Erased: 410,
    PreconditionFailed: 412,
    PayloadTooLarge: 413,
    UnsupportedEncoding: 415,
    KeyReused: 422,
    RateLimited: 429,
    TooManyAttempts: 429,
    Unavailable: 503,
    Busy: 503,
}


def error_response(error: MastheadError) -> JsonResponse:
    """The response to a request that is refused for a known reason."""
    headers: Headers = ()
    if isinstance(error, MethodNotAllowed):
        headers = ((b"allow", error.allowed.encode()),)
    if isinstance(error, UnsupportedEncoding):
        headers = ((b"accept-encoding", b"identity"),)
    if isinstance(error, RateLimited | RequestInProgress | TooManyAttempts | Unavailable):
        headers = ((b"retry-after", b"%d" % error.retry_after),)
    body = ApiError(error=True, message=_utf8(_message(error)), code=error.code)
    if isinstance(error, Invalid):
        body = _with_details(body, error)
    return json_response(body, STATUS[type(error)], headers)


def _message(error: MastheadError) -> str:
    """What the error says, and the request that comes next."""
    if isinstance(error, NotFound):
        return not_found_message(error)
    return with_way_out(str(error), error.code)


def not_found_message(error: NotFound) -> str:
    """What the error says, and the filter that finds such a record."""
    return f"{error} {FOUND_BY.get(error.noun, '')}".rstrip()


def _with_details(body: ApiError, error: Invalid) -> ApiError:
    """The body with the record that the message names, and all fields that are wrong."""
    if error.id:
        body = structs.replace(body, id=error.id)
    if not error.field:
        return body
    errors = [
        FieldError(field=_utf8(excerpt(each.field)), message=_utf8(_message(each)), code=each.code)
        for each in error.all
    ]
    return structs.replace(body, field=errors[0].field, errors=errors)


def _utf8(text: str) -> str:
    """The text with surrogates, which are not UTF-8, in `\\u` notation."""
    return text.encode(errors="backslashreplace").decode()


def path_not_found_response() -> JsonResponse:
    """The response for a path that has no route."""
    body = ApiError(
        error=True,
        message="There is nothing at this path. Paths of the API begin with `/v1/` and end with "
        "a slash; `/docs` lists them.",
        code=NotFound.code,
    )
    return json_response(body, 404)


async def method_not_allowed_response(request: Request, error: Exception) -> JsonResponse:
    """The response for a path outside the API that does not support the method."""
    assert isinstance(error, HTTPException)
    allowed = (error.headers or {})["Allow"]
    return error_response(MethodNotAllowed(request.method, ", ".join(sorted(allowed.split(", ")))))


def internal_error_response(request_id: str) -> JsonResponse:
    """The response to an unexpected exception, which is logged with the same request id."""
    body = ApiError(
        error=True,
        message="An internal error occurred. The operator of the service can find it in the log as "
        f"request `{request_id}`.",
        code=MastheadError.code,
    )
    return json_response(body, 500)
