"""What is searched for, and how it is asked of both databases."""

from collections.abc import Sequence

from msgspec import Struct

from masthead.model.ids import first_copy_id
from masthead.store.engine.interface import Parameters


class Sought(Struct, frozen=True):
    """A table, and which columns of `searchable` speak of its rows.

    column: their id. text: what they alone are found by.
    """

    table: str
    column: str
    text: str


SUBSCRIBERS = Sought("subscriber", "subscriber_id", "subscriber_text")
SUBSCRIPTIONS = Sought("subscription", "subscription_id", "subscription_text")


class Search(Struct, frozen=True, kw_only=True):
    """A page of what is found.

    top: the highest number to look at. narrowed: conditions on the table, called `s`, besides.
    asked: their parameters. The rest as in `searching.find`.
    """

    sought: Sought
    terms: Sequence[str]
    top: int
    limit: int
    narrowed: Sequence[str]
    asked: Parameters

    def parameters(self, account_id: int) -> dict[str, object]:
        """What every statement of a search is given."""
        terms = {f"term{i}": term for i, term in enumerate(self.terms)}
        numbers = {"first": first_copy_id(account_id), "top": self.top, "limit": self.limit}
        return {"account_id": account_id, **numbers, **terms, **self.asked}
