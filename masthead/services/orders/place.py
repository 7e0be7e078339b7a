"""Place orders, which create and renew subscriptions.

The API and the pages place one order at a time, and an import 1,000, by the same rules.
"""

from collections.abc import Sequence

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.clock import account_now
from masthead.model.errors import Invalid
from masthead.model.events.types import PublicEventType
from masthead.model.ids import new_ids
from masthead.model.orders.context import ExistingSubscription, OrderContext
from masthead.model.orders.decide import decide
from masthead.model.orders.order import Giver, Order, OrderDefaults
from masthead.model.orders.order_plan import OrderPlan
from masthead.model.orders.period_coverage import PeriodCoverage
from masthead.model.types.fields import MAX_NUMBER
from masthead.services.issues.released import find_released
from masthead.services.search_index import rewrite_search
from masthead.services.subscriptions.records import record_placed
from masthead.services.subscriptions.status_updates import end_subscriptions, update_statuses
from masthead.store import accounts, copies, products, sources
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.dispatch.grace_copies import adopt_grace
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.events.write import NewEvent, add_events
from masthead.store.issues import records as issues
from masthead.store.read_model import subscription_json
from masthead.store.search.text_index import get_newest
from masthead.store.subscribers import records as subscriber_store
from masthead.store.subscriptions import periods, records as subscriptions


async def place_orders(
    tx: Transaction,
    account: Account,
    source_id: str,
    orders: Sequence[Order],
    *,
    defaults: OrderDefaults,
    product_id: str | None = None,
    by: Actor,
) -> Sequence[str | Invalid]:
    """Create or renew a subscription for each order; returns its id, or the error for each order.

    account: locked in this transaction. source_id: of all these orders, and of new subscriptions.
    product_id: the product of new subscriptions; None for the product of imported subscriptions.
    Renewals keep the product of their subscription. A refused order changes nothing.
    Raises: Invalid for all orders: `invalid_source`, or a product that is not offered.
    """
    plan, _ = await place_with_plan(
        tx, account, source_id, orders, defaults=defaults, product_id=product_id, by=by
    )
    return plan.outcomes


async def place_all(
    tx: Transaction,
    account: Account,
    source_id: str,
    orders: Sequence[Order],
    *,
    defaults: OrderDefaults,
    product_id: str | None = None,
    by: Actor,
) -> list[str]:
    """The ids of `place_orders`. Raises: Invalid if an order is refused, with its error."""
    ids = []
    for placed in await place_orders(
        tx, account, source_id, orders, defaults=defaults, product_id=product_id, by=by
    ):
        if isinstance(placed, Invalid):
            raise placed
        ids.append(placed)
    return ids


async def place_with_plan(
    tx: Transaction,
    account: Account,
    source_id: str,
    orders: Sequence[Order],
    *,
    defaults: OrderDefaults,
    product_id: str | None,
    by: Actor,
    import_number: int | None = None,
) -> tuple[OrderPlan, int]:
    """Do what `place_orders` does; returns what was written, and the id before the first period.

    import_number: of the import that the orders come from, for the audit trail.
    """
    context = await look_up(tx, account, source_id, product_id, orders, defaults, import_number)
    plan = decide(context, orders)
    return plan, await write(tx, account, plan, by=by)


