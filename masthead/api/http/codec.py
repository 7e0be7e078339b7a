"""Encodes structs as JSON responses; decodes query strings and JSON bodies into structs."""

from functools import cache
from typing import TypeVar, cast
from urllib.parse import unquote_to_bytes

import msgspec
from msgspec import Struct

from masthead.api.http.json_body import parse_object
from masthead.api.http.response import Headers, JsonResponse
from masthead.model.body_advice import empty_body
from masthead.model.errors import Invalid, UnsupportedEncoding, all_of, excerpt
from masthead.model.inputs import Change, Creation, Query
from masthead.model.validation import decode_input, decode_query

MAX_PARAMETERS = 100
GZIP = b"\x1f\x8b"  # how such a body begins

B = TypeVar("B", bound=Creation | Change)
Q = TypeVar("Q", bound=Query)

_encoder = msgspec.json.Encoder()


def json_response(
    content: Struct | bytes, status: int = 200, headers: Headers = ()
) -> JsonResponse:
    """The response with a struct as JSON. content: the struct, or its JSON."""
    body = content if isinstance(content, bytes) else _encoder.encode(content)
    return JsonResponse(body, status, headers)


def decode_query_string(query_string: bytes, struct: type[Q]) -> Q:
    """The parameters of a query string as a struct. Raises: Invalid."""
    if not query_string:
        return cast(Q, _without_parameters(struct))
    if query_string.count(b"&") >= MAX_PARAMETERS:
        raise Invalid(f"The query string has more than {MAX_PARAMETERS} parameters.")
    pairs = []
    for part in query_string.split(b"&"):
        if part:
            name, _, text = part.replace(b"+", b" ").partition(b"=")
            pairs.append((_percent_decoded(name), _percent_decoded(text)))
    return decode_query(struct, pairs)


@cache
def _without_parameters(struct: type[Query]) -> Query:
    """The defaults of all parameters. Raises: Invalid if one of them is required."""
    return decode_query(struct, ())


def _percent_decoded(text: bytes) -> str:
    try:
        return unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        raise Invalid(
            "The query string is not UTF-8; encode it as UTF-8, then percent-encode the bytes."
        ) from None


def require_plain(raw: bytes, content_encoding: bytes) -> None:
    """Raises: UnsupportedEncoding if the body is compressed, with or without the header."""
    encoding = content_encoding.decode("latin-1").strip().lower()
    if raw and encoding not in ("", "identity"):
        raise UnsupportedEncoding(encoding)
    if raw.startswith(GZIP):
        raise UnsupportedEncoding("gzip")


def decode_json_body(
    raw: bytes, content_type: bytes | None, struct: type[B], *, currency: str = "EUR"
) -> B:
    """The JSON body as a struct. currency: of amounts whose body has none. Raises: Invalid."""
    header = (content_type or b"application/json").decode("latin-1")
    media_type = header.partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise Invalid(
            f"The media type of the body is `{excerpt(media_type)}`; send JSON as "
            "`application/json`.",
            code="unsupported_media_type",
        )
    if not raw:
        raise empty_body(struct)
    body = decode_input(struct, parse_object(raw, struct))
    if conflicts := body.list_conflicts({"currency": currency} | body.given, ()):
        raise all_of(conflicts)
    return body
