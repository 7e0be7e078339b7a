"""What a cancel would do, told before it is done, by the rules by which it is done."""

from collections.abc import Sequence
from datetime import date

from msgspec import Struct

from masthead.model.errors import NotFound
from masthead.model.lifecycle import derive_status, require_recurring, status_after_stop_renewals
from masthead.model.types.enums import CancelMode, CopyStatus, SubscriptionStatus
from masthead.store import copies
from masthead.store.engine.interface import Connection
from masthead.store.read_model.subscription_query import find_subscriptions


class CancelPreview(Struct, frozen=True, kw_only=True):
    """The effect of a cancel, issues by number, lowest first.

    cancelled: whose copies will not be sent. waiting: whose copies still will.
    sent: how many copies went out, which stay as they are.
    lost: issues bought that do not exist yet and will not come. to_come: those that still will.
    charge: the day of the next charge, which falls away.
    paid_until: last day of what a membership has paid.
    """

    before: SubscriptionStatus
    after: SubscriptionStatus
    cancelled: Sequence[int]
    waiting: Sequence[int]
    sent: int
    lost: Sequence[int]
    to_come: Sequence[int]
    charge: date | None
    paid_until: date | None


async def preview_cancel(
    db: Connection, account_id: int, id: str, mode: CancelMode
) -> CancelPreview:
    """What `cancel_subscription` would do now; from one snapshot. Queries: three or four.

    Raises: NotFound, Invalid `not_recurring`.
    """
    found = await find_subscriptions(db, account_id, [id])
    if id not in found:
        raise NotFound("subscription", id)
    subscription = found[id]
    ends = mode is CancelMode.CANCEL
    if not ends:
        require_recurring(is_recurring=subscription.is_recurring)
    statuses = {
        row["issue_number"]: row["status"]
        for row in await copies.list_copies_of_subscription(db, account_id, id)
    }
    unsent = [number for number, status in statuses.items() if status == CopyStatus.NOT_SENT]
    is_over = subscription.status is SubscriptionStatus.CANCELLED
    to_come = [] if is_over else [n for n in subscription.issue_list if n not in statuses]
    after = derive_status(
        status_after_stop_renewals(subscription.status),
        type=subscription.type,
        is_recurring=subscription.is_recurring,
        periods_complete=[period.is_complete for period in subscription.periods],
    )
    return CancelPreview(
        before=subscription.status,
        after=SubscriptionStatus.CANCELLED if ends else after,
        cancelled=unsent if ends else [],
        waiting=[] if ends else unsent,
        sent=sum(status == CopyStatus.SENT for status in statuses.values()),
        lost=to_come if ends else [],
        to_come=[] if ends else to_come,
        charge=subscription.next_charge_date,
        paid_until=subscription.current_period_end,
    )
