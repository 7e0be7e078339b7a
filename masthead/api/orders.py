"""The endpoints of `/v1/orders/`, and of what changes an order later."""

from masthead.api.context import RequestContext
from masthead.api.endpoints import Endpoints
from masthead.model.identity.rights import Right
from masthead.model.inputs import NoFields, Query
from masthead.model.orders.entry import OrderCreate, OrderResults, OrdersCreate, PlacedOrder
from masthead.model.resources import Subscription
from masthead.model.subscriptions.billed_changes import PriceChange, SubscriptionMove
from masthead.model.subscriptions.refunds import RefundCreate, RefundList
from masthead.model.subscriptions.terms import TermsUpdate
from masthead.services.orders import create
from masthead.services.subscriptions import move, price, refunds, reopen, terms
from masthead.store.accounts import get_account


async def create_order(context: RequestContext[Query, OrderCreate]) -> PlacedOrder:
    """Place an order. Raises: MissingRight, Erased, Invalid."""
    return await create.create_order(
        context.db,
        context.account_id,
        context.body,
        defaults=context.defaults,
        by=context.principal.actor,
    )


async def create_orders(context: RequestContext[Query, OrdersCreate]) -> OrderResults:
    """Place up to 500 orders, each with a result of its own. Raises: MissingRight."""
    results = await create.create_orders(
        context.db,
        context.account_id,
        context.body.orders,
        defaults=context.defaults,
        by=context.principal.actor,
    )
    return OrderResults(error=False, items=results)


async def update_terms(context: RequestContext[Query, TermsUpdate]) -> Subscription:
    """Correct the medium, the start issue or the length. Raises: NotFound, Invalid."""
    return await terms.update_terms(
        context.db, context.account_id, context.id, context.body, by=context.principal.actor
    )


async def reopen_subscription(context: RequestContext[Query, NoFields]) -> Subscription:
    """Undo a cancellation.

    Raises: NotFound, Erased, Invalid (`not_cancelled`, `invoice_credited`).
    """
    return await reopen.reopen_subscription(
        context.db, context.account_id, context.id, by=context.principal.actor
    )


async def move_subscription(context: RequestContext[Query, SubscriptionMove]) -> Subscription:
    """Give it to another subscriber. Raises: MissingRight, NotFound, Erased, Invalid."""
    return await move.give_subscription(
        context.db, context.account_id, context.id, context.body, by=context.principal.actor
    )


async def change_price(context: RequestContext[Query, PriceChange]) -> Subscription:
    """Change what an order costs. Raises: MissingRight, NotFound, Erased, Invalid."""
    return await price.change_order_price(
        context.db, context.account_id, context.id, context.body, by=context.principal.actor
    )


async def list_refunds(context: RequestContext[Query, None]) -> RefundList:
    """The refunds of a subscription. Raises: NotFound."""
    async with context.db.read() as db:
        account = await get_account(db, context.account_id)
        items = await refunds.list_refunds(
            db, context.account_id, context.id, day=account.daily_date
        )
    return RefundList(items)


async def create_refund(context: RequestContext[Query, RefundCreate]) -> RefundList:
    """Record a refund. Raises: NotFound, Invalid `unknown_order`, `refund_too_high`."""
    items = await refunds.create_refund(
        context.db, context.account_id, context.id, context.body, by=context.principal.actor
    )
    return RefundList(items)


_ORDERS = Endpoints("/v1/orders/", rights=(Right.SEE_MONEY,))
_SUBSCRIPTIONS = Endpoints("/v1/subscriptions/", rights=(Right.SEE_MONEY,))

ORDER_ROUTES = (
    _ORDERS.post("", create_order, Right.TAKE_ORDERS, status=201),
    _ORDERS.post("bulk/", create_orders, Right.TAKE_ORDERS, is_long=True),
    _SUBSCRIPTIONS.post("{id}/terms/", update_terms, Right.CORRECT),
    _SUBSCRIPTIONS.post("{id}/reopen/", reopen_subscription, Right.TAKE_ORDERS, Right.CORRECT),
    _SUBSCRIPTIONS.post("{id}/move/", move_subscription, Right.CORRECT),
    _SUBSCRIPTIONS.post("{id}/price/", change_price, Right.CORRECT),
    _SUBSCRIPTIONS.get("{id}/refunds/", list_refunds, Right.DOWNLOAD, is_composed=True),
    _SUBSCRIPTIONS.post("{id}/refunds/", create_refund, Right.CORRECT, status=201),
)
