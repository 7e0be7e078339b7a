"""The endpoints of `/v1/sources/`."""

from masthead.api.context import RequestContext, page_request
from masthead.api.endpoints import Endpoints
from masthead.model.inputs import ListQuery
from masthead.model.pagination import Page
from masthead.model.resources import Source
from masthead.store import sources as store


async def list_sources(context: RequestContext[ListQuery, None]) -> Page[Source]:
    """Sources, newest first. decision 0008: a list like the others."""
    return await store.list_sources(context.db, context.account_id, page_request(context))


SOURCE_ROUTES = (Endpoints("/v1/sources/", rights=()).get("", list_sources),)
