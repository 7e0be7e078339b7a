"""The terms and filters of a search, in the form that both databases use."""

from collections.abc import Sequence

from msgspec import Struct

from masthead.model.ids import first_copy_id
from masthead.store.engine.interface import Parameters


class SearchTarget(Struct, frozen=True):
    """A table to search, and the columns of `searchable` for its rows.

    id_column: their ids. text_column: the texts of these rows alone.
    """

    table: str
    id_column: str
    text_column: str


SUBSCRIBERS = SearchTarget("subscriber", "subscriber_id", "subscriber_text")
SUBSCRIPTIONS = SearchTarget("subscription", "subscription_id", "subscription_text")


class SearchQuery(Struct, frozen=True, kw_only=True):
    """One page of search results.

    terms: in lower case; see `model.search.search_terms`. top: the highest number to read.
    conditions: filters of the table, whose alias is `s`; filters: their values.
    """

    target: SearchTarget
    terms: Sequence[str]
    top: int
    limit: int
    conditions: Sequence[str]
    filters: Parameters

    def parameters(self, account_id: int) -> dict[str, object]:
        """The parameters of every statement of the search."""
        terms = {f"term{i}": term for i, term in enumerate(self.terms)}
        numbers = {"first": first_copy_id(account_id), "top": self.top, "limit": self.limit}
        return {"account_id": account_id, **numbers, **terms, **self.filters}
