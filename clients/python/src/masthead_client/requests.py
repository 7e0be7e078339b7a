"""A request as bytes, and what to do with its response; without input or output."""

import datetime
import email.utils
import json
import random
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import httpx

from masthead_client.errors import NotModified, Unreachable, error_of
from masthead_client.version import __version__

AGENT = f"masthead-client/{__version__} (Python)"
# After these, a request may have been done or not: it is safe to repeat, because those that write
# have a key
REPEATED = {429, 500, 502, 503, 504}
# Failures after which nobody knows whether the request arrived
LOST = (httpx.NetworkError, httpx.TimeoutException, httpx.RemoteProtocolError)


@dataclass(frozen=True)
class Call:
    """A request. Each attempt sends the same bytes with the same key."""

    method: str
    path: str
    query: Mapping[str, str]
    body: bytes | None
    headers: Mapping[str, str]
    idempotency_key: str | None


@dataclass(frozen=True)
class Patience:
    """How often a request is repeated, and how long to wait before it.

    retries: attempts after the first one. longest_wait: seconds; if the server wants a longer
    pause, the error is raised at once, with `retry_after`.
    """

    retries: int = 4
    longest_wait: float = 60

    def after_response(self, response: httpx.Response, attempt: int) -> float | None:
        """Seconds to wait before the next attempt; None if there is none."""
        if attempt >= self.retries or not _is_temporary(response):
            return None
        wanted = read_retry_after(response)
        if wanted is None:
            return backoff(attempt)
        return wanted if wanted <= self.longest_wait else None

    def after_loss(self, call: Call, problem: Exception, attempt: int) -> float:
        """Seconds to wait before the next attempt. Raises: Unreachable, after the last one."""
        if attempt < self.retries:
            return backoff(attempt)
        reason = str(problem) or type(problem).__name__
        raise Unreachable(
            f"No answer to {call.method} {call.path} after {attempt + 1} attempts: {reason}",
            call.idempotency_key,
        ) from problem


def new_call(
    method: str,
    path: str,
    *,
    query: Mapping[str, object] | None = None,
    body: Mapping[str, object] | None = None,
    idempotency_key: str | None = None,
    if_match: str | None = None,
    if_none_match: str | None = None,
) -> Call:
    """A request; one that writes gets a random key, unless it has one."""
    if method != "GET":
        idempotency_key = idempotency_key or str(uuid.uuid4())
    headers = {
        "Idempotency-Key": idempotency_key,
        "If-Match": if_match,
        "If-None-Match": if_none_match,
        "Content-Type": None if body is None else "application/json",
    }
    return Call(
        method,
        path,
        {name: _query_text(value) for name, value in (query or {}).items() if value is not None},
        None if body is None else json.dumps(body, default=_json_text).encode(),
        {name: value for name, value in headers.items() if value is not None},
        idempotency_key,
    )


def read(call: Call, response: httpx.Response) -> Any:
    """The JSON of a response. Raises: NotModified and ApiError."""
    if response.status_code == 304:
        raise NotModified(f"{call.path} has not changed.")
    if not response.is_success:
        raise error_of(
            response, idempotency_key=call.idempotency_key, retry_after=read_retry_after(response)
        )
    answer = response.json()
    return Record(answer, response) if isinstance(answer, dict) else answer


class Record(dict[str, Any]):
    """A dictionary that keeps the headers of its response."""

    def __init__(self, fields: Mapping[str, Any], response: httpx.Response) -> None:
        super().__init__(fields)
        self.headers = response.headers


def etag(record: Mapping[str, Any]) -> str | None:
    """The tag of a record, for `if_match` and `if_none_match`.

    None if the record was not the whole response, such as one of a list.
    """
    return record.headers.get("ETag") if isinstance(record, Record) else None


def backoff(attempt: int) -> float:
    """Half a second, doubled each time, with up to a quarter more or less."""
    return float(0.5 * 2**attempt * random.uniform(0.75, 1.25))  # noqa: S311 - no secret


def read_retry_after(response: httpx.Response) -> float | None:
    """The seconds of the header `Retry-After`, which can also be a date."""
    text = response.headers.get("Retry-After", "")
    if text.isdecimal():
        return float(text)
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    return max(0.0, (moment - datetime.datetime.now(datetime.UTC)).total_seconds())


def _is_temporary(response: httpx.Response) -> bool:
    # The only 409 of the API: the first request with this key is still running
    return response.status_code in REPEATED or response.status_code == 409


def _query_text(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case Sequence():
            return ",".join(map(_query_text, value))
        case _:
            return _plain(value)


def _json_text(value: object) -> str:
    """What JSON does not know: dates, and amounts as decimals."""
    if isinstance(value, datetime.date | Decimal):
        return _plain(value)
    raise TypeError(f"{value!r} cannot be sent: it is {type(value).__name__}, not text or a number")


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime.date) else str(value)
