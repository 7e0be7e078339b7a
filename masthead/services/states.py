"""What follows from a change: periods complete, subscriptions settle, figures are recounted."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from masthead.model.actors import Actor
from masthead.model.lifecycle import is_period_complete, settled
from masthead.model.values import SubscriptionStatus, SubscriptionType
from masthead.store import audit, copies, periods, subscribers, subscriptions
from masthead.store.accounts import Account
from masthead.store.audit import Entry
from masthead.store.connection import Transaction


async def settle(
    tx: Transaction, account: Account, subscription_ids: Collection[str], *, by: Actor
) -> None:
    """Bring periods and states of subscriptions in line with their copies, issues and the day.

    Records each change of state. Queries: one, and a few more for what changes.
    """
    if not subscription_ids:
        return
    flips: defaultdict[bool, list[int]] = defaultdict(list)
    moves: defaultdict[SubscriptionStatus, list[str]] = defaultdict(list)
    entries, moved = [], set()
    facts = await periods.list_facts(tx, account.id, subscription_ids)
    for id, rows in facts.items():
        complete = []
        for row in rows:
            is_complete = is_period_complete(
                period_end=row["period_end"],
                day=account.daily_date,
                missing_issues=row["missing_issues"],
                unsent_copies=row["unsent_copies"],
            )
            complete.append(is_complete)
            if is_complete != row["is_complete"]:
                flips[is_complete].append(row["id"])
        before = SubscriptionStatus(rows[0]["status"])
        after = settled_status(rows[0], complete)
        if after != before:
            moves[after].append(id)
            moved.add(rows[0]["subscriber_id"])
            states = {"status": before}, {"status": after}
            entries.append(Entry("subscription.settle", "subscription", id, *states))
    for is_complete, ids in flips.items():
        await periods.update_is_complete(tx, account.id, ids, is_complete=is_complete)
    for status, moved_ids in moves.items():
        await subscriptions.update_status(tx, account.id, moved_ids, status)
    if moved:
        await subscribers.update_figures(tx, account.id, moved, currency=account.currency)
        await audit.record(tx, account.id, by, entries)


def settled_status(
    row: Mapping[str, Any], periods_complete: Collection[bool]
) -> SubscriptionStatus:
    """The status that is due to a subscription. row: its status, type and is_recurring."""
    return settled(
        SubscriptionStatus(row["status"]),
        type=SubscriptionType(row["type"]),
        is_recurring=row["is_recurring"],
        periods_complete=periods_complete,
    )


async def end_subscriptions(tx: Transaction, account: Account, ids: Sequence[str]) -> list[int]:
    """Cancel subscriptions and their copies not sent; the ids of those copies."""
    await subscriptions.update_status(tx, account.id, ids, SubscriptionStatus.CANCELLED)
    return await copies.cancel_unsent(tx, account.id, ids)
