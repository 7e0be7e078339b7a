"""The subscriptions that are renewed or cancelled together."""

from collections.abc import Collection

from masthead.model.errors import NotFound
from masthead.model.types.enums import SubscriptionStatus
from masthead.store.engine.interface import Connection
from masthead.store.subscriptions import bundles
from masthead.store.subscriptions import records as subscriptions


async def list_together(
    db: Connection, account_id: int, id: str, statuses: Collection[SubscriptionStatus]
) -> list[str]:
    """The subscriptions of a bundle that have one of some statuses, oldest first.

    id: of any subscription of the bundle. Without a bundle, there is only this one, with any
    status. Queries: two at most. Raises: NotFound.
    """
    found = await subscriptions.find_rows(db, account_id, [id])
    if id not in found:
        raise NotFound("subscription", id)
    bundle_id = found[id].bundle_id
    if bundle_id is None:
        return [id]
    members = await bundles.list_bundle(db, account_id, bundle_id)
    return [each.id for each in members if each.id == id or each.status in statuses]
