"""What lists have in common: filters and a cursor in the address, as the API has them."""

from collections.abc import Mapping
from typing import TypeVar

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.inputs import ListQuery
from masthead.model.pagination import PageRequest, binding_of
from masthead.model.types.text import is_digits
from masthead.model.validation import decode_query, fields_of
from masthead.web.kit.context import PageContext

Q = TypeVar("Q", bound=ListQuery)

PAGE = 50


class Filters(Struct, frozen=True):
    """Filters as they stand in the address. typed: their texts; is_first: without a cursor."""

    values: Mapping[str, str]
    is_first: bool

    @property
    def is_active(self) -> bool:
        """Whether not everything is listed."""
        return any(self.values.values())


def read_filters(context: PageContext, struct: type[Q]) -> Filters:
    """What the address asks for; what the list does not know is left aside."""
    known = [name for name in fields_of(struct) if name not in ("cursor", "limit")]
    typed = {name: context.query.get(name, "").strip() for name in known}
    return Filters(typed, is_first=not context.query.get("cursor"))


def decode_filters(context: PageContext, struct: type[Q]) -> tuple[Q, PageRequest]:
    """The same, checked, with the page. Raises: Invalid."""
    typed = {name: text for name, text in read_filters(context, struct).values.items() if text}
    query = decode_query(struct, typed.items())
    binding = binding_of(context.account_id, context.request.url.path, typed)
    cursor = context.query.get("cursor") or None
    return query, PageRequest.from_cursor(cursor, limit=PAGE, binding=binding)


def read_number(context: PageContext, name: str) -> int | None:
    """A whole number in the address, None if it is not there. Raises: Invalid."""
    text = context.query.get(name, "").strip()
    if not text:
        return None
    if not is_digits(text, at_most=10):
        raise Invalid(f"{name} is “{text[:80]}”; expected a number such as 11.", field=name)
    return int(text)


def real_email(email: str, placeholder_domain: str) -> str:
    """An e-mail address to show; nothing if it stands for none."""
    return "" if email.endswith(f"@{placeholder_domain}") else email
