"""Preview what a cancellation would do, by the same rules that the cancellation follows."""

import hashlib
from collections.abc import Sequence
from datetime import date

import msgspec
from msgspec import Struct

from masthead.model.resources import Subscription
from masthead.model.subscriptions.lifecycle import (
    derive_status,
    has_ended,
    require_recurring,
    status_after_stop_renewals,
)
from masthead.model.subscriptions.refunds import PaidOrder
from masthead.model.types.enums import CancelMode, CopyStatus, SubscriptionStatus
from masthead.services.subscriptions.refunds import list_paid_orders
from masthead.store.claims import records as claims
from masthead.store.engine.interface import Connection
from masthead.store.read_model.subscription_query import get_subscription
from masthead.store.subscriptions import subscription_copies
from masthead.store.subscriptions.subscription_copies import CopyInRun


class CancelPreview(Struct, frozen=True, kw_only=True):
    """The effect of a cancellation. Issues are given by number, lowest first.

    cancelled: issues with a copy that would be cancelled. to_send: issues with a copy that would
    still be sent. sent: the number of copies that are already sent.
    lost: included issues that do not exist yet and would not be delivered. upcoming: included
    issues that do not exist yet and would still be delivered.
    charge_date: the date of the next charge, which would not be made.
    paid_until: the last paid day of a membership, None if it has passed.
    in_runs: the cancelled copies that would leave a frozen run.
    orders: what was paid, and what of it can be refunded.
    replacements: the sent issues whose replacement is still sent.
    """

    id: str

    before: SubscriptionStatus
    after: SubscriptionStatus
    cancelled: Sequence[int]
    to_send: Sequence[int]
    sent: int
    lost: Sequence[int]
    upcoming: Sequence[int]
    charge_date: date | None
    paid_until: date | None
    in_runs: Sequence[CopyInRun]
    orders: Sequence[PaidOrder]
    replacements: Sequence[int] = ()

    @property
    def changes_nothing(self) -> bool:
        """Whether the subscription would stay as it is."""
        return self.before is self.after


def list_modes(*, is_recurring: bool) -> Sequence[CancelMode]:
    """The ways in which a subscription can be cancelled."""
    return tuple(CancelMode) if is_recurring else (CancelMode.CANCEL,)


async def preview_cancel(
    db: Connection, account_id: int, id: str, mode: CancelMode, *, day: date
) -> CancelPreview:
    """The effects of `cancel_subscription` now.

    day: the date of the account's last daily pass. Queries: six or seven, which need one snapshot.
    Raises: NotFound, Invalid `not_recurring`.
    """
    subscription = await get_subscription(db, account_id, id)
    ends = mode is CancelMode.CANCEL
    if not ends:
        require_recurring(is_recurring=subscription.is_recurring)
    copies = await subscription_copies.list_with_runs(db, account_id, [id])
    orders = await list_paid_orders(db, account_id, [id], day=day)
    statuses = {copy.issue_number: copy.status for copy in copies}
    unsent = [number for number, status in statuses.items() if status == CopyStatus.NOT_SENT]
    in_runs = [
        copy
        for copy in copies
        if copy.dispatch_id is not None and copy.status is CopyStatus.NOT_SENT
    ]
    promised = await claims.list_promised(db, account_id, subscription.subscriber.id, id)
    is_cancelled = subscription.status is SubscriptionStatus.CANCELLED
    missing = [] if is_cancelled else [n for n in subscription.issue_list if n not in statuses]
    paid_until = subscription.current_period_end
    return CancelPreview(
        id=id,
        before=subscription.status,
        after=SubscriptionStatus.CANCELLED if ends else _stopped_status(subscription),
        cancelled=unsent if ends else [],
        to_send=[] if ends else unsent,
        sent=sum(status == CopyStatus.SENT for status in statuses.values()),
        lost=missing if ends else [],
        upcoming=[] if ends else missing,
        charge_date=subscription.next_charge_date,
        paid_until=None if paid_until is None or has_ended(paid_until, day) else paid_until,
        in_runs=in_runs if ends else [],
        orders=orders[id] if ends else [],
        replacements=[n for n in promised if statuses.get(n) == CopyStatus.SENT],
    )


def digest_previews(previews: Sequence[CancelPreview]) -> str:
    """A short text that changes if any of the previews does."""
    return hashlib.sha256(msgspec.json.encode(previews)).hexdigest()[:32]


def _stopped_status(subscription: Subscription) -> SubscriptionStatus:
    """The status after the renewals are stopped."""
    stopped = status_after_stop_renewals(subscription.status)
    if stopped is subscription.status:
        return stopped
    return derive_status(
        stopped,
        type=subscription.type,
        is_recurring=subscription.is_recurring,
        periods_complete=[period.is_complete for period in subscription.periods],
    )
