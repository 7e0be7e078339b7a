"""What goes wrong, as exceptions. All are a `MastheadError`."""

from collections.abc import Mapping
from typing import Any

import httpx

from masthead_client.types import FieldError


class MastheadError(Exception):
    """Something went wrong; its text is a sentence for people."""


class Unreachable(MastheadError):
    """No answer arrived, so nobody knows whether the request was done.

    idempotency_key: of the request, if it writes. Send the same request again with this key: it is
    done once, however often it is sent.
    """

    def __init__(self, message: str, idempotency_key: str | None) -> None:
        super().__init__(message)
        self.idempotency_key = idempotency_key


class NotModified(MastheadError):
    """The response is the one whose tag was sent as `if_none_match`."""


class ApiError(MastheadError):
    """The server refused a request.

    status: of HTTP. code: the kind of error, such as `duplicate_order_id`; None if the response has
    none. field: what is wrong, such as `start_issue`, if it is a field or parameter. errors: all
    that is wrong, each with `field`, `message` and `code`. record_id: of the record that the
    message names. request_id: for the operator of the server. retry_after: seconds after which the
    server wants to be asked again. idempotency_key: of the request, if it writes.
    """

    def __init__(
        self,
        response: httpx.Response,
        *,
        idempotency_key: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        body = _read_body(response)
        self.status = response.status_code
        self.message: str = body.get("message") or _describe(response)
        self.code: str | None = body.get("code")
        self.field: str | None = body.get("field")
        self.errors: list[FieldError] = body.get("errors", [])
        self.record_id: str | None = body.get("id")
        self.request_id: str | None = response.headers.get("X-Request-Id")
        self.retry_after = retry_after
        self.idempotency_key = idempotency_key
        super().__init__(self.message)

    @property
    def fields(self) -> list[str]:
        """All fields and parameters that are wrong."""
        return [each["field"] for each in self.errors]

    def __str__(self) -> str:
        known = {"status": self.status, "code": self.code, "request": self.request_id}
        details = ", ".join(f"{name} {value}" for name, value in known.items() if value)
        return f"{self.message} ({details})"


class BadRequest(ApiError):
    """400, 413, 415 or 422: correct the request."""


class Unauthorized(ApiError):
    """401: the API key is missing, unknown, revoked or expired."""


class Forbidden(ApiError):
    """403: the key is read-only or lacks a right, or the account is inactive."""


class NotFound(ApiError):
    """404: there is no such record in this account."""


class Conflict(ApiError):
    """409: the first request with this idempotency key is still running."""


class Gone(ApiError):
    """410: what was asked for was deleted. `CursorExpired` is about events."""


class CursorExpired(Gone):
    """410: events after the cursor were deleted. Read the lists, and begin without a cursor."""


class PreconditionFailed(ApiError):
    """412: the record is no longer the one whose tag was sent as `if_match`."""


class RateLimited(ApiError):
    """429: too many requests. Wait for `retry_after` seconds."""


class ServerError(ApiError):
    """500 and above: the server, or a proxy before it, failed."""


class InvalidSignature(MastheadError):
    """A message to a webhook is not from the server, or it is too old."""


KINDS: Mapping[int, type[ApiError]] = {
    400: BadRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: Gone,
    412: PreconditionFailed,
    413: BadRequest,
    415: BadRequest,
    422: BadRequest,
    429: RateLimited,
}


def error_of(
    response: httpx.Response, *, idempotency_key: str | None, retry_after: float | None
) -> ApiError:
    """The exception for a response that is no success."""
    kind = ServerError if response.status_code >= 500 else KINDS.get(response.status_code, ApiError)
    if kind is Gone and _read_body(response).get("code") == "cursor_expired":
        kind = CursorExpired
    return kind(response, idempotency_key=idempotency_key, retry_after=retry_after)


def _read_body(response: httpx.Response) -> dict[str, Any]:
    """The fields of the body; none if it is no JSON object, as from a proxy."""
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _describe(response: httpx.Response) -> str:
    """A sentence for a response without a message."""
    match response.status_code:
        case 401:
            return "The API key is missing, unknown, revoked or expired."
        case 403:
            return "The account is inactive."
        case status if 300 <= status < 400:
            place = response.headers.get("Location", "another address")
            return f"The server redirects to {place}; use the address of masthead itself."
        case status:
            return f"The server answered with status {status}, and without a message."
