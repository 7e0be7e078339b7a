"""Between bytes and structs: query strings and bodies in, replies and errors out."""

import json
import re
from collections.abc import Iterator
from typing import Any, TypeVar
from urllib.parse import unquote_to_bytes

import msgspec
from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request

from masthead.api.http.asgi import Headers, Reply
from masthead.model.errors import (
    Busy,
    Invalid,
    MastheadError,
    MethodNotAllowed,
    NotFound,
    PayloadTooLarge,
    RateLimited,
    ReadOnlyKey,
    TooManyAttempts,
    Unavailable,
    excerpt,
)
from masthead.model.inputs import Change, Creation, Query
from masthead.model.resources import ApiError
from masthead.model.validation import decode_input, decode_query

MAX_NESTING = 32
MAX_OBJECTS = 1_000
MAX_LISTS = 10_000
MAX_VALUES = 50_000
MAX_PARAMETERS = 100

STATUS: dict[type[MastheadError], int] = {
    Invalid: 400,
    ReadOnlyKey: 403,
    NotFound: 404,
    MethodNotAllowed: 405,
    PayloadTooLarge: 413,
    RateLimited: 429,
    TooManyAttempts: 429,
    Unavailable: 503,
    Busy: 503,
}

B = TypeVar("B", bound=Creation | Change)
Q = TypeVar("Q", bound=Query)

_encoder = msgspec.json.Encoder()


def reply(answer: Struct | bytes, status: int = 200, headers: Headers = ()) -> Reply:
    """A struct, or JSON that is ready, as a reply."""
    body = answer if isinstance(answer, bytes) else _encoder.encode(answer)
    return Reply(body, status, headers)


def error_reply(error: MastheadError) -> Reply:
    """The ApiError body for an expected refusal."""
    headers: Headers = ()
    if isinstance(error, MethodNotAllowed):
        headers = ((b"allow", error.allowed.encode()),)
    if isinstance(error, RateLimited):
        headers = ((b"retry-after", b"%d" % error.retry_after),)
    if isinstance(error, Unavailable):
        headers = ((b"retry-after", b"2"),)
    body = ApiError(error=True, message=_storable(str(error)), code=error.code)
    return reply(body, STATUS[type(error)], headers)


def unknown_path() -> Reply:
    """The reply for a path that no route has."""
    body = ApiError(
        error=True,
        message="There is nothing at this path. Paths begin with `/v1/` and end with a slash; "
        "`/docs` shows them all.",
        code=NotFound.code,
    )
    return reply(body, 404)


async def wrong_method(request: Request, reason: Exception) -> Reply:
    """The reply of a path outside the API to a method that it has not."""
    assert isinstance(reason, HTTPException)
    allowed = (reason.headers or {})["Allow"]
    return error_reply(MethodNotAllowed(request.method, ", ".join(sorted(allowed.split(", ")))))


def failure_reply(request_id: str) -> Reply:
    """The reply for what should not happen; the log has the rest under the same id."""
    body = ApiError(
        error=True,
        message=f"Something went wrong inside masthead. The operator finds it in the log as "
        f"request `{request_id}`.",
        code=MastheadError.code,
    )
    return reply(body, 500)


def _storable(text: str) -> str:
    """The text with what UTF-8 cannot carry spelled out."""
    return text.encode(errors="backslashreplace").decode()


def read_query(query_string: bytes, struct: type[Q]) -> Q:
    """The parameters of a query string. Raises: Invalid."""
    if not query_string:
        return struct()
    if query_string.count(b"&") >= MAX_PARAMETERS:
        raise Invalid(f"The query string has more than {MAX_PARAMETERS} parameters.")
    pairs = []
    for part in query_string.split(b"&"):
        if part:
            name, _, text = part.replace(b"+", b" ").partition(b"=")
            pairs.append((_unquoted(name), _unquoted(text)))
    return decode_query(struct, pairs)


def _unquoted(text: bytes) -> str:
    try:
        return unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        raise Invalid(
            "The query string is not UTF-8; percent-encode the bytes of UTF-8 text."
        ) from None


def read_body(raw: bytes, content_type: bytes | None, struct: type[B]) -> B:
    """The struct that a JSON body is. Raises: Invalid."""
    stated = (content_type or b"application/json").decode("latin-1")
    media_type = stated.partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise Invalid(
            f"The body's media type is `{excerpt(media_type)}`; send JSON as `application/json`.",
            code="unsupported_media_type",
        )
    if not raw:
        raise Invalid("The body is empty; send a JSON object in it.", code="invalid_json")
    return decode_input(struct, _read_object(raw))


