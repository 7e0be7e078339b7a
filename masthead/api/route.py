"""A route of the API: one operation, and what its requests have in common."""

from collections.abc import Awaitable, Callable, Iterable
from functools import cached_property
from typing import Any

from msgspec import Struct

from masthead.api.authentication import Access
from masthead.api.context import RequestContext
from masthead.api.filters import has_moments, names_records
from masthead.api.http.paths import plain_path
from masthead.model.identity.rights import ALL_RIGHTS, Right, Rights
from masthead.model.inputs import Change, Creation, Query

Handler = Callable[[RequestContext[Any, Any]], Awaitable[Struct | bytes]]


class Route(Struct, frozen=True, kw_only=True, dict=True):
    """One operation of the API. What follows from its fields is found once, by its first request.

    response, query, body: the structs that it returns and accepts; body is None if it takes none.
    requires_body: whether the body may not be empty.
    rights: which the key needs, beside its scope. None, for all, is only for routes without a key.
    allows_any_origin: whether scripts on the pages of any site can call it from a browser.
    is_long: whether its statements may take minutes, as in `Database.write`.
    follows_revision: whether each change of its response is a write of the account.
    is_composed: whether the response takes several queries. Lists count as such anyway.
    names_host: whether the handler needs the IP addresses of the host in `url` of the body. They
    are looked up before its transaction, which would wait for them.
    afterwards: done before each response, also a repeated one, in transactions of its own.
    """

    method: str
    path: str
    handler: Handler
    response: Any
    access: Access = Access.READ
    rights: tuple[Right, ...] | None = None
    status: int = 200
    query: type[Query] = Query
    body: type[Creation | Change] | None = None
    requires_body: bool = True
    allows_any_origin: bool = False
    is_long: bool = False
    names_host: bool = False
    follows_revision: bool = True
    is_composed: bool = False
    afterwards: Callable[[RequestContext[Any, Any]], Awaitable[object]] | None = None

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @cached_property
    def name(self) -> str:
        """The name of the operation: the name of its handler."""
        return self.handler.__name__

    @cached_property
    def is_read(self) -> bool:
        """Whether it changes nothing."""
        return self.method == "GET"

    @cached_property
    def is_public(self) -> bool:
        """Whether it needs no key."""
        return self.access is Access.PUBLIC

    @cached_property
    def is_write(self) -> bool:
        """Whether it needs a read-write key."""
        return self.access is Access.WRITE

    @cached_property
    def needed_rights(self) -> Rights:
        """The rights that the key needs."""
        return ALL_RIGHTS if self.rights is None else frozenset(self.rights)

    @cached_property
    def has_moments(self) -> bool:
        """Whether its list has the filter `updated_since`."""
        return has_moments(self.query)

    @cached_property
    def names_records(self) -> bool:
        """Whether a filter of its list has the id of a record."""
        return names_records(self.query)


def find_record(route: Route, routes: Iterable[Route]) -> Route | None:
    """GET of the record that a route creates, reads or changes; None if there is none."""
    path = f"/v1/{route.path.split('/')[2]}/{{id}}/"
    return next((each for each in routes if each.is_read and plain_path(each.path) == path), None)


def has_tag(route: Route, record: Route | None) -> bool:
    """Whether a route returns an entity tag: its response is also what GET returns afterwards."""
    return route.is_read or (record is not None and record.response is route.response)
