"""The page of a subscriber, besides their subscriptions: notes, merges, and what they pay."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from msgspec import Struct

from masthead.model.clock import now
from masthead.model.resources import Subscription
from masthead.model.subscribers.for_others import ForOthers
from masthead.model.subscribers.merges import UNDO_PERIOD
from masthead.model.subscribers.notes import SubscriberNote
from masthead.model.subscriptions.groups import group_subscriptions, show_as_one
from masthead.model.subscriptions.lifecycle import LIVE
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.services.subscribers.names import name_actors
from masthead.services.subscribers.notes import list_notes
from masthead.store.billing import paid_for
from masthead.store.engine.interface import Connection
from masthead.store.read_model import subscription_query
from masthead.store.subscribers import merges
from masthead.store.subscribers.past_due import list_past_due
from masthead.store.subscriptions import records as subscriptions
from masthead.store.subscriptions.bundles import count_groups

SHOWN = 50  # merged subscribers on a page
SHOWN_OTHERS = 20  # subscriptions of others for which the subscriber pays
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


class PaidSubscription(Struct, frozen=True, kw_only=True):
    """What a subscriber gives to somebody else or pays for them.

    count: copies of an issue. is_given: whether it is a gift of the subscriber. is_paid: whether
    they pay for it, and not another payer of their gift.
    """

    shown: Subscription
    count: int
    is_given: bool
    is_paid: bool


class SubscriberOverview(Struct, frozen=True):
    """Notes on a subscriber, who was merged into them, and what they pay for others, newest first.

    count: of their subscriptions; several copies for one address are one.
    for_others: for how many subscriptions they pay. is_past_due: whether all of theirs that go on
    are past due. has_more_others: whether there are more than
    those in `others`.
    """

    notes: Sequence[SubscriberNote]
    merged: Sequence[EarlierSubscriber]
    count: int
    for_others: ForOthers
    is_past_due: bool
    others: Sequence[PaidSubscription]
    has_more_others: bool

    @property
    def live_recipients(self) -> dict[str, str]:
        """The names of those whose subscriptions go on and that they pay for, by id."""
        people = [
            each.shown.subscriber
            for each in self.others
            if each.is_paid and each.shown.status in LIVE
        ]
        return {each.id: each.full_name for each in people}


async def get_overview(db: Connection, account_id: int, id: str) -> SubscriberOverview:
    """The overview of a subscriber. Queries: thirteen at most."""
    paid = await paid_for.list_for_others(db, account_id, id, SHOWN_OTHERS + 1)
    given = await subscriptions.list_newest_given(db, account_id, id, SHOWN_OTHERS + 1)
    others = list(dict.fromkeys([*paid, *given]))
    counts = await paid_for.count_for_others(db, account_id, [id]) if paid else {}
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
                undo_until=until if (until := each.created_at + UNDO_PERIOD) > moment else None,
            )
            for each in merged
        ],
        count=(await count_groups(db, account_id, [id])).get(id, 0),
        for_others=counts.get(id, ForOthers()),
        is_past_due=bool(await list_past_due(db, account_id, [id])),
        others=await _list_others(db, account_id, others[:SHOWN_OTHERS], paid=set(paid)),
        has_more_others=len(others) > SHOWN_OTHERS,
    )


async def _list_others(
    db: Connection, account_id: int, ids: Sequence[str], *, paid: Collection[str]
) -> list[PaidSubscription]:
    """Subscriptions of others, several copies for one address as one. Queries: two at most."""
    if not ids:
        return []
    found = await subscription_query.find_subscriptions(db, account_id, ids)
    rows = await subscriptions.find_rows(db, account_id, ids)
    return [
        PaidSubscription(
            shown=show_as_one([found[each] for each in group.ids]),
            count=len(group.ids),
            is_given=group.first.is_gift,
            is_paid=group.first.id in paid,
        )
        for group in group_subscriptions(rows[each] for each in ids)
    ]


async def count_live(db: Connection, account_id: int, id: str) -> tuple[int, int]:
    """How many subscriptions of a subscriber go on, and of others that they give or pay for.

    Several copies for one address count as one.
    """
    own = await subscriptions.list_rows_of_subscribers(db, account_id, [id])
    given = await subscriptions.list_newest_given(db, account_id, id, MAX_COUNTED)
    paid = await paid_for.list_newest_paid(db, account_id, id, MAX_COUNTED)
    ids = {*given, *(subscription_id for _period_id, subscription_id in paid)}
    others = await subscriptions.find_rows(db, account_id, ids)
    return _count_live(own), _count_live(others.values())


def _count_live(rows: Iterable[StoredSubscription]) -> int:
    return sum(group.first.status in LIVE for group in group_subscriptions(rows))


async def list_moved(db: Connection, account_id: int, id: str) -> set[str]:
    """The subscriptions that came with the merges into a subscriber. Queries: one."""
    found = await merges.list_later(db, account_id, id, "")
    return {subscription for each in found for subscription in each.moved.subscriptions}
