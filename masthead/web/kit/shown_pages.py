"""A page of a list as people see it: its position in the list, and the pages around it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.pagination import Page, PageRequest, encode_cursor
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import read_number

T = TypeVar("T")

Link = Mapping[str, object]  # parameters of the query string


class ShownPage(Struct, Generic[T], frozen=True):
    """A page of a list, in the order of the list.

    first: the position of its first row, from 1; None if it is not known. previous, following: the
    parameters of the pages around it, without the filters; None if there is no such page, and
    empty for the first page.
    """

    items: Sequence[T]
    first: int | None
    previous: Link | None
    following: Link | None

    @property
    def last(self) -> int | None:
        """The position of its last row."""
        return None if self.first is None else self.first + len(self.items) - 1

    @property
    def has_more(self) -> bool:
        """Whether there is a next page."""
        return self.following is not None


def show_page(
    context: PageContext,
    request: PageRequest,
    page: Page[T],
    *,
    key: Callable[[T], str],
    is_reversible: bool = True,
) -> ShownPage[T]:
    """A page that was read forwards or backwards. key: of a row, as cursors have it.

    The position is in the address, because counting the rows before would take too long. It is off
    by a few if rows were added or removed meanwhile. is_reversible: as in `decode_filters`.
    """
    items = list(reversed(page.items)) if request.is_backward else page.items
    first = 1 if request.after is None else _position(context)

    def link(parameter: str, item: T, position: int | None) -> Link:
        cursor = encode_cursor(request.binding, key(item))
        return {parameter: cursor, **({"from": position} if position else {})}

    has_previous, has_next = request.after is not None, page.has_more
    if request.is_backward:
        has_previous, has_next = page.has_more, True
        if not has_previous:
            first = 1
    before = first and max(first - request.limit, 1)
    previous: Link | None = None
    if has_previous and items and is_reversible and before != 1:
        previous = link("before", items[0], before)
    elif has_previous and before == 1:
        previous = {}
    following = link("cursor", items[-1], first and first + len(items)) if items else None
    return ShownPage(items, first, previous, following if has_next else None)


def _position(context: PageContext) -> int | None:
    try:
        return read_number(context, "from") or None
    except Invalid:  # the cursor alone decides which rows are shown
        return None
