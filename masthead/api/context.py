"""What a handler is given: a request that has passed every check before it."""

from typing import Generic, TypeVar

from msgspec import Struct

from masthead.model.actors import Principal
from masthead.model.inputs import Change, Creation, ListQuery, Query
from masthead.model.orders.order import Terms
from masthead.model.pagination import PageRequest, binding_of
from masthead.store.engine.interface import Database

Q = TypeVar("Q", bound=Query)
B = TypeVar("B", bound=Creation | Change | None)


class RequestContext(Struct, Generic[Q, B], frozen=True):
    """One request. id: the id in its path, empty if it has none."""

    db: Database
    principal: Principal
    path: str
    id: str
    query: Q
    body: B
    placeholder_domain: str

    @property
    def account_id(self) -> int:
        """The account that all of it is about."""
        return self.principal.account_id

    @property
    def terms(self) -> Terms:
        """What holds for orders of the account."""
        return Terms(self.principal.currency, self.placeholder_domain)


def page_request(context: RequestContext[Q, B]) -> PageRequest:
    """The page that a list is asked for. Raises: Invalid `invalid_cursor`."""
    query = context.query
    assert isinstance(query, ListQuery)
    filters = {
        name: getattr(query, name)
        for name in query.__struct_fields__
        if name not in ("cursor", "limit")
    }
    binding = binding_of(context.account_id, context.path, filters)
    return PageRequest.from_cursor(query.cursor, limit=query.limit, binding=binding)
