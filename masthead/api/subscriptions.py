"""Subscriptions, as the API shows and takes them."""

from masthead.api.context import Call, page_request
from masthead.model.errors import NotFound
from masthead.model.ids import account_of
from masthead.model.inputs import (
    Query,
    SubscriptionCancel,
    SubscriptionCreate,
    SubscriptionQuery,
    SubscriptionUpdate,
)
from masthead.model.orders.order import order_of
from masthead.model.resources import Subscription, SubscriptionState
from masthead.model.search import search_terms
from masthead.services import subscriptions as service
from masthead.store import subscriptions as store


async def list_subscriptions(call: Call[SubscriptionQuery, None]) -> bytes:
    """Subscriptions that the filters leave, newest first; a page as JSON."""
    page, terms = page_request(call), search_terms(call.query.search or "")
    if not terms:
        return await store.list_subscriptions(call.db, call.account_id, call.query, page)
    async with call.db.read(aside=True) as db:
        return await store.search_subscriptions(db, call.account_id, terms, call.query, page)


async def create_subscription(call: Call[Query, SubscriptionCreate]) -> Subscription:
    """Make a manual subscription. decision 0008: answered with 201."""
    return await service.create_subscription(
        call.db,
        call.account_id,
        call.body.source,
        order_of(call.body, call.terms),
        terms=call.terms,
        send_welcome_email=call.body.send_welcome_email or False,
        by=call.principal.actor,
    )


async def get_subscription(call: Call[Query, None]) -> bytes:
    """One subscription, as JSON. Raises: NotFound."""
    return await store.get_subscription(call.db, call.account_id, call.id)


async def update_subscription(call: Call[Query, SubscriptionUpdate]) -> Subscription:
    """Change names, address or notes."""
    return await service.update_subscription(
        call.db, call.account_id, call.id, call.body, by=call.principal.actor
    )


async def cancel_subscription(call: Call[Query, SubscriptionCancel]) -> Subscription:
    """Stop renewals, or end it."""
    return await service.cancel_subscription(
        call.db, call.account_id, call.id, call.body.mode, by=call.principal.actor
    )


async def get_subscription_status(call: Call[Query, None]) -> SubscriptionState:
    """The status, for anyone who holds the id, which tells the account. Raises: NotFound."""
    account_id = account_of(call.id)
    if account_id is None:
        raise NotFound("subscription", call.id)
    return await store.get_status(call.db, account_id, call.id)
