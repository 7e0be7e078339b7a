"""Update the periods and statuses of subscriptions after a change, by the rules of the model.

The read model is only marked as outdated here; the background work renders it again.
"""

from collections.abc import Sequence

from masthead.model.actors import Actor
from masthead.model.types.enums import SubscriptionStatus
from masthead.store import copies, status_updates, subscribers, subscriptions
from masthead.store.accounts import Account
from masthead.store.dispatch import line_states
from masthead.store.engine.interface import Ids, Transaction
from masthead.store.read_model import subscription_json


async def update_statuses(tx: Transaction, account: Account, ids: Ids, *, by: Actor) -> None:
    """Update which periods are complete and the statuses that follow, and record the changes.

    Marks the changed subscriptions as outdated in the read model.
    ids: of the subscriptions. Queries: two, and at most nine more if anything changes, for any
    number of subscriptions.
    """
    if not ids:
        return
    if changed_periods := await status_updates.find_changed_periods(
        tx, account.id, ids, day=account.daily_date
    ):
        await status_updates.update_period_completion(tx, account.id, changed_periods)
        await subscription_json.mark_outdated(tx, account.id, changed_periods["subscriptions"])
    if changed_statuses := await status_updates.find_settled(tx, account.id, ids):
        await status_updates.settle_subscriptions(tx, account.id, changed_statuses, by=by)
        await subscription_json.mark_outdated(tx, account.id, changed_statuses["subscriptions"])
        subscriber_ids = changed_statuses["subscribers"]
        await subscribers.update_stats(tx, account.id, subscriber_ids, currency=account.currency)


async def complete_periods(tx: Transaction, account: Account, ids: Ids, *, by: Actor) -> None:
    """Do what `update_statuses` does after copies were marked as sent, with less work.

    Only subscriptions of which a period is complete now can change their status.
    ids: of the subscriptions. Queries: one, and at most ten more if anything changes.
    """
    if changed := await status_updates.find_changed_periods(
        tx, account.id, ids, day=account.daily_date
    ):
        await update_statuses(tx, account, changed["subscriptions"], by=by)


async def reopen_memberships(tx: Transaction, account: Account, ids: Ids, *, by: Actor) -> int:
    """Undo `update_statuses` for memberships with a period that has not ended by the account's day.

    ids: of the subscriptions. Returns how many of them changed their status. Queries: six.
    """
    if not ids:
        return 0
    changed_periods = await status_updates.find_changed_periods(
        tx, account.id, ids, day=account.daily_date
    )
    assert changed_periods is not None  # each of them has one
    await status_updates.update_period_completion(tx, account.id, changed_periods)
    await subscription_json.mark_outdated(tx, account.id, changed_periods["subscriptions"])
    changed_statuses = await status_updates.find_reopened(tx, account.id, ids)
    if changed_statuses is None:
        return 0
    await status_updates.reopen_subscriptions(tx, account.id, changed_statuses, by=by)
    await subscription_json.mark_outdated(tx, account.id, changed_statuses["subscriptions"])
    subscriber_ids = changed_statuses["subscribers"]
    await subscribers.update_stats(tx, account.id, subscriber_ids, currency=account.currency)
    return int(changed_statuses["count"])


async def reopen_subscriptions(tx: Transaction, account: Account, ids: Ids, *, by: Actor) -> None:
    """Undo `complete_periods` for subscriptions with copies that are no longer sent.

    Their periods are no longer complete, and those that were Complete become live again.
    ids: of the subscriptions. Queries: one, and at most ten more if anything changes.
    """
    changed = await status_updates.find_changed_periods(tx, account.id, ids, day=account.daily_date)
    if changed is None:
        return
    await status_updates.update_period_completion(tx, account.id, changed)
    await subscription_json.mark_outdated(tx, account.id, changed["subscriptions"])
    statuses = await status_updates.find_completed_too_early(
        tx, account.id, changed["subscriptions"]
    )
    if statuses is None:
        return
    await status_updates.reopen_subscriptions(tx, account.id, statuses, by=by)
    await subscription_json.mark_outdated(tx, account.id, statuses["subscriptions"])
    await subscribers.update_stats(
        tx, account.id, statuses["subscribers"], currency=account.currency
    )


async def end_subscriptions(tx: Transaction, account: Account, ids: Sequence[str]) -> list[int]:
    """Cancel subscriptions and their unsent copies. Returns the ids of these copies.

    The copies leave the dispatch runs that hold them.
    """
    await subscriptions.update_status(tx, account.id, ids, SubscriptionStatus.CANCELLED)
    cancelled = await copies.cancel_unsent(tx, account.id, ids)
    if cancelled:
        await line_states.leave_cancelled(tx, account.id, cancelled)
    return cancelled
