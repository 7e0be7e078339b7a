"""Read filters, cursor and numbers from the query string of a page."""

from collections.abc import Mapping
from datetime import date
from typing import TypeVar

from msgspec import Struct, structs

from masthead.model.errors import Invalid
from masthead.model.input_fields import fields_of
from masthead.model.inputs import ListQuery
from masthead.model.pagination import PageRequest, binding_of
from masthead.model.translations import gettext as _
from masthead.model.types.text import is_digits
from masthead.model.validation import decode_query
from masthead.web.kit.context import PageContext

Q = TypeVar("Q", bound=ListQuery)

PAGE = 50


OLDEST = "oldest"  # the value of `order` for the oldest, or the lowest number, first
BY_NAME, BY_NAME_BACKWARDS = "name", "-name"  # its values for the order of names
ORDERS = (OLDEST, BY_NAME, BY_NAME_BACKWARDS)


class Filters(Struct, frozen=True):
    """The filters in the query string.

    values: their texts. is_first: whether it has no cursor. order: `oldest`, `name`, `-name`, or
    empty for the newest first.
    """

    values: Mapping[str, str]
    is_first: bool
    order: str

    @property
    def is_by_name(self) -> bool:
        """Whether the list is sorted by name."""
        return self.order in (BY_NAME, BY_NAME_BACKWARDS)

    @property
    def is_active(self) -> bool:
        """Whether any filter is set."""
        return any(self.values.values())


def read_filters(context: PageContext, struct: type[Q], *, has_names: bool = False) -> Filters:
    """The filters in the query string; parameters that the list does not have are ignored.

    has_names: whether the list can be sorted by name.
    """
    known = [name for name in fields_of(struct) if name not in ("cursor", "limit")]
    values = {name: context.query.get(name, "").strip() for name in known}
    orders = ORDERS if has_names else (OLDEST,)
    order = context.query.get("order", "")
    is_first = not (context.query.get("cursor") or context.query.get("before"))
    return Filters(values, is_first=is_first, order=order if order in orders else "")


def decode_filters(
    context: PageContext,
    struct: type[Q],
    *,
    is_sortable: bool = False,
    is_reversible: bool = False,
    has_names: bool = False,
) -> tuple[Q, PageRequest]:
    """The validated filters, and the page of the list. Raises: Invalid.

    is_sortable: whether the list can also be read with the oldest first. has_names: whether it can
    also be sorted by name, and then is ascending from A to Z. is_reversible: whether it
    can be read backwards, before the cursor in `before`; `show_page` turns such a page around.
    """
    filters = read_filters(context, struct, has_names=has_names)
    values = {name: text for name, text in filters.values.items() if text}
    query = decode_query(struct, values.items())
    order = filters.order if is_sortable else ""
    is_ascending = order in (OLDEST, BY_NAME)
    bound = {**values, "order": order} if order else values
    binding = binding_of(context.account_id, context.request.url.path, bound)
    before = (context.query.get("before") or None) if is_reversible else None
    cursor = before or context.query.get("cursor") or None
    page = PageRequest.from_cursor(cursor, limit=PAGE, binding=binding)
    is_backward = before is not None
    return query, structs.replace(
        page, is_ascending=is_ascending != is_backward, is_backward=is_backward
    )


def read_number(context: PageContext, name: str) -> int | None:
    """A whole number in the query string; None if it is missing. Raises: Invalid."""
    text = context.query.get(name, "").strip()
    if not text:
        return None
    if not is_digits(text, at_most=10):
        message = _("{name} is “{text}”; expected a number such as 11.")
        raise Invalid(message.format(name=name, text=text[:80]), field=name)
    return int(text)


def read_day(text: str | None) -> date:
    """A typed day. Raises: Invalid."""
    try:
        return date.fromisoformat(text or "")
    except ValueError:
        raise Invalid(
            _("“{text}” is not a day. Type it like 2026-12-31.").format(text=(text or "")[:80]),
            field="day",
        ) from None
