"""Lists: iterators over all records, which read page by page."""

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Generic, TypedDict, TypeVar

import httpx

from masthead_client.connection import AsyncConnection, Connection
from masthead_client.requests import Call, new_call, read

T = TypeVar("T")


class Page(TypedDict, Generic[T]):
    """A page of a list, as the API sends it."""

    items: list[T]
    has_more: bool
    cursor: str | None


class _Pages(Generic[T]):
    """What both kinds of lists share: the request for each page.

    next_updated_since: after the first page, if `updated_since` was sent: the moment to send the
    next time, when all records are read.
    """

    def __init__(
        self, kind: type[T], path: str, query: Mapping[str, Any], if_none_match: str | None
    ) -> None:
        self._path, self._query, self._tag = path, query, if_none_match
        self.next_updated_since: str | None = None

    def _first_call(self) -> Call:
        return new_call("GET", self._path, query=self._query, if_none_match=self._tag)

    def _call_after(self, page: Page[T]) -> Call | None:
        if not page["has_more"]:
            return None
        return new_call("GET", self._path, query={**self._query, "cursor": page["cursor"]})

    def _read(self, call: Call, response: httpx.Response) -> Page[T]:
        page: Page[T] = read(call, response)
        page.setdefault("has_more", False)  # a list that is always whole, such as refunds
        page.setdefault("cursor", None)
        if moment := response.headers.get("Next-Updated-Since"):
            self.next_updated_since = self.next_updated_since or moment
        return page


class Listing(_Pages[T]):
    """All records of a list. Each loop over it reads the list again, page by page."""

    def __init__(
        self,
        connection: Connection,
        kind: type[T],
        path: str,
        query: Mapping[str, Any],
        if_none_match: str | None,
    ) -> None:
        super().__init__(kind, path, query, if_none_match)
        self._connection = connection

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page["items"]

    def pages(self) -> Iterator[Page[T]]:
        """The pages of the list, each with its `cursor`."""
        self.next_updated_since = None
        call: Call | None = self._first_call()
        while call:
            page = self._read(call, self._connection.send(call))
            yield page
            call = self._call_after(page)

    def first(self) -> T | None:
        """The first record, such as the newest issue; None if there is none."""
        return next(iter(self), None)


class AsyncListing(_Pages[T]):
    """All records of a list, for `async for`. Each loop reads the list again, page by page."""

    def __init__(
        self,
        connection: AsyncConnection,
        kind: type[T],
        path: str,
        query: Mapping[str, Any],
        if_none_match: str | None,
    ) -> None:
        super().__init__(kind, path, query, if_none_match)
        self._connection = connection

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for record in page["items"]:
                yield record

    async def pages(self) -> AsyncIterator[Page[T]]:
        """The pages of the list, each with its `cursor`."""
        self.next_updated_since = None
        call: Call | None = self._first_call()
        while call:
            page = self._read(call, await self._connection.send(call))
            yield page
            call = self._call_after(page)

    async def first(self) -> T | None:
        """The first record, such as the newest issue; None if there is none."""
        async for record in self:
            return record
        return None
