"""Handlers of `/v1/subscribers/`."""

from masthead.api.context import RequestContext, page_request
from masthead.model.inputs import Query
from masthead.model.pagination import Page
from masthead.model.queries import SubscriberLookup
from masthead.model.resources import Subscriber
from masthead.model.search import search_terms
from masthead.store import subscribers as store


async def list_subscribers(context: RequestContext[SubscriberLookup, None]) -> Page[Subscriber]:
    """Subscribers that match the search, newest first."""
    page, terms = page_request(context), search_terms(context.query.search or "")
    email = context.query.email
    if not terms:
        return await store.list_subscribers(
            context.db.replica, context.account_id, page, email=email
        )
    async with context.db.replica.read(aside=True) as db:
        return await store.search_subscribers(db, context.account_id, terms, page, email=email)


async def get_subscriber(context: RequestContext[Query, None]) -> Subscriber:
    """One subscriber. Raises: NotFound."""
    return await store.get_subscriber(context.db, context.account_id, context.id)
