"""What follows from a change: periods complete, subscriptions settle, figures are recounted."""

from collections.abc import Sequence

from masthead.model.actors import Actor
from masthead.model.types.enums import SubscriptionStatus
from masthead.store import copies, status_updates, subscribers, subscriptions
from masthead.store.accounts import Account
from masthead.store.engine.interface import Ids, Transaction
from masthead.store.read_model import subscription_json


async def settle(tx: Transaction, account: Account, ids: Ids, *, by: Actor) -> None:
    """Bring periods and states of subscriptions in line with their copies, issues and the day.

    ids: of the subscriptions. Records each change of state.
    Queries: two, and five more if anything changes, however many subscriptions.
    """
    if not ids:
        return
    if flips := await status_updates.find_changed_periods(
        tx, account.id, ids, day=account.daily_date
    ):
        await status_updates.update_period_completion(tx, account.id, flips)
        await subscription_json.mark_outdated(tx, account.id, flips["subscriptions"])
    if moves := await status_updates.find_settled(tx, account.id, ids):
        await status_updates.settle_subscriptions(tx, account.id, moves, by=by)
        await subscription_json.mark_outdated(tx, account.id, moves["subscriptions"])
        readers = moves["subscribers"]
        await subscribers.update_stats(tx, account.id, readers, currency=account.currency)


async def reopen(tx: Transaction, account: Account, ids: Ids, *, by: Actor) -> int:
    """Undo `settle` for memberships with a period that has not ended by the account's day.

    ids: of the subscriptions. Returns how many of them changed their status. Queries: six.
    """
    if not ids:
        return 0
    flips = await status_updates.find_changed_periods(tx, account.id, ids, day=account.daily_date)
    assert flips is not None  # each of them has one
    await status_updates.update_period_completion(tx, account.id, flips)
    await subscription_json.mark_outdated(tx, account.id, flips["subscriptions"])
    moves = await status_updates.find_reopened(tx, account.id, ids)
    if moves is None:
        return 0
    await status_updates.reopen_subscriptions(tx, account.id, moves, by=by)
    await subscription_json.mark_outdated(tx, account.id, moves["subscriptions"])
    readers = moves["subscribers"]
    await subscribers.update_stats(tx, account.id, readers, currency=account.currency)
    return int(moves["count"])


async def end_subscriptions(tx: Transaction, account: Account, ids: Sequence[str]) -> list[int]:
    """Cancel subscriptions and their copies not sent; the ids of those copies."""
    await subscriptions.update_status(tx, account.id, ids, SubscriptionStatus.CANCELLED)
    return await copies.cancel_unsent(tx, account.id, ids)
