"""Keyset pagination: the requested page, the page that is returned, and its cursor."""

import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Generic, TypeVar

import msgspec
from msgspec import Struct

from masthead.model.errors import Invalid, excerpt
from masthead.model.ids import LAST_ID, LAST_NUMBER

T = TypeVar("T")

DEFAULT_LIMIT = 50
MAX_LIMIT = 200
MAX_CURSOR = 255  # characters; those of the lists have fewer than 70
_CHECKSUM_BYTES = 12
_NOT_OF_LIST = (
    "`cursor` does not belong to this list with these filters. Pass the `cursor` of the previous "
    "response unchanged and with the same filters, or omit it to get the first page."
)
_encoder = msgspec.json.Encoder()


class PageRequest(Struct, frozen=True):
    """The requested page.

    limit: items on the page.
    after: the last key of the previous page, None for the first page.
    binding: the account, list and filters that the cursor of the next page is valid for.
    is_ascending: whether the oldest, or the lowest number, comes first.
    is_backward: whether the rows lead from `after` towards the start of the list.
    """

    limit: int
    after: str | None
    binding: bytes
    is_ascending: bool = False
    is_backward: bool = False

    @classmethod
    def from_cursor(cls, cursor: str | None, *, limit: int, binding: bytes) -> "PageRequest":
        """The page after a cursor, or the first page. Raises: Invalid `invalid_cursor`."""
        after = None if cursor is None else decode_cursor(binding, cursor)
        return cls(limit=limit, after=after, binding=binding)

    @property
    def after_id(self) -> str:
        """`after` for lists by id: the page has smaller ids only or, ascending, larger ones."""
        return self.after or ("" if self.is_ascending else LAST_ID)

    @property
    def after_number(self) -> int:
        """`after` for lists by number, highest first or, ascending, lowest first."""
        return int(self.after or (0 if self.is_ascending else LAST_NUMBER))

    @property
    def fetch(self) -> int:
        """The rows to select: one more than the limit, which shows whether there is a next page."""
        return self.limit + 1


class Page(Struct, Generic[T], frozen=True):
    """One page of a list.

    has_more: whether there is a next page.
    cursor: pass it as `cursor` to get the next page; null on the last page.
    """

    items: Sequence[T]
    has_more: bool
    cursor: str | None


class JsonRows(Struct, frozen=True):
    """Records as JSON. keys: what their list is sorted by. lines: one for each record, in order.

    JSON escapes line breaks, so that they separate the records.
    """

    keys: Sequence[str]
    lines: bytes

    def page(self, request: PageRequest) -> bytes:
        """The page with `request.fetch` records as JSON. They are not decoded."""
        has_more = len(self.keys) > request.limit
        end = self.lines.rindex(b"\n") if has_more else len(self.lines)
        items = memoryview(self.lines.replace(b"\n", b","))[:end]  # a view copies nothing
        empty: Page[object] = page_of([], self.keys, request)
        head, _, tail = _encoder.encode(empty).partition(b"[]")
        return b"".join((head, b"[", items, b"]", tail))

    def by_key(self) -> dict[str, bytes]:
        """The JSON of each record."""
        lines = self.lines.split(b"\n") if self.keys else []
        return dict(zip(self.keys, lines, strict=True))


def cut_page(found: Sequence[T], request: PageRequest, *, key: str = "id") -> Page[T]:
    """The page with `request.fetch` items. key: the field that the list is sorted by."""
    return page_of(found[: request.limit], [getattr(each, key) for each in found], request)


def page_of(items: Sequence[T], keys: Sequence[object], request: PageRequest) -> Page[T]:
    """The page of items. keys: of `request.fetch` selected rows, which may be one more."""
    if len(keys) <= request.limit:
        return Page(items=items, has_more=False, cursor=None)
    last = str(keys[request.limit - 1])
    return Page(items=items, has_more=True, cursor=encode_cursor(request.binding, last))


async def all_pages(
    list_page: Callable[[PageRequest], Awaitable[Page[T]]],
    *,
    limit: int = MAX_LIMIT,
    after: str | None = None,
    is_ascending: bool = False,
) -> AsyncIterator[Sequence[T]]:
    """The items of all pages of a list, page by page; one page at least, which may be empty."""
    while True:
        page = await list_page(PageRequest(limit, after, b"", is_ascending))
        yield page.items
        if page.cursor is None:
            return
        after = decode_cursor(b"", page.cursor)


def binding_of(account_id: int, path: str, filters: Mapping[str, object]) -> bytes:
    """The account, list and filters that a cursor is valid for, as bytes."""
    named = sorted((name, str(value)) for name, value in filters.items() if value is not None)
    return repr((account_id, path, named)).encode()


def encode_cursor(binding: bytes, after: str) -> str:
    """Opaque text with the last key of a page and a checksum of that key and the binding."""
    payload = after.encode()
    checksum = hashlib.sha256(binding + b"\0" + payload).digest()[:_CHECKSUM_BYTES]
    return urlsafe_b64encode(checksum + payload).rstrip(b"=").decode()


def decode_cursor(binding: bytes, cursor: str, *, message: str = _NOT_OF_LIST) -> str:
    """The last key of the previous page.

    Raises: Invalid `invalid_cursor` if the cursor was changed or belongs to another list, with the
    message.
    """
    try:
        if len(cursor) > MAX_CURSOR:
            raise ValueError
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        after = urlsafe_b64decode(padded)[_CHECKSUM_BYTES:].decode()
    except ValueError:
        after = ""
    if not after or encode_cursor(binding, after) != cursor:
        raise Invalid(message, code="invalid_cursor", field="cursor", value=excerpt(cursor))
    return after
