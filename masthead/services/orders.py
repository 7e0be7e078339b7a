"""Orders become subscriptions and renewals: one batch, one set of statements, whatever its size.

The API places one order, an import a thousand; the rules are the same.
"""

from collections.abc import Sequence

from masthead.model.actors import Actor
from masthead.model.errors import Invalid
from masthead.model.orders import Order, Terms
from masthead.model.spans import Span
from masthead.model.values import SubscriptionType, email_key
from masthead.services.batches import Batch
from masthead.services.sources import require_open_source
from masthead.services.states import end_subscriptions, settle
from masthead.store import accounts, audit, copies, issues, periods, subscribers, subscriptions
from masthead.store.accounts import Account
from masthead.store.connection import Transaction
from masthead.store.sources import get_imported_product


async def place_orders(
    tx: Transaction,
    account: Account,
    source_id: str,
    orders: Sequence[Order],
    *,
    terms: Terms,
    by: Actor,
) -> list[str | Invalid]:
    """Open or renew a subscription for each order; its id, or why the order was refused.

    account: locked in this transaction. A refused order changes nothing.
    Raises: Invalid `invalid_source`, for all.
    """
    await require_open_source(tx, account.id, source_id)
    batch = await _look_up(tx, account, source_id, orders, terms)
    outcomes: list[str | Invalid] = []
    for order in orders:
        try:
            outcomes.append(batch.place(order))
        except Invalid as refusal:
            outcomes.append(refusal)
    await _write(tx, batch, by=by)
    return outcomes


async def _look_up(
    tx: Transaction, account: Account, source_id: str, orders: Sequence[Order], terms: Terms
) -> Batch:
    """What the orders refer to. Queries: six, however many orders."""
    named = {order.order_id for order in orders} | {o.renews for o in orders if o.renews}
    known_orders = await periods.find_orders(tx, account.id, named)
    renewed_ids = {known_orders[o.renews] for o in orders if o.renews in known_orders}
    batch = Batch(account, source_id, await get_imported_product(tx, account.id), terms)
    batch.orders = known_orders
    batch.subscribers = await subscribers.find_by_email(
        tx, account.id, {email_key(order.email) for order in orders if order.email}
    )
    batch.releases = await issues.find_release_dates(
        tx, account.id, {n for o in orders for n in (o.start_issue, *o.sent) if n is not None}
    )
    batch.subscriptions = await subscriptions.find_facts(tx, account.id, renewed_ids)
    for id, rows in (await periods.list_periods(tx, account.id, renewed_ids)).items():
        batch.spans[id] = Span(**{name: rows[-1][name] for name in Span.__struct_fields__})
        batch.complete[id] = [row["is_complete"] for row in rows]
    return batch


async def _write(tx: Transaction, batch: Batch, *, by: Actor) -> None:
    """Write a batch's rows down, then what follows from them. Queries: some fifteen."""
    if not batch.new_periods:
        return
    account_id = batch.account.id
    last = await accounts.take_period_ids(tx, account_id, len(batch.new_periods))
    for id, period in enumerate(batch.new_periods, last + 1):
        period["id"] = id
    await subscribers.insert_subscribers(tx, account_id, list(batch.new_subscribers.values()))
    await subscriptions.insert_subscriptions(tx, account_id, list(batch.new_subscriptions.values()))
    await periods.insert_periods(tx, account_id, batch.new_periods)
    await subscriptions.extend_subscriptions(
        tx, account_id, [{**batch.subscriptions[id], **r} for id, r in batch.renewals.items()]
    )
    lines = {id: "\n".join(parts) for id, parts in batch.more_search.items()}
    await subscribers.append_search_text(tx, account_id, lines)
    await copies.grant_for_periods(tx, account_id, [each["id"] for each in batch.new_periods])
    await copies.mark_imported(tx, account_id, batch.sent)
    touched = [*batch.new_subscriptions, *batch.renewals]
    if any(batch.subscriptions[id]["type"] == SubscriptionType.MEMBERSHIP for id in touched):
        await copies.recount_memberships(tx, account_id, touched)
    await audit.record(tx, account_id, by, batch.entries)
    if batch.cancelled:
        await end_subscriptions(tx, batch.account, batch.cancelled)
    await settle(tx, batch.account, touched, by=by)
    readers = {batch.subscriptions[id]["subscriber_id"] for id in touched}
    await subscribers.update_figures(tx, account_id, readers, currency=batch.account.currency)
