"""Download a list of the desk with its filters, all pages of it, as CSV or XLSX."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from msgspec import Struct

from masthead.model.inputs import ListQuery
from masthead.model.pagination import Page, PageRequest, all_pages
from masthead.store.engine.interface import Connection
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters

ROWS = 200  # to read at a time

T = TypeVar("T")
Q = TypeVar("Q", bound=ListQuery)
Rows = list[dict[str, Any]]
Parts = AsyncIterator[Rows]
List = Callable[[Connection, PageRequest], Awaitable[Page[T]]]


class ListFile(Struct, frozen=True):
    """A list that can be downloaded.

    title: of the file, in words that are translated. name: as `file_name` expects it, with a day
    and an ending. columns: names in `column_names`.
    read: all rows of the list with the filters in the query string, in parts.
    """

    title: str
    name: str
    columns: Sequence[str]
    read: Callable[[PageContext], Parts]


async def read_pages(
    context: PageContext,
    list_page: List[T],
    row: Callable[[T], Mapping[str, Any]],
    *,
    is_ascending: bool = False,
    limit: int | None = None,
) -> Parts:
    """The rows of all pages of a list. Each page is read by itself, so no snapshot stays open.

    limit: rows of a page; `ROWS` by default.
    """

    async def read_page(request: PageRequest) -> Page[T]:
        async with context.db.replica.read(aside=True) as db:
            return await list_page(db, request)

    async for page in all_pages(read_page, limit=limit or ROWS, is_ascending=is_ascending):
        yield [dict(row(item)) for item in page]


def read_query(
    context: PageContext, struct: type[Q], *, is_sortable: bool = False, has_names: bool = False
) -> tuple[Q, bool]:
    """The filters, and whether the oldest, or names with A, come first. Raises: Invalid."""
    query, request = decode_filters(context, struct, is_sortable=is_sortable, has_names=has_names)
    return query, request.is_ascending
