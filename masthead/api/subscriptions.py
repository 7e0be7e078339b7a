"""The endpoints of `/v1/subscriptions/`."""

from masthead.api.context import RequestContext, page_request
from masthead.api.endpoints import Endpoints
from masthead.model.errors import NotFound
from masthead.model.identity.rights import Right
from masthead.model.ids import account_of
from masthead.model.inputs import Query, SubscriptionCancel, SubscriptionCreate, SubscriptionUpdate
from masthead.model.orders.order import order_of
from masthead.model.pagination import Page
from masthead.model.queries import SubscriptionLookup
from masthead.model.resources import Subscription, SubscriptionState
from masthead.model.search import search_terms
from masthead.model.subscriptions.renewals import RenewalCreate
from masthead.services.subscriptions import cancel, create, renew, update
from masthead.store.subscriptions import records as store


async def list_subscriptions(context: RequestContext[SubscriptionLookup, None]) -> bytes:
    """Subscriptions that match the filters, newest first; a page as JSON."""
    page, search = page_request(context), context.query.search
    terms = search_terms(search) if search else []
    if not terms:
        return await store.list_subscriptions(
            context.db.replica, context.account_id, context.query, page
        )
    async with context.db.replica.read(aside=True) as db:
        return await store.search_subscriptions(db, context.account_id, terms, context.query, page)


async def create_subscription(context: RequestContext[Query, SubscriptionCreate]) -> Subscription:
    """Create a manual subscription."""
    return await create.create_subscription(
        context.db,
        context.account_id,
        context.body.source,
        order_of(context.body, context.defaults),
        defaults=context.defaults,
        send_welcome_email=context.body.send_welcome_email or False,
        by=context.principal.actor,
    )


async def get_subscription(context: RequestContext[Query, None]) -> bytes:
    """One subscription, as JSON. Raises: NotFound."""
    return await store.get_subscription(context.db, context.account_id, context.id)


async def update_subscription(context: RequestContext[Query, SubscriptionUpdate]) -> Subscription:
    """Update names, address or notes. Raises: NotFound."""
    return await update.update_subscription(
        context.db, context.account_id, context.id, context.body, by=context.principal.actor
    )


async def renew_subscription(context: RequestContext[Query, RenewalCreate]) -> Subscription:
    """Add a period to a subscription. Raises: MissingRight, NotFound, Invalid."""
    return await renew.renew_subscription(
        context.db,
        context.account_id,
        context.id,
        context.body,
        defaults=context.defaults,
        by=context.principal.actor,
    )


async def cancel_subscription(context: RequestContext[Query, SubscriptionCancel]) -> Subscription:
    """Stop the renewals or cancel at once. Raises: NotFound, Invalid `not_recurring`."""
    return await cancel.cancel_subscription(
        context.db, context.account_id, context.id, context.body.mode, by=context.principal.actor
    )


async def get_subscription_status(context: RequestContext[Query, None]) -> SubscriptionState:
    """The status. No key is needed: the id contains the account. Raises: NotFound."""
    account_id = account_of(context.id)
    if account_id is None:
        raise NotFound("subscription", context.id)
    return await store.get_status(context.db, account_id, context.id)


_SUBSCRIPTIONS = Endpoints("/v1/subscriptions/", rights=(Right.SEE_MONEY,))
_PUBLIC = Endpoints("/v1/subscriptions/", rights=None)

SUBSCRIPTION_ROUTES = (
    _SUBSCRIPTIONS.get("", list_subscriptions, Right.DOWNLOAD, response=Page[Subscription]),
    _SUBSCRIPTIONS.post("", create_subscription, Right.TAKE_ORDERS, status=201),
    _SUBSCRIPTIONS.get("{id}/", get_subscription, Right.DOWNLOAD, response=Subscription),
    _SUBSCRIPTIONS.patch("{id}/", update_subscription, Right.CORRECT),
    _SUBSCRIPTIONS.post("{id}/cancel/", cancel_subscription, Right.TAKE_ORDERS, Right.CORRECT),
    _SUBSCRIPTIONS.post(
        "{id}/renewals/", renew_subscription, Right.TAKE_ORDERS, Right.CORRECT, status=201
    ),
    _PUBLIC.get("{id}/status/", get_subscription_status, allows_any_origin=True),
)
