"""What a subscriber has: subscriptions, gifts, the issues that were sent, and what comes next."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from msgspec import Struct

from masthead.model.resources import Issue, Subscription
from masthead.model.subscribers.greetings import Greeted
from masthead.model.subscriptions.groups import (
    CopyGroup,
    fold_ended,
    group_subscriptions,
    show_as_one,
)
from masthead.model.subscriptions.lifecycle import LIVE
from masthead.model.types.enums import CopyStatus, Medium, SubscriptionType
from masthead.services.addresses.groups import ChangeGroup, list_groups
from masthead.store import copies
from masthead.store.accounts import Account
from masthead.store.copies import CopyOfIssue
from masthead.store.engine.interface import Connection
from masthead.store.issues import records as issues
from masthead.store.read_model import subscription_query
from masthead.store.subscribers.corrections import StoredSubscriber
from masthead.store.subscriptions import records as subscriptions

MAX_READ = 500  # the newest subscriptions; several copies for one address are shown as one
MAX_SHOWN = 20
MAX_GIFTS = 20
SHOWN_ISSUES = 8  # the newest issues that were sent, of each subscription
CLAIMABLE = 3  # of these, those that may be missing


class SentIssue(Struct, frozen=True, kw_only=True):
    """A copy that was sent. can_be_claimed: whether it may have been lost."""

    copy_id: int
    number: int
    name: str
    sent_on: date | None
    can_be_claimed: bool


class OwnSubscription(Struct, frozen=True, kw_only=True):
    """A subscription, or several copies for one address. ids: of all of them.

    remaining: issues that are paid for and not sent. next_number: of the next one; None if there
    is none, next_issue: if it is planned already. being_sent: whether its address is fixed already.
    """

    shown: Subscription
    ids: Sequence[str]
    count: int
    is_live: bool
    sent: Sequence[SentIssue]
    remaining: int
    next_number: int | None
    next_issue: Issue | None
    being_sent: bool

    @property
    def last_number(self) -> int | None:
        """The number of the last issue; None for a membership."""
        numbers = self.shown.issue_list
        is_membership = self.shown.type == SubscriptionType.MEMBERSHIP
        return None if is_membership or not numbers else max(numbers)

    @property
    def renews(self) -> bool:
        """Whether it renews automatically, so that this can be stopped."""
        return self.shown.is_recurring and self.shown.status == "Active"

    @property
    def shows_price(self) -> bool:
        """Whether the subscriber paid it; a gift is paid by its giver."""
        return not self.shown.is_gift and not self.shown.is_comp and self.shown.price is not None


class OwnGift(Struct, frozen=True):
    """A gift to somebody else. count: how many copies of an issue."""

    shown: Subscription
    count: int


class OwnOverview(Struct, frozen=True, kw_only=True):
    """What a subscriber has. given: gifts to others, without their addresses."""

    person: Greeted
    subscriptions: Sequence[OwnSubscription]
    given: Sequence[OwnGift]
    changes: Sequence[ChangeGroup]
    has_more: bool


async def get_overview(
    db: Connection, account: Account, subscriber: StoredSubscriber
) -> OwnOverview:
    """Everything for the page of a subscriber. Queries: about twelve, which need one snapshot."""
    rows = await subscriptions.list_newest_of_subscriber(db, account.id, subscriber.id, MAX_READ)
    groups = fold_ended(group_subscriptions(rows))
    shown = sorted(groups, key=lambda group: group.first.status not in LIVE)[:MAX_SHOWN]
    ids = [id for group in shown for id in group.ids]
    found = await subscription_query.find_subscriptions(db, account.id, ids)
    as_one = {group.first.id: show_as_one([found[id] for id in group.ids]) for group in shown}
    sent = await _list_copies(db, account.id, as_one.values())
    numbers = {each.issue_number for each in sent} | {
        number for each in as_one.values() for number in each.issue_list
    }
    known = await _find_issues(db, account.id, numbers)
    given = await subscriptions.list_newest_given(db, account.id, subscriber.id, MAX_GIFTS)
    gifts = await subscription_query.find_subscriptions(db, account.id, given)
    given_rows = await subscriptions.find_rows(db, account.id, given)
    changes = await list_groups(db, account.id, subscriber.id)
    return OwnOverview(
        person=subscriber,
        subscriptions=[_own(group, as_one[group.first.id], sent, known) for group in shown],
        given=[
            OwnGift(show_as_one([gifts[id] for id in group.ids]), len(group.ids))
            for group in group_subscriptions(given_rows[id] for id in given)
            if group.first.subscriber_id != subscriber.id
        ],
        changes=[each for each in changes if each.is_planned],
        has_more=len(groups) > len(shown),
    )


async def _list_copies(
    db: Connection, account_id: int, shown: Iterable[Subscription]
) -> list[CopyOfIssue]:
    """The copies of the first subscription of each group. Queries: one."""
    listed = list(shown)
    numbers = {number for each in listed for number in each.issue_list}
    ids = [each.id for each in listed]
    return await copies.list_copies_of_issues(db, account_id, ids, numbers) if ids else []


async def _find_issues(db: Connection, account_id: int, numbers: set[int]) -> dict[int, Issue]:
    """The issues that exist, by number. Queries: two."""
    if not numbers:
        return {}
    ids = [
        each.id
        for each in await issues.find_issues(db, account_id, min(numbers), max(numbers))
        if each.number in numbers
    ]
    return {each.number: each for each in await issues.list_by_ids(db, account_id, ids)}


def _own(
    group: CopyGroup,
    shown: Subscription,
    copies_of_all: Sequence[CopyOfIssue],
    known: Mapping[int, Issue],
) -> OwnSubscription:
    own = {each.issue_number: each for each in copies_of_all if each.subscription_id == shown.id}
    sent = [each for each in own.values() if each.status is CopyStatus.SENT]
    is_live = shown.status in LIVE
    left = sorted(
        number
        for number in shown.issue_list
        if number not in own or own[number].status is CopyStatus.NOT_SENT
    )
    following = left[0] if left and is_live else None
    newest = sorted(sent, key=lambda each: each.issue_number, reverse=True)[:SHOWN_ISSUES]
    return OwnSubscription(
        shown=shown,
        ids=group.ids,
        count=len(group.ids),
        is_live=is_live,
        sent=[
            SentIssue(
                copy_id=each.id,
                number=each.issue_number,
                name=known[each.issue_number].name,
                sent_on=each.sent_on,
                can_be_claimed=place < CLAIMABLE and shown.medium != Medium.DIGITAL,
            )
            for place, each in enumerate(newest)
        ],
        remaining=len(left) if is_live else 0,
        next_number=following,
        next_issue=known.get(following) if following is not None else None,
        being_sent=following in own and own[following].dispatch_id is not None,
    )