def _read_object(raw: bytes) -> dict[str, Any]:
    """The JSON object in a body. Raises: Invalid `invalid_json`.

    10,000 numbers take about a millisecond: what only unusual bodies need is done for those alone.
    """
    lists = raw.count(b"[")
    if lists > MAX_LISTS and _TEXTS.sub(b"", raw).count(b"[") > MAX_LISTS:
        raise _invalid_json(f"it has more than {MAX_LISTS} lists")
    value = _parsed(raw)
    if not isinstance(value, _Pairs):
        raise _invalid_json("expected an object in braces")
    objects = raw.count(b"{")
    if objects + lists > MAX_NESTING or b"\\u" in raw:  # else there is nothing to find
        for inner in _walk(value):
            if isinstance(inner, str) and UNSTORABLE.search(inner):
                raise Invalid(
                    "A text in the body contains the character NUL or half of a surrogate pair; "
                    "neither is allowed."
                )
    fields: dict[str, Any] = {}
    for name, inner in value.items:
        if name in fields:
            raise _invalid_json(f"`{excerpt(_storable(name))}` appears more than once")
        fields[name] = inner if objects == 1 else _plain(inner)
    return fields


def _parsed(raw: bytes, **hooks: Any) -> Any:
    """The JSON value in a body. Raises: Invalid `invalid_json`."""
    count = _Count()
    try:
        return json.loads(
            raw.decode(),
            object_pairs_hook=count.object,
            parse_float=count.number,
            parse_constant=_no_number,
            **hooks,
        )
    except UnicodeDecodeError:
        raise _invalid_json("it is not UTF-8") from None
    except RecursionError:
        raise _invalid_json(f"it is nested over {MAX_NESTING} levels deep") from None
    except json.JSONDecodeError as reason:
        where = f"{reason.msg[0].lower()}{reason.msg[1:]} at line {reason.lineno}"
        raise _invalid_json(f"{where}, column {reason.colno}") from None
    except ValueError:  # a whole number with thousands of digits
        return _parsed(raw, parse_int=_whole_number)


UNSTORABLE = re.compile("[\0\ud800-\udfff]")


class _Pairs(Struct):
    """A JSON object as it came, with any name that stands there twice."""

    items: list[tuple[str, Any]]


class _Count:
    """How many objects and decimal numbers a body has: each of them costs more than its bytes."""

    def __init__(self) -> None:
        self._objects = self._numbers = 0

    def object(self, items: list[tuple[str, Any]]) -> _Pairs:
        """One more object. Raises: Invalid."""
        self._objects += 1
        if self._objects > MAX_OBJECTS:
            raise _invalid_json(f"it has more than {MAX_OBJECTS} objects")
        return _Pairs(items)

    def number(self, text: str) -> int | float:
        """One more number: 12.0 is 12; 12.5 stays what it is, for its field to refuse."""
        self._numbers += 1
        if self._numbers > MAX_VALUES:
            raise _too_many_values()
        number = float(text)
        return int(number) if number.is_integer() and abs(number) < 2**63 else number


def _plain(value: Any) -> Any:
    """A value with its objects as dicts. Raises: Invalid if there are too many values."""
    if isinstance(value, _Pairs):
        return {name: _plain(inner) for name, inner in value.items}
    if not isinstance(value, list):
        return value
    if len(value) > MAX_VALUES:
        raise _too_many_values()
    return [_plain(inner) for inner in value]


def _walk(value: Any) -> Iterator[Any]:
    """Every name and value at any depth. Raises: Invalid if too deep or too many."""
    level, count = [value], 0
    for depth in range(MAX_NESTING + 1):
        deeper: list[Any] = []
        count += len(level)
        if count > MAX_VALUES:
            raise _too_many_values()
        for each in level:
            yield each
            if depth == MAX_NESTING and isinstance(each, _Pairs | list):
                raise _invalid_json(f"it is nested over {MAX_NESTING} levels deep")
            if isinstance(each, _Pairs):
                deeper += [part for pair in each.items for part in pair]
            elif isinstance(each, list):
                deeper += each
        level = deeper


_TEXTS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)  # linear: a match never restarts


def _too_many_values() -> Invalid:
    return _invalid_json(f"it has more than {MAX_VALUES} values")


def _invalid_json(why: str) -> Invalid:
    return Invalid(f"The body cannot be read as JSON: {why}.", code="invalid_json")


def _whole_number(text: str) -> int:
    """A whole number of any size; one that no field can hold keeps only its sign and greatness."""
    return int(text) if len(text) < 100 else int(text[:100])


def _no_number(text: str) -> float:
    raise _invalid_json(f"{text} is no JSON number")
