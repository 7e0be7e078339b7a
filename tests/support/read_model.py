"""The read model of an account: render it, list outdated rows, and compare it with the tables."""

import msgspec

from masthead.model.ids import LAST_ID
from masthead.services.background.read_model import refresh_read_model
from masthead.store.read_model import subscription_json
from masthead.store.read_model.subscription_query import find_subscriptions
from tests.conftest import Cast


async def render_all(cast: Cast) -> None:
    """Render the JSON of all outdated subscriptions."""
    before: str | None = LAST_ID
    while before:
        before = await refresh_read_model(cast.db, cast.account_id, before)


async def list_outdated(cast: Cast) -> list[str]:
    """The ids of subscriptions whose JSON is outdated, newest first."""
    async with cast.db.read() as connection:
        return await subscription_json.list_outdated(
            connection, cast.account_id, after=LAST_ID, limit=1000
        )


async def render_subscription(cast: Cast, id: str) -> bytes:
    """The JSON of a subscription, rendered from the tables."""
    async with cast.db.read() as connection:
        found = await find_subscriptions(connection, cast.account_id, [id])
    return msgspec.json.encode(found[id])
