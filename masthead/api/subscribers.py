"""Subscribers, as the API shows them."""

from masthead.api.call import Call, page_request
from masthead.model.inputs import Query, SubscriberQuery
from masthead.model.paging import Page
from masthead.model.resources import Subscriber
from masthead.store import subscribers as store


async def list_subscribers(call: Call[SubscriberQuery, None]) -> Page[Subscriber]:
    """Subscribers that a search finds, newest first."""
    page = page_request(call)
    async with call.db.read() as db:
        return await store.list_subscribers(db, call.account_id, call.query.search, page)


async def get_subscriber(call: Call[Query, None]) -> Subscriber:
    """One subscriber. Raises: NotFound."""
    async with call.db.read() as db:
        return await store.get_subscriber(db, call.account_id, call.id)
