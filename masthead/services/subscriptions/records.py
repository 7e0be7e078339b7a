"""Record refunds and cancellations with their dates, in the transaction of the change."""

from collections.abc import Mapping, Sequence
from datetime import date
from types import MappingProxyType

from masthead.model.actors import Actor
from masthead.model.clock import account_now
from masthead.model.events.types import PublicEventType
from masthead.model.ids import new_ids
from masthead.model.orders.order_plan import OrderPlan
from masthead.model.subscriptions.cancellations import cancelled_by_orders
from masthead.model.types.enums import SubscriptionStatus
from masthead.store.accounts import Account
from masthead.store.engine.interface import Row, Transaction
from masthead.store.events.write import NewEvent, add_events
from masthead.store.subscriptions import cancellations, refunds


async def record_placed(
    tx: Transaction, account: Account, plan: OrderPlan, periods: Sequence[Row], *, by: Actor
) -> None:
    """Record the refunds and cancellations that arrive with orders.

    A refund is dated as its order, or today if that has no date; a cancellation as its row says.
    periods: the new rows of the plan. Queries: two at most.
    """
    today = account.daily_date
    refunded = [
        {**row, "amount": row["refunded"], "refund_date": row["order_date"] or today}
        for row in periods
        if row["refunded"]
    ]
    if refunded:
        await insert_refunds(tx, account.id, refunded, "", by=by)
    cancelled = cancelled_by_orders(plan.audit_entries)
    await record_cancellations(tx, account, cancelled, days=plan.cancelled_dates, by=by)


async def insert_refunds(
    tx: Transaction, account_id: int, refunded: Sequence[Row], reason: str, *, by: Actor
) -> list[Row]:
    """Add refunds, without what follows from them; returns their rows. Queries: one.

    refunded: id and subscription_id of each period, amount, refund_date.
    """
    moment = account_now()
    rows: list[Row] = [
        {
            "id": id,
            "subscription_id": row["subscription_id"],
            "period_id": row["id"],
            "refund_date": row["refund_date"],
            "amount": row["amount"],
            "reason": reason,
            "created_at": moment,
            "actor_kind": by.kind,
            "actor_id": by.id,
        }
        for id, row in zip(new_ids(account_id, len(refunded), after=""), refunded, strict=True)
    ]
    await refunds.insert_refunds(tx, account_id, rows)
    created = [NewEvent(PublicEventType.REFUND_CREATED, row["id"]) for row in rows]
    await add_events(tx, account_id, by, created)
    return rows


async def record_cancellations(
    tx: Transaction,
    account: Account,
    cancelled: Mapping[str, SubscriptionStatus],
    *,
    reason: str = "",
    notes: str | None = None,
    days: Mapping[str, date] = MappingProxyType({}),
    by: Actor,
) -> None:
    """Record that subscriptions were cancelled. Queries: one, or none.

    cancelled: the status before, by id of the subscription. days: when, if not today.
    """
    if not cancelled:
        return
    moment = account_now()
    ids = new_ids(account.id, len(cancelled), after="")
    rows = [
        {
            "id": id,
            "subscription_id": subscription_id,
            "cancelled_date": days.get(subscription_id, account.daily_date),
            "reason": reason,
            "notes": notes,
            "created_at": moment,
            "actor_kind": by.kind,
            "actor_id": by.id,
            "status_before": status,
        }
        for id, (subscription_id, status) in zip(ids, cancelled.items(), strict=True)
    ]
    await cancellations.insert_cancellations(tx, account.id, rows)
