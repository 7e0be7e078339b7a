"""JSON texts from outside, such as hidden fields of forms and manifests."""

from typing import TypeVar

import msgspec

T = TypeVar("T")


def decode_json(content: bytes | str, kind: type[T]) -> T:
    """The value in a JSON text. Raises: msgspec.DecodeError, even if it is nested too deep."""
    try:
        return msgspec.json.decode(content, type=kind)
    except RecursionError:
        raise msgspec.DecodeError("JSON is nested too deep") from None
