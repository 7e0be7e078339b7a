"""Update the periods and statuses of subscriptions after a change, by the rules of the model.

The read model is only marked as outdated here; the background work renders it again.
"""

from collections.abc import Sequence

from masthead.model.actors import Actor
from masthead.model.dispatch.runs import LeftReason
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.types.enums import SubscriptionStatus
from masthead.store import copies
from masthead.store.accounts import Account
from masthead.store.dispatch import grace_copies, line_states
from masthead.store.engine.interface import Ids, Transaction
from masthead.store.read_model import subscription_json
from masthead.store.subscribers import records as subscriber_store
from masthead.store.subscriptions import bundles, records as subscriptions, status_updates
from masthead.store.subscriptions.status_updates import ChangedPeriods, ChangedSubscriptions


async def update_statuses(tx: Transaction, account: Account, ids: Ids, *, by: Actor) -> None:
    """Update which periods are complete and the statuses that follow, and record the changes.

    Marks the changed subscriptions as outdated in the read model.
    ids: of the subscriptions. Queries: two, and at most nine more if anything changes, for any
    number of subscriptions.
    """
    if not ids:
        return
    await _update_periods(tx, account, ids)
    await _settle(tx, account, ids, by=by)


async def complete_periods(tx: Transaction, account: Account, ids: Ids, *, by: Actor) -> int:
    """Do what `update_statuses` does after copies were marked as sent, with less work.

    Only subscriptions of which a period is complete now can change their status.
    ids: of the subscriptions. Returns how many are Complete now; several copies for one address
    are one. Queries: one, and at most eleven more if anything changes.
    """
    changed = await _update_periods(tx, account, ids)
    found = await _settle(tx, account, changed.subscriptions, by=by) if changed else None
    return await bundles.count_complete(tx, account.id, found.subscriptions) if found else 0


async def reopen_memberships(tx: Transaction, account: Account, ids: Ids, *, by: Actor) -> int:
    """Undo `update_statuses` for memberships with a period that has not ended by the account's day.

    ids: of the subscriptions. Returns how many of them changed their status. Queries: six.
    """
    if not ids:
        return 0
    changed = await _update_periods(tx, account, ids)
    assert changed is not None  # each of them has one
    found = await status_updates.find_reopened(tx, account.id, ids)
    return await _reopen(tx, account, found, by=by)


async def reopen_subscriptions(tx: Transaction, account: Account, ids: Ids, *, by: Actor) -> None:
    """Undo `complete_periods` for subscriptions with copies that are no longer sent.

    Their periods are no longer complete, and those that were Complete become live again.
    ids: of the subscriptions. Queries: one, and at most ten more if anything changes.
    """
    if changed := await _update_periods(tx, account, ids):
        found = await status_updates.find_completed_too_early(tx, account.id, changed.subscriptions)
        await _reopen(tx, account, found, by=by)


async def follow_length(
    tx: Transaction, account: Account, row: StoredSubscription, *, by: Actor
) -> None:
    """Let the status follow: a longer subscription is no longer Complete, a shorter one may be."""
    if row.status == SubscriptionStatus.COMPLETE:
        await reopen_subscriptions(tx, account, [row.id], by=by)
    await update_statuses(tx, account, [row.id], by=by)


async def _update_periods(tx: Transaction, account: Account, ids: Ids) -> ChangedPeriods | None:
    """Update which periods are complete; returns those that changed, None if there are none."""
    changed = await status_updates.find_changed_periods(tx, account.id, ids, day=account.daily_date)
    if changed:
        await status_updates.update_period_completion(tx, account.id, changed)
        await subscription_json.mark_outdated(tx, account.id, changed.subscriptions)
    return changed


async def _settle(
    tx: Transaction, account: Account, ids: Ids, *, by: Actor
) -> ChangedSubscriptions | None:
    """Update the statuses that follow from complete periods; returns what changed, if anything."""
    if found := await status_updates.find_settled(tx, account.id, ids):
        await status_updates.settle_subscriptions(tx, account.id, found, by=by)
        await _update_dependents(tx, account, found)
    return found


async def _reopen(
    tx: Transaction, account: Account, found: ChangedSubscriptions | None, *, by: Actor
) -> int:
    """Restore the statuses of subscriptions that have not ended; returns how many there are."""
    if found is None:
        return 0
    await status_updates.reopen_subscriptions(tx, account.id, found, by=by)
    await _update_dependents(tx, account, found)
    return found.count


async def _update_dependents(
    tx: Transaction, account: Account, found: ChangedSubscriptions
) -> None:
    """Update what depends on the status of subscriptions. found: their ids, as JSON."""
    await subscription_json.mark_outdated(tx, account.id, found.subscriptions)
    await subscriber_store.update_stats(
        tx, account.id, found.subscribers, currency=account.currency
    )


async def end_subscriptions(tx: Transaction, account: Account, ids: Sequence[str]) -> list[int]:
    """Cancel subscriptions and their unsent copies. Returns the ids of these copies."""
    await subscriptions.update_status(tx, account.id, ids, SubscriptionStatus.CANCELLED)
    return await cancel_copies(tx, account.id, ids)


async def cancel_copies(tx: Transaction, account_id: int, ids: Sequence[str]) -> list[int]:
    """Cancel the unsent copies of subscriptions; returns their ids.

    The copies, and unsent grace copies, leave the dispatch runs that hold them. Queries: two to
    four.
    """
    cancelled = await copies.cancel_unsent(tx, account_id, ids)
    if cancelled:
        await line_states.leave_lines(tx, account_id, cancelled, LeftReason.CANCELLED)
    await grace_copies.cancel_grace(tx, account_id, ids)
    return cancelled
