"""Which subscriptions have ended and have no copy left, so that nothing of them waits."""

from collections.abc import Iterable, Mapping

from masthead.model.subscriptions.lifecycle import LIVE
from masthead.model.types.enums import CopyStatus, SubscriptionStatus
from masthead.store.engine.interface import Connection
from masthead.store.subscriptions.subscription_copies import count_by_period


async def list_finished(
    db: Connection,
    account_id: int,
    statuses: Mapping[str, SubscriptionStatus],
    asked: Iterable[str],
) -> set[str]:
    """The asked ones that are cancelled or complete, and have no copy that is not sent.

    statuses: of subscriptions, by id. Queries: one for each asked one that is not live.
    """
    found = set[str]()
    for id in set(asked):
        if statuses[id] not in LIVE:
            left = await count_by_period(db, account_id, [id], CopyStatus.NOT_SENT)
            if not any(left.values()):
                found.add(id)
    return found