async def look_up(
    db: Connection,
    account: Account,
    source_id: str,
    product_id: str | None,
    orders: Sequence[Order],
    defaults: OrderDefaults,
    import_number: int | None = None,
) -> OrderContext:
    """The order context.

    Queries: eleven at most, one for each source that orders name, and two more if it matters which
    issues are out.
    """
    first_issue, last_issue = _issue_range(orders)
    source = await sources.find_source(db, account.id, source_id)
    others = {order.source_id for order in orders if order.source_id} - {source_id}
    found = [await sources.find_source(db, account.id, id) for id in sorted(others)]
    offered = set[str]()
    if product_id is not None or any(order.product_id for order in orders):
        listed = await products.list_products(db, account.id)
        offered = {product.id for product in listed if product.is_active}
    if product_id is None:
        product_id = await products.get_imported_product(db, account.id)
        offered.add(product_id)
    newest_id, last_number = await get_newest(db, account.id)
    named = {order.order_id for order in orders} | {o.renews for o in orders if o.renews}
    order_ids = await periods.find_orders(db, account.id, named)
    existing = {}
    if renewed := {order_ids[order.renews] for order in orders if order.renews in order_ids}:
        rows = await periods.list_periods(db, account.id, renewed)
        granted = await periods.list_issue_numbers(db, account.id, renewed)
        columns = await subscriptions.find_rows(db, account.id, renewed)
        existing = {
            id: ExistingSubscription(
                columns=structs.asdict(columns[id]),
                coverage=PeriodCoverage(**{name: getattr(of[-1], name) for name in _COVERAGE}),
                first_day=of[0].period_start,
                periods_complete=[row.is_complete for row in of],
                issues={number for row in of for number in granted.get(row.id, ())},
            )
            for id, of in rows.items()
        }
    givers = [order.giver for order in orders if order.giver]
    people: list[Order | Giver] = [*orders, *givers]
    keys = {key for each in people if (key := each.email_key)}
    ids = {each.subscriber_id for each in people if each.subscriber_id}
    known = await subscriber_store.find_by_email(db, account.id, keys) if keys else {}
    covered = await issues.find_issues(db, account.id, first_issue, last_issue)
    return OrderContext(
        moment=account_now(),
        day=account.daily_date,
        currency=account.currency,
        placeholder_domain=defaults.placeholder_domain,
        source_id=source_id,
        source=source,
        product_id=product_id,
        offered_products=offered,
        issues=covered,
        out=await find_released(db, account.id, covered, day=account.daily_date)
        if any(order.sent_through is not None for order in orders)
        else (),
        order_ids=order_ids,
        subscriber_ids=known,
        known_subscribers=await subscriber_store.find_kept(db, account.id, ids) if ids else {},
        subscriptions=existing,
        new_subscriber_ids=new_ids(account.id, len(orders) + len(givers), after=newest_id),
        new_subscription_ids=new_ids(account.id, len(orders), after=newest_id),
        last_number=last_number,
        other_sources={each.id: each for each in (source, *found) if each},
        import_number=import_number,
    )


_COVERAGE = PeriodCoverage.__struct_fields__


def _issue_range(orders: Sequence[Order]) -> tuple[int, int]:
    """The lowest and the highest issue number that the orders may include."""
    numbers = [1]
    for order in orders:
        if order.start_issue is None or order.length is None:  # a membership or a renewal
            return 1, MAX_NUMBER
        numbers += [order.start_issue, order.start_issue + order.length, *order.sent]
        numbers += [order.sent_through] if order.sent_through else []
    return min(numbers[1:], default=1), max(numbers)


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
    await subscriber_store.insert_subscribers(
        tx, account.id, plan.subscribers, moment=account.changed_at
    )
    await subscriptions.insert_subscriptions(tx, account.id, plan.subscriptions)
    await periods.insert_periods(tx, account.id, new_periods)
    await copies.insert_copies(tx, account.id, new_copies)
    adopted = await adopt_grace(tx, account.id, [row["id"] for row in plan.renewals])
    await subscriptions.update_renewed(tx, account.id, plan.renewals)
    await subscription_json.mark_new(
        tx,
        account.id,
        [row["id"] for row in plan.subscriptions],
        revision=account.writes,
        moment=account.changed_at,
    )
    await subscription_json.mark_outdated(tx, account.id, [row["id"] for row in plan.renewals])
    created = [NewEvent(PublicEventType.SUBSCRIBER_CREATED, row["id"]) for row in plan.subscribers]
    await add_events(tx, account.id, by, created)
    await trail.record(tx, account.id, by, plan.audit_entries)
    await record_placed(tx, account, plan, new_periods, by=by)
    await rewrite_search(tx, account.id, plan.existing_subscribers, new=plan.search_rows)
    if plan.cancelled:
        await end_subscriptions(tx, account, plan.cancelled)
        await update_statuses(
            tx, account, plan.cancelled, by=by
        )  # older periods may now be complete
    if adopted:  # the issues that they pay for may all be sent
        await update_statuses(tx, account, adopted, by=by)
    if subscribers := plan.existing_subscribers:
        await subscriber_store.update_stats(tx, account.id, subscribers, currency=account.currency)
    return last_ids[0]
