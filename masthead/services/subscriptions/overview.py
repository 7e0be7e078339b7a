"""The page of a subscription, besides its fields: how it ended, and related records."""

from collections.abc import Collection, Sequence

from msgspec import Struct

from masthead.model.holds import Hold
from masthead.model.resources import Subscription
from masthead.model.subscriptions.cancellations import CancelReason
from masthead.model.subscriptions.skips import SkippedIssue
from masthead.model.types.enums import CopyStatus, SubscriptionStatus
from masthead.services.subscriptions.bundles import Bundle, get_bundle
from masthead.services.subscriptions.finished import list_finished
from masthead.store.engine.interface import Connection
from masthead.store.holds import records as holds
from masthead.store.subscriptions import (
    cancellations,
    periods,
    records as subscriptions,
    refunds,
    skips,
    subscription_copies,
)


class Overview(Struct, frozen=True, kw_only=True):
    """What the page of a subscription shows of related records.

    cut_short: ids of the periods that the cancellation ended before all was delivered. bundle: the
    subscriptions that it was ordered with. gifter_id: the subscriber who gave it. skipped: the
    issues that it leaves out. holds: why its copies wait.
    """

    cancellation: cancellations.OpenCancellation | None
    cut_short: Collection[int]
    refunds: Sequence[refunds.RecordedRefund]
    bundle: Bundle
    gifter_id: str | None
    skipped: Sequence[SkippedIssue]
    holds: Sequence[Hold]

    @property
    def cancel_reason(self) -> str:
        """Why it was cancelled, in words; empty if nobody gave a reason."""
        reason = self.cancellation.reason if self.cancellation else ""
        return CancelReason(reason).words if reason else ""

    @property
    def typed_reason(self) -> str:
        """What was typed in place of a reason of the list; empty if one of those was chosen."""
        found = self.cancellation
        return (found.notes or "") if found and found.reason == CancelReason.OTHER else ""


async def get_overview(db: Connection, account_id: int, subscription: Subscription) -> Overview:
    """The overview of a subscription. Queries: eleven at most, which need one snapshot."""
    id = subscription.id
    row = (await subscriptions.find_rows(db, account_id, [id]))[id]
    is_cancelled = subscription.status is SubscriptionStatus.CANCELLED
    cancellation = await cancellations.find_open(db, account_id, id) if is_cancelled else None
    cut_short = set[int]()
    if cancellation is not None:
        sent = await subscription_copies.count_by_period(db, account_id, [id], CopyStatus.SENT)
        orders = (await periods.list_periods(db, account_id, [id]))[id]
        cut_short = {
            order.id
            for order in orders
            if (
                sent.get(order.id, 0) < len(order.included)
                if order.period_end is None
                else order.period_end >= cancellation.cancelled_date
            )
        }
    held = await holds.list_of_subscriptions(db, account_id, [id], only_open=True)
    asked = {each.subscription_id for each in held}
    if await list_finished(db, account_id, {id: subscription.status}, asked):
        held = []
    period_ids = [period.id for period in subscription.periods]
    return Overview(
        cancellation=cancellation,
        cut_short=cut_short,
        refunds=await refunds.list_refunds(db, account_id, period_ids),
        bundle=await get_bundle(db, account_id, id),
        gifter_id=row.gifter_id,
        skipped=await skips.list_skipped(db, account_id, [id]),
        holds=held,
    )
