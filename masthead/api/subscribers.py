"""The endpoints of `/v1/subscribers/`."""

from masthead.api.context import RequestContext, page_request
from masthead.api.endpoints import Endpoints
from masthead.model.identity.rights import Right
from masthead.model.inputs import Query
from masthead.model.pagination import Page
from masthead.model.queries import SubscriberLookup
from masthead.model.resources import Subscriber
from masthead.model.search import search_terms
from masthead.model.subscribers.corrections import SubscriberUpdate
from masthead.services.subscribers import update as service
from masthead.store.subscribers import records as store


async def list_subscribers(context: RequestContext[SubscriberLookup, None]) -> bytes:
    """Subscribers that match the filters, newest first; a page as JSON."""
    page, search = page_request(context), context.query.search
    terms = search_terms(search) if search else []
    account_id, query = context.account_id, context.query
    if not terms and query.updated_since is None:
        found = await store.list_subscribers_json(context.db.replica, account_id, page, query)
        return found.page(page)
    async with context.db.replica.read(aside=True) as db:
        if terms:
            found = await store.search_subscribers_json(db, account_id, terms, page, query)
        else:
            found = await store.list_subscribers_json(db, account_id, page, query)
    return found.page(page)


async def get_subscriber(context: RequestContext[Query, None]) -> Subscriber:
    """One subscriber. Raises: NotFound."""
    return await store.get_subscriber(context.db, context.account_id, context.id)


async def update_subscriber(context: RequestContext[Query, SubscriberUpdate]) -> Subscriber:
    """Change names, company or email address. Raises: NotFound, Invalid `email_taken`."""
    return await service.update_subscriber(
        context.db,
        context.account_id,
        context.id,
        context.body,
        placeholder_domain=context.placeholder_domain,
        by=context.principal.actor,
    )


_SUBSCRIBERS = Endpoints("/v1/subscribers/", rights=(Right.SEE_MONEY,))

SUBSCRIBER_ROUTES = (
    _SUBSCRIBERS.get("", list_subscribers, Right.DOWNLOAD, response=Page[Subscriber]),
    _SUBSCRIBERS.get("{id}/", get_subscriber, Right.DOWNLOAD),
    _SUBSCRIBERS.patch("{id}/", update_subscriber, Right.CORRECT),
)
