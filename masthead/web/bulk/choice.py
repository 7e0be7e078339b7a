"""Read which rows of a list the user chose, and show some of them on the page to confirm."""

from collections.abc import Sequence
from urllib.parse import urlencode

from msgspec import Struct

from masthead.model.bulk import ChosenList, RowChoice
from masthead.model.errors import NotFound
from masthead.model.input_fields import fields_of
from masthead.model.queries import SubscriberQuery, SubscriptionQuery
from masthead.model.resources import Subscription
from masthead.model.validation import decode_query
from masthead.services.subscribers.find import list_in_order
from masthead.store.engine.interface import Connection
from masthead.store.read_model import subscription_query
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import ORDERS

SHOWN = 10  # names on a page to confirm
_QUERIES: dict[ChosenList, type[SubscriberQuery | SubscriptionQuery]] = {
    ChosenList.SUBSCRIBERS: SubscriberQuery,
    ChosenList.SUBSCRIPTIONS: SubscriptionQuery,
}


class NamedRow(Struct, frozen=True):
    """A chosen row. detail: what tells it from others with the same name."""

    name: str
    address: str
    detail: str


class ReadChoice(Struct, frozen=True):
    """A choice. fields: its parameters, for the next request. back: the address of the list."""

    choice: RowChoice
    fields: Sequence[tuple[str, str]]
    back: str

    def query(self, **more: str) -> str:
        """The query string of the choice, with more parameters."""
        return "?" + urlencode([*self.fields, *more.items()])


def read_choice(context: PageContext) -> ReadChoice:
    """What the user chose in the list that the address names.

    Parameters: `id` for each ticked row; `whole` if the box for the whole page is ticked, whose ids
    are in `page`; `scope` is `all` for all rows that match the filters. Raises: NotFound, Invalid.
    """
    try:
        listed = ChosenList(context.path["list"])
    except ValueError:
        raise NotFound("list", context.path["list"]) from None
    given = context.given
    struct = _QUERIES[listed]
    names = [name for name in fields_of(struct) if name not in ("cursor", "limit")]
    filters = {name: str(given.get(name, "")).strip() for name in names}
    filters = {name: text for name, text in filters.items() if text}
    order = str(given.get("order", ""))
    shown = {**filters, "order": order} if order in ORDERS else filters  # the list as it was
    back = context.url(listed, **shown)
    if given.get("scope") == "all":
        query = decode_query(struct, filters.items())
        fields = [("scope", "all"), *shown.items()]
        return ReadChoice(RowChoice(listed, (), query), fields, back)
    ids = [str(each) for each in given.getlist("id")]
    if given.get("whole"):
        ids += str(given.get("page", "")).split(".")
    ids = list(dict.fromkeys(filter(None, ids)))
    fields = [*(("id", id) for id in ids), *shown.items()]
    return ReadChoice(RowChoice(listed, ids, None), fields, back)


async def list_samples(
    context: PageContext, db: Connection, listed: ChosenList, ids: Sequence[str]
) -> list[NamedRow]:
    """The first rows of a choice. Queries: one to three."""
    few = ids[:SHOWN]
    if listed is ChosenList.SUBSCRIBERS:
        return [
            NamedRow(each.name, context.url(listed, each.id), each.email or "")
            for each in await list_in_order(db, context.account_id, few)
        ]
    found = await subscription_query.find_subscriptions(db, context.account_id, few)
    return [
        NamedRow(_recipient(found[id]), context.url(listed, id), found[id].subscriber.full_name)
        for id in few
    ]


def _recipient(subscription: Subscription) -> str:
    """The name that the list of subscriptions shows."""
    address = subscription.shipping_address
    names = " ".join(filter(None, (subscription.first_name, subscription.last_name)))
    return names or address.company or subscription.subscriber.full_name
