"""The copy whose label a subscriber scanned. The key on it proves nothing: anyone can read it."""

from datetime import date

from msgspec import Struct

from masthead.model.claims.inputs import ClaimCreate
from masthead.model.claims.rules import ClaimReason, may_be_missed
from masthead.model.errors import Invalid, NotFound
from masthead.model.resources import Issue, Subscription
from masthead.model.subscriptions.lifecycle import LIVE
from masthead.model.types.enums import Medium
from masthead.services.claims.claimable import find_copy_id
from masthead.services.self_service.actions import Caller, require_own_copy
from masthead.store.engine.interface import Connection
from masthead.store.issues import records as issues
from masthead.store.read_model import subscription_query
from masthead.store.self_service.requests import list_claimed


class ScannedCopy(Struct, frozen=True, kw_only=True):
    """A copy of a subscriber. sent_on: None if it was not sent, or nobody knows when.

    can_be_claimed: whether it may have been lost. is_claimed: whether they said so already.
    is_too_late: whether it was posted, but too long ago to say so.
    """

    copy_id: int
    subscription: Subscription
    issue: Issue
    sent_on: date | None
    can_be_claimed: bool
    is_claimed: bool
    is_too_late: bool

    @property
    def has_address(self) -> bool:
        """Whether more copies go to an address that can be changed."""
        subscription = self.subscription
        return subscription.status in LIVE and subscription.medium != Medium.DIGITAL


async def find_scanned(db: Connection, caller: Caller, key: str) -> int | None:
    """The copy with a key, if it is one of the subscriber; otherwise None. Queries: three."""
    if not key:
        return None
    try:
        body = ClaimCreate(key=key, reason=ClaimReason.OTHER)
        copy_id = await find_copy_id(db, caller.account_id, body)
        await require_own_copy(db, caller, copy_id)
    except (Invalid, NotFound):
        return None
    return copy_id


async def get_scanned(db: Connection, caller: Caller, copy_id: int) -> ScannedCopy:
    """A copy, for its page. Raises: NotFound, also for a copy of another subscriber.

    Queries: about five.
    """
    copy = await require_own_copy(db, caller, copy_id)
    found = await subscription_query.find_subscriptions(
        db, caller.account_id, [copy.subscription_id]
    )
    [issue] = await issues.list_by_ids(db, caller.account_id, [copy.issue_id])
    claimed = await list_claimed(db, caller.account_id, [copy_id])
    today = caller.page.account.daily_date
    may_be = may_be_missed(copy.status, copy.medium, copy.sent_on, today=today)
    return ScannedCopy(
        copy_id=copy_id,
        subscription=found[copy.subscription_id],
        issue=issue,
        sent_on=copy.sent_on,
        can_be_claimed=may_be and copy_id not in claimed,
        is_claimed=copy_id in claimed,
        is_too_late=not may_be and may_be_missed(copy.status, copy.medium, None, today=today),
    )
