"""Read all subscriptions as the API returns them."""

from masthead.store.engine.interface import Connection
from masthead.store.read_model.subscription_json import SubscriptionsJson, read_json
from masthead.store.subscriptions.filters import SUBSCRIPTIONS

PAGE = 1_000


async def list_subscriptions(
    db: Connection, account_id: int, *, after: str
) -> SubscriptionsJson | None:
    """The next subscriptions, oldest first; None at the end. Index: the primary key."""
    page, parameters = SUBSCRIPTIONS.page(
        {}, after=after, fetch=PAGE, columns="s.id", most=PAGE, is_ascending=True
    )
    found = await read_json(db, account_id, page, parameters)
    return found.in_order(is_ascending=True) if found.keys else None
