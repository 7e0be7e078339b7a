"""Compare two subscribers before they are merged, and say what to know about the merge."""

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.resources import Subscriber
from masthead.model.subscriptions.lifecycle import LIVE
from masthead.model.translations import gettext as _
from masthead.model.types.postal_fields import PostalFields
from masthead.services.subscribers.correct import require_live
from masthead.store.engine.interface import Connection
from masthead.store.issues import records as issues
from masthead.store.subscribers import (
    comparisons as store,
    corrections as records,
    records as subscriber_store,
)
from masthead.store.subscribers.corrections import StoredSubscriber


class FrozenCopies(Struct, frozen=True):
    """A run that has copies of a subscriber. subscriptions: the ids of theirs."""

    run_id: str
    run: int
    issue: int
    subscriptions: Sequence[str]


class ComparedSubscriber(Struct, frozen=True):
    """One of two subscribers. totals: as the API shows them.

    subscriptions: the newest ones. frozen: the runs that hold copies.
    """

    stored: StoredSubscriber
    totals: Subscriber
    counts: store.SubscriberCounts
    subscriptions: Sequence[store.ComparedSubscription]
    frozen: Sequence[FrozenCopies]

    @property
    def mailed(self) -> PostalFields | None:
        """The address at the top of their page: that of the newest subscription that runs, or of
        the newest one; without any, their own.
        """
        running = (each for each in self.subscriptions if each.status in LIVE)
        newest = next(running, None) or next(iter(self.subscriptions), None)
        return PostalFields.of(newest) if newest else self.stored.own_address

    @property
    def phones(self) -> list[str]:
        """The phone numbers of their subscriptions, each once, newest first."""
        return list(dict.fromkeys(each.phone for each in self.subscriptions if each.phone))

    @property
    def runs(self) -> bool:
        """Whether one of their subscriptions runs."""
        return any(each.status in LIVE for each in self.subscriptions)

    def issues_after(self, newest: int) -> set[int]:
        """The issues to come of their subscriptions, which have no copies yet."""
        return {
            number
            for each in self.subscriptions
            if each.status in LIVE and each.start_issue is not None and each.last_issue is not None
            for number in range(max(each.start_issue, newest + 1), each.last_issue + 1)
        }


class Comparison(Struct, frozen=True):
    """Two subscribers side by side.

    shared_issues: of which both get a copy, also those not created yet. has_gift_between: whether
    one gave the other a subscription. unsubscribed: who gets no renewal letters, if the
    other one does.
    """

    one: ComparedSubscriber
    other: ComparedSubscriber
    shared_issues: Sequence[int]
    has_gift_between: bool
    unsubscribed: ComparedSubscriber | None


async def compare_subscribers(
    db: Connection, account_id: int, one_id: str, other_id: str
) -> Comparison:
    """The records that a merge of two subscribers would join. Queries: nine.

    Raises: NotFound, Invalid (`merged_meanwhile` if one of them is merged).
    """
    if one_id == other_id:
        raise Invalid(_("A subscriber cannot be merged with itself. Choose another one."))
    ids = [one_id, other_id]
    found = [await records.get_subscriber(db, account_id, id) for id in ids]
    for each in found:
        require_live(each)
    totals = [await subscriber_store.get_subscriber(db, account_id, id) for id in ids]
    counts = await store.list_counts(db, account_id, ids)
    listed = await store.list_subscriptions(db, account_id, ids)
    frozen = await store.list_frozen(db, account_id, ids)
    one, other = (
        ComparedSubscriber(
            stored=stored,
            totals=total,
            counts=counts[stored.id],
            subscriptions=[each for each in listed if each.subscriber_id == stored.id],
            frozen=_frozen([each for each in frozen if each.subscriber_id == stored.id]),
        )
        for stored, total in zip(found, totals, strict=True)
    )
    newest = await issues.get_newest_number(db, account_id)
    unsubscribed = [each for each in (one, other) if each.stored.unsubscribed_at is not None]
    return Comparison(
        one=one,
        other=other,
        shared_issues=[
            *await store.list_shared_issues(db, account_id, ids),
            *sorted(one.issues_after(newest) & other.issues_after(newest)),
        ],
        has_gift_between=any(
            each.gifter_id in ids and each.gifter_id != each.subscriber_id for each in listed
        ),
        unsubscribed=unsubscribed[0] if len(unsubscribed) == 1 else None,
    )


def _frozen(copies: Sequence[store.FrozenCopy]) -> list[FrozenCopies]:
    """The runs that hold some copies, each with the subscriptions."""
    runs = defaultdict[tuple[str, int, int], list[str]](list)
    for copy in copies:
        runs[copy.run_id, copy.run, copy.issue_number].append(copy.subscription_id)
    return [FrozenCopies(*run, ids) for run, ids in runs.items()]
