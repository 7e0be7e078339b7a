"""The header `Idempotency-Key`: a string of structured fields (RFC 9651), or the bare key."""

import re

from masthead.api.http.request import HttpRequest
from masthead.model.errors import Invalid

HEADER = "Idempotency-Key"
MAX_KEY = 255  # characters
# What is accepted, for the OpenAPI document: a bare key, or one in quotation marks
KEY_PATTERN = r'^([!#-~]([ -~]{0,253}[!-~])?|"([ !#-\[\]-~]|\\["\\]){1,255}")$'

_QUOTED = re.compile(rb'"((?:[ !#-\[\]-~]|\\["\\])*)"')
_BARE = re.compile(rb"[ -~]*")
_ESCAPED = re.compile(rb'\\(["\\])')


def read_key(request: HttpRequest) -> bytes | None:
    """The key, without its quotation marks; None without the header. Raises: Invalid."""
    values = request.header_values(HEADER.lower().encode())
    if not values:
        return None
    if len(values) > 1:
        raise _invalid(f"The request has {len(values)} `{HEADER}` headers; send one.")
    key = _unquoted(values[0].strip(b" \t"))
    if not key:
        raise _invalid(f"`{HEADER}` is empty; send a key, such as a UUID, or leave the header out.")
    if len(key) > MAX_KEY:
        raise _invalid(
            f"`{HEADER}` has {len(key)} characters; at most {MAX_KEY} are allowed. A UUID is "
            "enough."
        )
    return key


def _unquoted(value: bytes) -> bytes:
    """The key in a value of the header. Raises: Invalid."""
    if not _BARE.fullmatch(value):
        raise _invalid(
            f"`{HEADER}` may only have printable ASCII characters; send a key such as a UUID."
        )
    if not value.startswith(b'"'):
        return value
    quoted = _QUOTED.fullmatch(value)
    if quoted is None:
        raise _invalid(
            f"`{HEADER}` begins with a quotation mark, but is not a string in quotation marks. "
            'Between them, write `\\"` for a quotation mark and `\\\\` for a backslash.'
        )
    return _ESCAPED.sub(rb"\1", quoted[1])


def _invalid(message: str) -> Invalid:
    return Invalid(message, code="invalid_idempotency_key", field=HEADER)
