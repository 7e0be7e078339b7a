"""Preview a cancellation: what it would change, by the same rules."""

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
    """The effect of a cancellation. Issues are numbers, lowest first.

    cancelled: issues whose copies will not be sent. waiting: issues whose copies will be sent.
    sent: the number of copies that were sent, which do not change.
    lost: paid issues that do not exist yet and will not be sent. to_come: those that will be sent.
    charge: the date of the next charge, which will not be made.
    paid_until: the last day that a membership has paid for.
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
    """What `cancel_subscription` would do now, from one snapshot. Queries: three or four.

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
