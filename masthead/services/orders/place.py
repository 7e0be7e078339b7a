"""Orders become subscriptions and renewals: one batch, one set of statements, whatever its size.

The API places one order, an import a thousand; the rules are the same.
"""

from collections.abc import Sequence

from masthead.model.actors import Actor
from masthead.model.errors import Invalid
from masthead.model.orders.order import Order, Terms
from masthead.model.orders.period_coverage import Span
from masthead.model.types.email_addresses import email_key
from masthead.model.types.fields import MAX_NUMBER
from masthead.services.derived.search_index import make_searchable
from masthead.services.derived.status_updates import end_subscriptions, settle
from masthead.services.derived.subscriber_stats import count_figures
from masthead.services.orders.batches import Batch
from masthead.services.orders.coverage import Issues
from masthead.services.products import product_for_orders
from masthead.services.sources import require_open_source
from masthead.store import accounts, copies, issues, periods, subscribers, subscriptions
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Transaction
from masthead.store.read_model import subscription_json
from masthead.store.search.text_index import get_newest


async def place_orders(
    tx: Transaction,
    account: Account,
    source_id: str,
    orders: Sequence[Order],
    *,
    terms: Terms,
    product_id: str | None = None,
    by: Actor,
) -> list[str | Invalid]:
    """Open or renew a subscription for each order; its id, or why the order was refused.

    account: locked in this transaction. product_id: of those that are opened; without it that of
    imported subscriptions. A refused order changes nothing.
    Raises: Invalid for all: `invalid_source`, or a product that is not offered.
    """
    await require_open_source(tx, account.id, source_id)
    product_id = await product_for_orders(tx, account.id, product_id)
    batch = await _look_up(tx, account, source_id, product_id, orders, terms)
    outcomes: list[str | Invalid] = []
    for order in orders:
        try:
            outcomes.append(batch.place(order))
        except Invalid as refusal:
            outcomes.append(refusal)
    await _write(tx, batch, by=by)
    return outcomes


async def _look_up(
    tx: Transaction,
    account: Account,
    source_id: str,
    product_id: str,
    orders: Sequence[Order],
    terms: Terms,
) -> Batch:
    """What the orders refer to. Queries: seven at most, however many orders."""
    named = {order.order_id for order in orders} | {o.renews for o in orders if o.renews}
    newest = await get_newest(tx, account.id)
    batch = Batch(account, source_id, product_id, terms, size=len(orders), newest=newest)
    batch.orders = await periods.find_orders(tx, account.id, named)
    if keys := {email_key(order.email) for order in orders if order.email}:
        batch.subscribers = await subscribers.find_by_email(tx, account.id, keys)
    batch.issues = Issues(await issues.find_issues(tx, account.id, *_reach(orders)))
    renewed_ids = {batch.orders[o.renews] for o in orders if o.renews in batch.orders}
    if renewed_ids:
        batch.subscriptions = await subscriptions.find_facts(tx, account.id, renewed_ids)
        granted = await periods.list_granted(tx, account.id, renewed_ids)
        for id, rows in (await periods.list_periods(tx, account.id, renewed_ids)).items():
            batch.spans[id] = Span(**{name: rows[-1][name] for name in Span.__struct_fields__})
            batch.complete[id] = [row["is_complete"] for row in rows]
            batch.granted[id] = {n for row in rows for n in granted.get(row["id"], ())}
    return batch


def _reach(orders: Sequence[Order]) -> tuple[int, int]:
    """The lowest and the highest number of an issue that orders may have to do with."""
    numbers = [1]
    for order in orders:
        if order.start_issue is None or order.length is None:  # that depends on dates, or on more
            return 1, MAX_NUMBER
        numbers += [order.start_issue, order.start_issue + order.length, *order.sent]
    return min(numbers[1:], default=1), max(numbers)


async def _write(tx: Transaction, batch: Batch, *, by: Actor) -> None:
    """Write a batch's rows down. Queries: some ten, and more for what was there before."""
    if not batch.new_periods:
        return
    account, rows = batch.account, [new.row for new in batch.new_periods]
    copies_of = [copy for new in batch.new_periods for copy in new.copies]
    count_figures(batch.new_subscribers, batch.subscriptions, rows, currency=account.currency)
    last = await accounts.take_numbers(tx, account.id, periods=len(rows), copies=len(copies_of))
    batch.number(*last)
    await subscribers.insert_subscribers(tx, account.id, list(batch.new_subscribers.values()))
    await subscriptions.insert_subscriptions(tx, account.id, list(batch.new_subscriptions.values()))
    await periods.insert_periods(tx, account.id, rows)
    await copies.insert_copies(tx, account.id, copies_of)
    await subscriptions.extend_subscriptions(tx, account.id, list(batch.renewed.values()))
    await make_searchable(tx, batch)
    await subscription_json.outdate(tx, account.id, list({row["subscription_id"] for row in rows}))
    await trail.record(tx, account.id, by, batch.entries)
    if ended := [id for id in batch.renewed if id in batch.cancelled]:
        await end_subscriptions(tx, account, ended)
        await settle(tx, account, ended, by=by)  # older periods may be complete now
    touched = {
        batch.subscriptions[new.row["subscription_id"]]["subscriber_id"]
        for new in batch.new_periods
    }
    if readers := list(touched - batch.new_subscribers.keys()):
        await subscribers.update_figures(tx, account.id, readers, currency=account.currency)
