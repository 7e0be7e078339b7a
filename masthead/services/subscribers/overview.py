"""The page of a subscriber, besides their subscriptions: gifts, notes and merges."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from masthead.model.clock import now
from masthead.model.resources import Subscription
from masthead.model.subscribers.merges import UNDO_SPAN
from masthead.model.subscribers.notes import SubscriberNote
from masthead.model.subscriptions.lifecycle import LIVE
from masthead.services.subscribers.names import name_actors
from masthead.services.subscribers.notes import list_notes
from masthead.store.billing import paid_for
from masthead.store.engine.interface import Connection
from masthead.store.read_model import subscription_query
from masthead.store.subscribers import merges
from masthead.store.subscriptions import records as subscriptions

SHOWN = 50  # merged subscribers on a page
SHOWN_GIFTS = 20
MAX_COUNTED = 500  # subscriptions of others


class EarlierSubscriber(Struct, frozen=True):
    """A subscriber that was merged into the one of the page.

    email: empty for a placeholder. undo_until: None if the merge cannot be undone any more.
    """

    name: str
    email: str
    merge_id: str
    merged_at: datetime
    by: str
    undo_until: datetime | None


class SubscriberOverview(Struct, frozen=True):
    """Notes on a subscriber, who was merged into them, and gifts they gave, newest first.

    has_more_gifts: whether there are more than those.
    """

    notes: Sequence[SubscriberNote]
    merged: Sequence[EarlierSubscriber]
    gifts: Sequence[Subscription]
    has_more_gifts: bool


async def get_overview(db: Connection, account_id: int, id: str) -> SubscriberOverview:
    """The overview of a subscriber. Queries: nine at most."""
    given = await subscriptions.list_newest_given(db, account_id, id, SHOWN_GIFTS + 1)
    gifts = await subscription_query.find_subscriptions(db, account_id, given[:SHOWN_GIFTS])
    merged = await merges.list_merged(db, account_id, id, SHOWN)
    names = await name_actors(db, account_id, [(each.actor_kind, each.actor_id) for each in merged])
    moment = now()
    return SubscriberOverview(
        notes=await list_notes(db, account_id, id),
        merged=[
            EarlierSubscriber(
                name=each.full_name,
                email="" if each.is_placeholder else each.email,
                merge_id=each.merge_id,
                merged_at=each.created_at,
                by=names[each.actor_kind, each.actor_id],
                undo_until=until if (until := each.created_at + UNDO_SPAN) > moment else None,
            )
            for each in merged
        ],
        gifts=[gifts[each] for each in given[:SHOWN_GIFTS]],
        has_more_gifts=len(given) > SHOWN_GIFTS,
    )


async def count_live(db: Connection, account_id: int, id: str) -> tuple[int, int]:
    """How many subscriptions of a subscriber go on, and of others that they give or pay for."""
    own = await subscriptions.list_rows_of_subscribers(db, account_id, [id])
    given = await subscriptions.list_newest_given(db, account_id, id, MAX_COUNTED)
    paid = await paid_for.list_newest_paid(db, account_id, id, MAX_COUNTED)
    ids = {*given, *(subscription_id for _period_id, subscription_id in paid)}
    others = await subscriptions.find_rows(db, account_id, ids)
    return sum(each.status in LIVE for each in own), sum(
        each.status in LIVE for each in others.values()
    )
