"""A page is a key, a limit and one row more; its cursor is bound to account, list and filters."""

import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from masthead.model.errors import Invalid, excerpt
from masthead.model.ids import LAST_ID, LAST_NUMBER

T = TypeVar("T")

DEFAULT_LIMIT = 50
MAX_LIMIT = 200
MAX_CURSOR = 255  # characters; those that lists give out have fewer than 70
_SEAL_BYTES = 12
_encoder = msgspec.json.Encoder()


class PageRequest(Struct, frozen=True):
    """Which page is wanted.

    limit: items on the page.
    after: the last key of the page before, None for the first page.
    binding: account, list and filters, which the cursor of the next page is sealed to.
    """

    limit: int
    after: str | None
    binding: bytes

    @classmethod
    def from_cursor(cls, cursor: str | None, *, limit: int, binding: bytes) -> "PageRequest":
        """The page after a cursor, or the first page. Raises: Invalid `invalid_cursor`."""
        after = None if cursor is None else decode_cursor(binding, cursor)
        return cls(limit=limit, after=after, binding=binding)

    @property
    def after_id(self) -> str:
        """`after` for lists by id, newest first: the page has smaller ids only."""
        return self.after or LAST_ID

    @property
    def after_number(self) -> int:
        """`after` for lists by number, highest first."""
        return int(self.after) if self.after else LAST_NUMBER

    @property
    def fetch(self) -> int:
        """How many rows to ask for: one more than the page shows whether there are more."""
        return self.limit + 1


class Page(Struct, Generic[T], frozen=True):
    """One page of a list, as it is answered.

    has_more: whether there is another page.
    cursor: opens the next page; null on the last.
    """

    items: Sequence[T]
    has_more: bool
    cursor: str | None


def cut_page(
    rows: Sequence[Mapping[str, Any]],
    request: PageRequest,
    key: str,
    from_row: Callable[[Mapping[str, Any]], T],
) -> Page[T]:
    """The page made of `request.fetch` rows; key: the column the list is sorted by."""
    items = [from_row(row) for row in rows[: request.limit]]
    return page_of(items, [row[key] for row in rows], request)


def page_of(items: Sequence[T], keys: Sequence[object], request: PageRequest) -> Page[T]:
    """The page of items, where `request.fetch` rows with these keys were asked for."""
    if len(keys) <= request.limit:
        return Page(items=items, has_more=False, cursor=None)
    last = str(keys[request.limit - 1])
    return Page(items=items, has_more=True, cursor=encode_cursor(request.binding, last))


def join_page(items: bytes, keys: Sequence[object], request: PageRequest) -> bytes:
    """The JSON of such a page. items: as JSON, with commas between; it is copied once."""
    empty: Page[object] = page_of([], keys, request)
    head, _, tail = _encoder.encode(empty).partition(b"[]")
    return b"".join((head, b"[", items, b"]", tail))


def binding_of(account_id: int, path: str, filters: Mapping[str, object]) -> bytes:
    """What a cursor belongs to, as bytes: account, list and filters."""
    named = sorted((name, str(value)) for name, value in filters.items() if value is not None)
    return repr((account_id, path, named)).encode()


def encode_cursor(binding: bytes, after: str) -> str:
    """Opaque text that holds the last key of a page and a seal over it and its binding."""
    payload = after.encode()
    seal = hashlib.sha256(binding + b"\0" + payload).digest()[:_SEAL_BYTES]
    return urlsafe_b64encode(seal + payload).rstrip(b"=").decode()


def decode_cursor(binding: bytes, cursor: str) -> str:
    """The last key that a cursor holds. Raises: Invalid `invalid_cursor` if altered or foreign."""
    try:
        if len(cursor) > MAX_CURSOR:
            raise ValueError
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        after = urlsafe_b64decode(padded)[_SEAL_BYTES:].decode()
    except ValueError:
        after = ""
    if not after or encode_cursor(binding, after) != cursor:
        raise Invalid(
            "`cursor` is not one that this list gave out with these filters. Pass `cursor` "
            "unchanged from the previous answer, with the same filters, or leave it out to "
            "begin at the first page.",
            code="invalid_cursor",
            field="cursor",
            value=excerpt(cursor),
        )
    return after
