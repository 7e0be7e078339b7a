"""Stop the renewals of a subscription, or end it."""

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import CHANGED_MEANWHILE, Invalid, NotFound
from masthead.model.resources import Subscription
from masthead.model.subscriptions.cancellations import CancelReason
from masthead.model.subscriptions.lifecycle import require_recurring, status_after_stop_renewals
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.translations import gettext as _
from masthead.model.types.enums import CancelMode, CopyStatus, SubscriptionStatus
from masthead.services.privacy.guard import require_owners_not_erased
from masthead.services.subscriptions.cancel_preview import digest_previews, preview_cancel
from masthead.services.subscriptions.locking import lock_subscription
from masthead.services.subscriptions.records import record_cancellations
from masthead.services.subscriptions.refunds import Refund, write_refunds
from masthead.services.subscriptions.status_updates import end_subscriptions, update_statuses
from masthead.services.transactions import in_transaction, with_locked_account
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Transaction
from masthead.store.events.write import get_written
from masthead.store.read_model import subscription_json
from masthead.store.subscribers import records as subscriber_store
from masthead.store.subscriptions import records as store, subscription_copies


class CancelDetails(Struct, frozen=True, kw_only=True):
    """The reason and the refund of a cancellation. notes: the reason in the user's words."""

    reason: CancelReason
    notes: str | None = None
    refund: Refund | None = None


@in_transaction
async def cancel_subscription(
    tx: Transaction, account_id: int, id: str, mode: CancelMode, *, by: Actor
) -> Subscription:
    """Stop the renewals of a subscription, or end it at once.

    Raises: NotFound, Invalid `not_recurring`. Spec: POST /v1/subscriptions/{id}/cancel/.
    """
    account, row = await lock_subscription(tx, account_id, id)
    if mode is CancelMode.STOP_RENEWALS:
        await _stop_renewals(tx, account, row, by=by)
    elif row.status != SubscriptionStatus.CANCELLED:
        await end_now(tx, account, [row], None, by=by)
    return await get_written(tx, account_id, id)


@in_transaction
async def stop_together(
    tx: Transaction, account_id: int, ids: Sequence[str], *, by: Actor
) -> SubscriptionStatus:
    """Stop the renewals of a subscription and of others; returns the status of the first one.

    Raises: NotFound, Invalid `not_recurring`.
    """
    for id in ids:
        account, row = await lock_subscription(tx, account_id, id)
        await _stop_renewals(tx, account, row, by=by)
    return (await store.get_status(tx, account_id, ids[0])).status


@with_locked_account
async def end_together(
    tx: Transaction,
    account: Account,
    ids: Sequence[str],
    details: CancelDetails,
    *,
    seen: str,
    by: Actor,
) -> None:
    """End subscriptions at once, with a reason and refunds: one, or those of a bundle.

    seen: the digest of the previews that the user saw. If anything in them has changed since then,
    for example because a run was frozen, nothing is saved. Raises: NotFound, Invalid.
    """
    found = await store.find_rows(tx, account.id, ids)
    for id in ids:
        if id not in found:
            raise NotFound("subscription", id)
    await require_owners_not_erased(tx, account.id, ids)
    previews = [
        await preview_cancel(tx, account.id, id, CancelMode.CANCEL, day=account.daily_date)
        for id in ids
    ]
    if digest_previews(previews) != seen:
        raise changed_since()
    if any(preview.before is SubscriptionStatus.COMPLETE for preview in previews):
        raise Invalid(
            _(
                "The subscription is complete: there is nothing left to cancel. Renew it, or "
                "record a refund."
            ),
            code="complete",
        )
    rows = [found[id] for id in ids if found[id].status != SubscriptionStatus.CANCELLED]
    if details.refund is not None:
        orders = [order for preview in previews for order in preview.orders]
        await write_refunds(tx, account, list(found.values()), orders, details.refund, by=by)
    if rows:
        await end_now(tx, account, rows, details, by=by)


def changed_since() -> Invalid:
    """The error for a preview that is out of date."""
    return Invalid(
        _("The subscription has changed since you opened this page. Check again what will happen."),
        code=CHANGED_MEANWHILE,
    )


async def _stop_renewals(
    tx: Transaction, account: Account, row: StoredSubscription, *, by: Actor
) -> None:
    """Stop the renewals and keep the paid periods. Raises: Invalid `not_recurring`."""
    require_recurring(is_recurring=row.is_recurring)
    before = SubscriptionStatus(row.status)
    after = status_after_stop_renewals(before)
    if after != before:
        await store.update_status(tx, account.id, [row.id], after)
        await subscription_json.mark_outdated(tx, account.id, [row.id])
        states = {"status": before}, {"status": after}
        entry = NewEntry(EntryType.SUBSCRIPTION_STOP_RENEWALS, row.id, *states)
        await trail.record(tx, account.id, by, [entry])
        await update_statuses(tx, account, [row.id], by=by)


async def end_now(
    tx: Transaction,
    account: Account,
    rows: Sequence[StoredSubscription],
    details: CancelDetails | None,
    *,
    by: Actor,
) -> None:
    """Cancel subscriptions and their unsent copies. Sent copies do not change.

    details: None if there is no reason. Queries: about 15, for any number of subscriptions.
    """
    ids = [row.id for row in rows]
    unsent = defaultdict[str, list[int]](list)
    for copy in await subscription_copies.list_with_runs(tx, account.id, ids):
        if copy.status is CopyStatus.NOT_SENT:
            unsent[copy.subscription_id].append(copy.id)
    await end_subscriptions(tx, account, ids)
    await record_cancellations(
        tx,
        account,
        {row.id: SubscriptionStatus(row.status) for row in rows},
        reason=details.reason if details else "",
        notes=details.notes if details else None,
        by=by,
    )
    await subscription_json.mark_outdated(tx, account.id, ids)
    why = {"reason": details.reason} if details else {}
    entries = [
        NewEntry(
            EntryType.SUBSCRIPTION_CANCEL,
            row.id,
            {"status": row.status},
            {
                "status": SubscriptionStatus.CANCELLED,
                "cancelled_copies": sorted(unsent[row.id]),
                **why,
            },
        )
        for row in rows
    ]
    await trail.record(tx, account.id, by, entries)
    await update_statuses(tx, account, ids, by=by)  # their periods may now be complete
    subscribers = sorted({row.subscriber_id for row in rows})
    await subscriber_store.update_stats(tx, account.id, subscribers, currency=account.currency)
