"""Subscribers, as the API shows them."""

from masthead.api.context import Call, page_request
from masthead.model.inputs import Query, SubscriberQuery
from masthead.model.pagination import Page
from masthead.model.resources import Subscriber
from masthead.model.search import search_terms
from masthead.store import subscribers as store


async def list_subscribers(call: Call[SubscriberQuery, None]) -> Page[Subscriber]:
    """Subscribers that a search finds, newest first."""
    page, terms = page_request(call), search_terms(call.query.search or "")
    if not terms:
        return await store.list_subscribers(call.db, call.account_id, page)
    async with call.db.read(aside=True) as db:
        return await store.search_subscribers(db, call.account_id, terms, page)


async def get_subscriber(call: Call[Query, None]) -> Subscriber:
    """One subscriber. Raises: NotFound."""
    return await store.get_subscriber(call.db, call.account_id, call.id)
