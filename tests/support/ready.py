"""The ready documents of an account: made anew, counted, and compared with its tables."""

import msgspec

from masthead.model.ids import LAST_ID
from masthead.services.maintenance.read_model import refill_read_model
from masthead.store.read_model import subscription_json
from masthead.store.read_model.subscription_query import find_subscriptions
from tests.conftest import Cast


async def refill(cast: Cast) -> None:
    """Make every document ready."""
    before: str | None = LAST_ID
    while before:
        before = await refill_read_model(cast.db, cast.account_id, before)


async def outdated(cast: Cast) -> list[str]:
    """The subscriptions that are to be rendered anew, newest first."""
    async with cast.db.read() as connection:
        return await subscription_json.list_outdated(
            connection, cast.account_id, before=LAST_ID, limit=1000
        )


async def rendered(cast: Cast, id: str) -> bytes:
    """A subscription as its tables have it now."""
    async with cast.db.read() as connection:
        found = await find_subscriptions(connection, cast.account_id, [id])
    return msgspec.json.encode(found[id])
