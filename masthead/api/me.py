"""The endpoint `/v1/me/`: the API key of the request: its user, account and scope."""

from msgspec import UNSET

from masthead.api.context import RequestContext
from masthead.api.endpoints import Endpoints
from masthead.model.inputs import Query
from masthead.model.resources import AccountRef, Me


async def get_me(context: RequestContext[Query, None]) -> Me:
    """The authenticated principal. Queries: none, because authentication found it."""
    principal = context.principal
    account = AccountRef(name=principal.account_name, subdomain=principal.subdomain)
    day = principal.daily_date
    return Me(
        email=principal.email,
        account=account,
        scope=principal.scope,
        sandbox_day=UNSET if day is None else day,
    )


ME_ROUTES = (Endpoints("/v1/me/", rights=()).get("", get_me),)
