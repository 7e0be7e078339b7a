"""Place the orders of programs: one, or up to 500 that each get a result of their own.

A program is not asked who a subscriber is: an id or an email says so.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby

from msgspec import Struct, structs

from masthead.model.actors import Actor
from masthead.model.billing.terms import BillingTerms, terms_of
from masthead.model.errors import Erased, Invalid, NotFound
from masthead.model.orders.entered_orders import (
    describe_refusal,
    giver_of,
    orders_of_entry,
    require_one_copy,
    require_other_giver,
    with_product,
)
from masthead.model.orders.entry import OrderCreate, OrderError, OrderResult, PlacedOrder
from masthead.model.orders.known_subscribers import KnownSubscriber
from masthead.model.orders.order import Order, OrderDefaults
from masthead.model.orders.references import require_offered
from masthead.services.billing.issue import bill_or_wait, bill_orders
from masthead.services.billing.pricing import price_order
from masthead.services.emails.messages import write_order_email
from masthead.services.orders.place import place_all, place_orders
from masthead.services.orders.subscribers import list_subscribers
from masthead.services.transactions import in_long_transaction, with_locked_account
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.privacy import erasures
from masthead.store.products import AccountProduct, list_products
from masthead.store.read_model.subscription_query import find_subscriptions
from masthead.store.subscribers import records as subscribers

Refusal = Invalid | NotFound | Erased


class _Named(Struct, frozen=True):
    """The records that orders name, by the ids in the orders. erased: ids of subscribers."""

    subscribers: Mapping[str, KnownSubscriber]
    erased: frozenset[str]
    products: Mapping[str, AccountProduct]


@with_locked_account
async def create_order(
    tx: Transaction, account: Account, body: OrderCreate, *, defaults: OrderDefaults, by: Actor
) -> PlacedOrder:
    """Place an order: a subscription for each copy of an issue.

    Raises: Erased; Invalid (`invalid_source`, `unknown_start_issue`, `duplicate_order_id`).
    """
    terms = terms_of(body)
    named = await _find_named(tx, account.id, [body])
    priced = await price_order(tx, account, body, terms) if terms else body
    orders = _orders_of(priced, named, defaults)
    ids = await place_all(tx, account, body.source, orders, defaults=defaults, by=by)
    await _write_emails(tx, account, {ids[0]: (body, orders[0])}, defaults)
    issued = await bill_orders(tx, account, terms, ids, may_wait=True, by=by) if terms else []
    found = await find_subscriptions(tx, account.id, ids)
    return PlacedOrder(body.order_id, [found[id] for id in ids], issued)


@in_long_transaction
async def create_orders(
    tx: Transaction,
    account_id: int,
    bodies: Sequence[OrderCreate],
    *,
    defaults: OrderDefaults,
    by: Actor,
) -> list[OrderResult]:
    """Place orders in one transaction, one after the other; returns the result of each.

    A refused order changes nothing. One that is billed waits if its invoice cannot be issued yet.
    Queries: about 25, for any number of orders of one source.
    """
    account = await accounts.lock_account(tx, account_id)
    named = await _find_named(tx, account_id, bodies)
    outcomes: dict[int, str | Refusal] = {}
    orders: dict[int, Order] = {}
    billed: dict[int, BillingTerms] = {}
    for index, body in enumerate(bodies):
        try:
            require_one_copy(body)
            if terms := terms_of(body):
                billed[index] = terms
                body = await price_order(tx, account, body, terms)
            [orders[index]] = _orders_of(body, named, defaults)
        except (Invalid, NotFound, Erased) as refusal:
            outcomes[index] = refusal
    for source, group in groupby(orders, lambda index: bodies[index].source):
        indexes = list(group)
        batch = [orders[index] for index in indexes]
        try:
            placed = await place_orders(tx, account, source, batch, defaults=defaults, by=by)
        except Invalid as refusal:  # the source is not open: nothing was written
            placed = [refusal] * len(batch)
        outcomes |= zip(indexes, placed, strict=True)
    made = {id: index for index, id in outcomes.items() if isinstance(id, str)}
    waiting = dict[int, OrderError]()
    for id, index in made.items():
        if index in billed and (why := await bill_or_wait(tx, account, billed[index], id, by=by)):
            waiting[index] = describe_refusal(why)
    welcomed = {id: (bodies[index], orders[index]) for id, index in made.items()}
    await _write_emails(tx, account, welcomed, defaults)
    return [
        OrderResult(body.order_id, outcome, None, waiting.get(index))
        if isinstance(outcome := outcomes[index], str)
        else OrderResult(body.order_id, None, describe_refusal(outcome), None)
        for index, body in enumerate(bodies)
    ]


async def _find_named(db: Connection, account_id: int, bodies: Sequence[OrderCreate]) -> _Named:
    """The subscribers and products that orders name. Queries: four at most."""
    ids = {id for body in bodies for id in (body.subscriber_id, body.gifter_id) if id}
    kept = await subscribers.find_kept(db, account_id, ids) if ids else {}
    known = {each.id: each for each in await list_subscribers(db, account_id, kept.values())}
    return _Named(
        subscribers={id: known[other] for id, other in kept.items() if other in known},
        erased=frozenset(await erasures.list_erased(db, account_id, ids)) if ids else frozenset(),
        products={each.id: each for each in await list_products(db, account_id)}
        if any(body.product for body in bodies)
        else {},
    )


def _orders_of(body: OrderCreate, named: _Named, defaults: OrderDefaults) -> list[Order]:
    """The orders of a body, one for each copy of an issue. Raises: Invalid, Erased."""
    for id in (body.subscriber_id, body.gifter_id):
        if id in named.erased:
            raise Erased(str(id))
    giver = giver_of(body, named.subscribers.get(body.gifter_id or ""))
    terms = None
    if body.product is not None:
        require_offered(body.product, named.products)
        product = named.products[body.product]
        terms = product.type, product.length, product.interval_months
    orders = orders_of_entry(with_product(body, terms), defaults, giver=giver)
    if giver is not None:
        owner = named.subscribers.get(body.subscriber_id or "")
        require_other_giver(
            giver, id=body.subscriber_id, email=owner.email if owner else body.email
        )
    return [structs.replace(order, product_id=body.product) for order in orders]


async def _write_emails(
    tx: Transaction,
    account: Account,
    placed: Mapping[str, tuple[OrderCreate, Order]],
    defaults: OrderDefaults,
) -> None:
    """Add the welcome emails to the outbox, to those with an email address. placed: by id."""
    wanted = {id: order for id, (body, order) in placed.items() if body.send_welcome_email}
    if not wanted:
        return
    found = await find_subscriptions(tx, account.id, list(wanted))
    own = [found[id].subscriber.id for id in wanted]
    real = {each.id for each in await list_subscribers(tx, account.id, own) if each.email}
    for id, order in wanted.items():
        if found[id].subscriber.id in real:
            await write_order_email(tx, account, found[id], order.giver, defaults)
