"""Writes the order plan to the database."""

from masthead.model.actors import Actor
from masthead.model.orders.order_plan import OrderPlan
from masthead.services.search_index import rewrite_search
from masthead.services.subscriptions.records import record_placed
from masthead.services.subscriptions.status_updates import end_subscriptions, update_statuses
from masthead.store import accounts, copies
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Transaction
from masthead.store.read_model import subscription_json
from masthead.store.search.text_index import insert_texts
from masthead.store.subscribers import records as subscriber_store
from masthead.store.subscriptions import periods
from masthead.store.subscriptions import records as subscriptions


async def write(tx: Transaction, account: Account, plan: OrderPlan, *, by: Actor) -> int:
    """Write the rows of an order plan, and update the derived data of existing subscribers.

    Returns the id before that of the first period. Queries: about ten, and more for existing
    subscribers and subscriptions, for any number of orders.
    """
    if not plan.periods:
        return 0
    last_ids = await accounts.reserve_ids(
        tx, account.id, periods=len(plan.periods), copies=plan.copy_count
    )
    new_periods, new_copies = plan.numbered(*last_ids)
    await subscriber_store.insert_subscribers(tx, account.id, plan.subscribers)
    await subscriptions.insert_subscriptions(tx, account.id, plan.subscriptions)
    await periods.insert_periods(tx, account.id, new_periods)
    await copies.insert_copies(tx, account.id, new_copies)
    await record_placed(tx, account, plan, new_periods, by=by)
    await subscriptions.update_renewed(tx, account.id, plan.renewals)
    await insert_texts(tx, account.id, plan.search_rows)
    await subscription_json.mark_outdated(tx, account.id, plan.subscription_ids)
    await trail.record(tx, account.id, by, plan.audit_events)
    await rewrite_search(tx, account.id, plan.existing_subscribers)
    if plan.cancelled:
        await end_subscriptions(tx, account, plan.cancelled)
        await update_statuses(
            tx, account, plan.cancelled, by=by
        )  # older periods may now be complete
    if subscribers := plan.existing_subscribers:
        await subscriber_store.update_stats(tx, account.id, subscribers, currency=account.currency)
    return last_ids[0]
