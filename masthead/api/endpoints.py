"""Declare the endpoints of a resource of the API: a line says what their handlers do not."""

from collections.abc import Awaitable, Callable
from typing import Any, TypedDict, Unpack, get_args, get_type_hints

from masthead.api.authentication import Access
from masthead.api.context import RequestContext
from masthead.api.route import Handler, Route
from masthead.model.identity.rights import Right
from masthead.model.inputs import NoFields


class Options(TypedDict, total=False):
    """What few endpoints need; see `Route`. response: if the handler returns JSON as bytes."""

    response: Any
    status: int
    requires_body: bool
    allows_any_origin: bool
    is_long: bool
    names_host: bool
    follows_revision: bool
    is_composed: bool
    afterwards: Callable[[RequestContext[Any, Any]], Awaitable[object]]


class Endpoints:
    """Endpoints of the API whose paths begin alike.

    The annotations of a handler say which query and body it takes and what it responds. A body
    without fields can be left out.

    path: how the paths begin. rights: which the key needs for all of them, to which a method can
    add `more`; None if they need no key.
    """

    def __init__(self, path: str, rights: tuple[Right, ...] | None) -> None:
        self._path, self._rights = path, rights

    def get(self, path: str, handler: Handler, *more: Right, **options: Unpack[Options]) -> Route:
        """An endpoint that reads. path: what follows the common beginning."""
        access = Access.PUBLIC if self._rights is None else Access.READ
        return self._route("GET", path, handler, access, more, options)

    def post(self, path: str, handler: Handler, *more: Right, **options: Unpack[Options]) -> Route:
        """An endpoint that creates or changes."""
        return self._route("POST", path, handler, Access.WRITE, more, options)

    def patch(self, path: str, handler: Handler, *more: Right, **options: Unpack[Options]) -> Route:
        """An endpoint that changes the fields that are sent."""
        return self._route("PATCH", path, handler, Access.WRITE, more, options)

    def _route(
        self,
        method: str,
        path: str,
        handler: Handler,
        access: Access,
        more: tuple[Right, ...],
        options: Options,
    ) -> Route:
        hints = get_type_hints(handler)
        query, body = get_args(hints["context"])
        asked: Options = {"response": hints["return"], "requires_body": body is not NoFields}
        return Route(
            method=method,
            path=self._path + path,
            handler=handler,
            access=access,
            rights=None if self._rights is None else (*self._rights, *more),
            query=query,
            body=None if body is type(None) else body,
            **(asked | options),
        )
