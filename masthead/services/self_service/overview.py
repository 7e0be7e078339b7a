"""What a subscriber has: subscriptions, gifts, the issues that were sent, and what comes next."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date

from msgspec import Struct

from masthead.model.claims.rules import may_be_missed
from masthead.model.ids import LAST_ID, LAST_NUMBER
from masthead.model.resources import Issue, Subscription
from masthead.model.self_service.renewals import payer_of
from masthead.model.subscribers.greetings import Greeted
from masthead.model.subscriptions.groups import (
    CopyGroup,
    fold_ended,
    group_subscriptions,
    show_as_one,
)
from masthead.model.subscriptions.lifecycle import LIVE
from masthead.model.types.enums import CopyStatus, SubscriptionType
from masthead.services.addresses.groups import ChangeGroup, list_groups
from masthead.store import copies
from masthead.store.accounts import Account
from masthead.store.billing import paid_for
from masthead.store.copies import CopyOfIssue
from masthead.store.engine.interface import Connection
from masthead.store.issues import records as issues
from masthead.store.read_model import subscription_query
from masthead.store.self_service.requests import list_claimed
from masthead.store.subscribers.corrections import StoredSubscriber
from masthead.store.subscriptions import records as subscriptions

MAX_READ = 500  # the newest subscriptions; several copies for one address are shown as one
# What a page shows at most: it is small, also for those who have much
AT_ONCE = 6
OTHERS = 5  # gifts, and as many that are paid for others; pages of their own have all of them
OTHERS_AT_ONCE = 30
SHOWN_ISSUES = 8  # the newest issues that were sent, of each subscription; fewer if there are many
CLAIMABLE = 3  # of these, those that may be missing


class SentIssue(Struct, frozen=True, kw_only=True):
    """A copy that was sent. can_be_claimed: whether it may have been lost.

    is_claimed: whether its subscriber said already that it did not arrive.
    """

    copy_id: int
    number: int
    name: str
    sent_on: date | None
    can_be_claimed: bool
    is_claimed: bool


class SeenSubscription(Struct, frozen=True, kw_only=True):
    """A subscription as a subscriber sees it, their own one or one of somebody else.

    count: how many copies of an issue. is_paid: whether the subscriber pays for it, and not a giver
    or a company.
    """

    shown: Subscription
    count: int
    is_paid: bool

    @property
    def last_number(self) -> int | None:
        """The number of the last issue; None for a membership."""
        numbers = self.shown.issue_list
        is_membership = self.shown.type == SubscriptionType.MEMBERSHIP
        return None if is_membership or not numbers else max(numbers)

    @property
    def shows_price(self) -> bool:
        """Whether the subscriber may see what it costs: only who pays for it does."""
        return self.is_paid and not self.shown.is_comp and self.shown.price is not None


class OwnSubscription(SeenSubscription, frozen=True, kw_only=True):
    """A subscription, or several copies for one address. ids: of all of them.

    remaining: issues that are paid for and not sent. next_number: of the next one; None if there
    is none, next_issue: if it is planned already. being_sent: whether its address is fixed already.
    """

    ids: Sequence[str]
    is_live: bool
    sent: Sequence[SentIssue]
    remaining: int
    next_number: int | None
    next_issue: Issue | None
    being_sent: bool

    @property
    def renews(self) -> bool:
        """Whether it renews automatically, so that this can be stopped."""
        return self.shown.is_recurring and self.shown.status == "Active"


class OthersPage(Struct, frozen=True):
    """Gifts, or subscriptions of others that the subscriber is billed for, newest first.

    Several copies for one address are one item. next: where the next page begins; empty on the last
    one.
    """

    items: Sequence[SeenSubscription]
    next: str


class OwnOverview(Struct, frozen=True, kw_only=True):
    """What a subscriber has. given: gifts to others, and paid: what they are billed for.

    Both are without the addresses, which their recipients may have changed. next_page: of their
    own subscriptions; None on the last one.
    """

    person: Greeted
    subscriptions: Sequence[OwnSubscription]
    given: OthersPage
    paid: OthersPage
    changes: Sequence[ChangeGroup]
    next_page: int | None


async def get_overview(
    db: Connection, account: Account, subscriber: StoredSubscriber, *, page: int = 1
) -> OwnOverview:
    """Everything for the page of a subscriber. Queries: about 15, which need one snapshot."""
    rows = await subscriptions.list_newest_of_subscriber(db, account.id, subscriber.id, MAX_READ)
    groups = fold_ended(group_subscriptions(rows))
    groups.sort(key=lambda group: group.first.status not in LIVE)
    shown = groups[AT_ONCE * (page - 1) : AT_ONCE * page]
    ids = [id for group in shown for id in group.ids]
    found = await subscription_query.find_subscriptions(db, account.id, ids)
    as_one = {group.first.id: show_as_one([found[id] for id in group.ids]) for group in shown}
    sent = await _list_copies(db, account.id, as_one.values())
    numbers = {each.issue_number for each in sent} | {
        number for each in as_one.values() for number in each.issue_list
    }
    known = await _find_issues(db, account.id, numbers)
    payers = await paid_for.find_payers(db, account.id, ids)
    claimed = await list_claimed(db, account.id, [each.id for each in sent])
    changes = await list_groups(db, account.id, subscriber.id)
    return OwnOverview(
        person=subscriber,
        subscriptions=[
            _own(
                group,
                as_one[group.first.id],
                sent,
                known,
                claimed,
                today=account.daily_date,
                is_paid=payer_of(group.first, payers.get(group.first.id)) == subscriber.id,
                issues=SHOWN_ISSUES if len(groups) <= CLAIMABLE else CLAIMABLE,
            )
            for group in shown
        ],
        given=await list_given(db, account.id, subscriber.id, limit=OTHERS),
        paid=await list_paid(db, account.id, subscriber.id, limit=OTHERS),
        changes=[each for each in changes if each.is_planned],
        next_page=page + 1 if len(groups) > AT_ONCE * page else None,
    )


async def list_given(
    db: Connection,
    account_id: int,
    subscriber_id: str,
    *,
    limit: int = OTHERS_AT_ONCE,
    before: str = LAST_ID,
) -> OthersPage:
    """The gifts of a subscriber. before: `next` of the page before. Queries: four at most."""
    ids = await subscriptions.list_newest_given(
        db, account_id, subscriber_id, limit + 1, before=before
    )
    items = await _list_others(db, account_id, ids[:limit], payer_id=subscriber_id)
    return OthersPage(items, ids[limit - 1] if len(ids) > limit else "")


async def list_paid(
    db: Connection,
    account_id: int,
    subscriber_id: str,
    *,
    limit: int = OTHERS_AT_ONCE,
    before: int = LAST_NUMBER,
) -> OthersPage:
    """What a subscriber is billed for, besides their own subscriptions and gifts.

    before: `next` of the page before. Queries: four at most.
    """
    found = await paid_for.list_newest_paid(db, account_id, subscriber_id, limit + 1, before=before)
    ids = [id for _period, id in found[:limit]]
    items = await _list_others(db, account_id, ids, payer_id=subscriber_id)
    return OthersPage(items, str(found[limit - 1][0]) if len(found) > limit else "")


async def _list_others(
    db: Connection, account_id: int, ids: Sequence[str], *, payer_id: str
) -> list[SeenSubscription]:
    """Subscriptions of others, as one of those who have to do with them sees them."""
    if not ids:
        return []
    found = await subscription_query.find_subscriptions(db, account_id, ids)
    rows = await subscriptions.find_rows(db, account_id, ids)
    payers = await paid_for.find_payers(db, account_id, ids)
    return [
        SeenSubscription(
            shown=show_as_one([found[id] for id in group.ids]),
            count=len(group.ids),
            is_paid=payer_of(group.first, payers.get(group.first.id)) == payer_id,
        )
        for group in group_subscriptions(rows[id] for id in ids)
    ]


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
    claimed: Collection[int],
    *,
    today: date,
    is_paid: bool,
    issues: int,
) -> OwnSubscription:
    """issues: how many sent ones are shown."""
    own = {each.issue_number: each for each in copies_of_all if each.subscription_id == shown.id}
    sent = [each for each in own.values() if each.status is CopyStatus.SENT]
    is_live = shown.status in LIVE
    left = sorted(
        number
        for number in shown.issue_list
        if number not in own or own[number].status is CopyStatus.NOT_SENT
    )
    following = left[0] if left and is_live else None
    newest = sorted(sent, key=lambda each: each.issue_number, reverse=True)[:issues]
    return OwnSubscription(
        shown=shown,
        ids=group.ids,
        count=len(group.ids),
        is_live=is_live,
        is_paid=is_paid,
        sent=[
            SentIssue(
                copy_id=each.id,
                number=each.issue_number,
                name=known[each.issue_number].name,
                sent_on=each.sent_on,
                can_be_claimed=place < CLAIMABLE
                and may_be_missed(each.status, shown.medium, each.sent_on, today=today),
                is_claimed=each.id in claimed,
            )
            for place, each in enumerate(newest)
        ],
        remaining=len(left) if is_live else 0,
        next_number=following,
        next_issue=known.get(following) if following is not None else None,
        being_sent=following in own and own[following].dispatch_id is not None,
    )
