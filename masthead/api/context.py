"""The argument of every handler: an authenticated request with its query and body decoded."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from msgspec import Struct, structs

from masthead.model.emails import Site
from masthead.model.identity.api_keys import Principal
from masthead.model.inputs import Change, Creation, ListQuery, Query
from masthead.model.orders.order import OrderDefaults
from masthead.model.pagination import PageRequest, binding_of
from masthead.store.engine.interface import Database

Q = TypeVar("Q", bound=Query)
B = TypeVar("B", bound=Creation | Change | None)


class RequestContext(Struct, Generic[Q, B], frozen=True):
    """A request to the API. id: the id in its path, empty if there is none.

    site: what emails link to, with the domain of placeholder addresses.
    resolved: the IP addresses of the host in the body, if the route has `names_host`.
    allow_private_webhooks: whether webhooks may have addresses in private networks.
    """

    db: Database
    principal: Principal
    path: str
    id: str
    query: Q
    body: B
    site: Site
    resolved: Sequence[str] = ()
    allow_private_webhooks: bool = False

    @property
    def placeholder_domain(self) -> str:
        """The domain of placeholder addresses."""
        return self.site.domain

    @property
    def account_id(self) -> int:
        """The account of the API key."""
        return self.principal.account_id

    @property
    def defaults(self) -> OrderDefaults:
        """The defaults of all orders of the account."""
        return OrderDefaults(self.principal.currency, self.placeholder_domain)


def page_request(context: RequestContext[Q, B]) -> PageRequest:
    """The requested page of a list. Raises: Invalid `invalid_cursor`.

    `limit` is valid already: `model.validation` has checked it against `ListQuery`.
    """
    query = context.query
    assert isinstance(query, ListQuery)
    filters = structs.asdict(query)
    del filters["cursor"], filters["limit"]
    binding = binding_of(context.account_id, context.path, filters)
    return PageRequest.from_cursor(query.cursor, limit=query.limit, binding=binding)
