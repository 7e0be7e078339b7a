"""Stop the renewals of a subscription, or end it."""

from masthead.model.actors import Actor
from masthead.model.audit_events import AuditEvent, EventType
from masthead.model.lifecycle import require_recurring, status_after_stop_renewals
from masthead.model.resources import Subscription
from masthead.model.types.enums import CancelMode, SubscriptionStatus
from masthead.services.derived.status_updates import end_subscriptions, update_statuses
from masthead.services.subscriptions.locking import lock_subscription
from masthead.services.subscriptions.records import record_cancellations
from masthead.store import subscribers
from masthead.store import subscriptions as store
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Database, Row, Transaction
from masthead.store.read_model import subscription_json
from masthead.store.read_model.subscription_query import get_subscription


async def cancel_subscription(
    db: Database, account_id: int, id: str, mode: CancelMode, *, by: Actor
) -> Subscription:
    """Stop the renewals of a subscription, or end it at once.

    Raises: NotFound, Invalid `not_recurring`. Spec: POST /v1/subscriptions/{id}/cancel/.
    """

    async def work(tx: Transaction) -> Subscription:
        account, row = await lock_subscription(tx, account_id, id)
        if mode is CancelMode.STOP_RENEWALS:
            await _stop_renewals(tx, account, row, by=by)
        elif row["status"] != SubscriptionStatus.CANCELLED:
            await _end(tx, account, row, by=by)
        return await get_subscription(tx, account_id, id)

    return await db.write(work, account_id=account_id)


async def _stop_renewals(tx: Transaction, account: Account, row: Row, *, by: Actor) -> None:
    """Stop the renewals and keep the paid periods. Raises: Invalid `not_recurring`."""
    require_recurring(is_recurring=row["is_recurring"])
    before = SubscriptionStatus(row["status"])
    after = status_after_stop_renewals(before)
    if after != before:
        await store.update_status(tx, account.id, [row["id"]], after)
        await subscription_json.mark_outdated(tx, account.id, [row["id"]])
        states = {"status": before}, {"status": after}
        event = AuditEvent(EventType.SUBSCRIPTION_STOP_RENEWALS, row["id"], *states)
        await trail.record(tx, account.id, by, [event])
        await update_statuses(tx, account, [row["id"]], by=by)


async def _end(tx: Transaction, account: Account, row: Row, *, by: Actor) -> None:
    """Cancel the subscription and its unsent copies. Sent copies do not change."""
    cancelled = await end_subscriptions(tx, account, [row["id"]])
    await subscription_json.mark_outdated(tx, account.id, [row["id"]])
    before = {"status": row["status"]}
    was = {row["id"]: SubscriptionStatus(row["status"])}
    await record_cancellations(tx, account, was, by=by)
    after = {"status": SubscriptionStatus.CANCELLED, "cancelled_copies": cancelled}
    event = AuditEvent(EventType.SUBSCRIPTION_CANCEL, row["id"], before, after)
    await trail.record(tx, account.id, by, [event])
    await update_statuses(tx, account, [row["id"]], by=by)  # its periods may now be complete
    readers = [row["subscriber_id"]]
    await subscribers.update_stats(tx, account.id, readers, currency=account.currency)
