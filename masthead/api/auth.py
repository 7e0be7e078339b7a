"""Who asks: the bearer key, what it may do, and the two empty replies; also `GET /v1/me/`."""

from enum import StrEnum
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from masthead.api.call import Call
from masthead.model.actors import Principal
from masthead.model.errors import ReadOnlyKey
from masthead.model.ids import account_of_key
from masthead.model.resources import AccountRef, Me
from masthead.store.connection import Database
from masthead.store.keys import find_principal


class Access(StrEnum):
    """Who may call a route: anyone, any key, or a read-write key."""

    PUBLIC = "public"
    READ = "read"
    WRITE = "write"


class Refused(Exception):
    """The request ends with this reply, whose body is empty."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


async def authenticate(request: Request, db: Database, access: Access) -> Principal:
    """Whom the request's key stands for.

    Raises: Refused with 401 for a missing or unknown key, with 403 for an inactive account;
    ReadOnlyKey. Queries: one, none for what cannot be a key.
    """
    principal = await _principal(request, db)
    if principal is None:
        raise Refused(Response(status_code=401, headers={"WWW-Authenticate": "Bearer"}))
    if not principal.is_active:
        raise Refused(Response(status_code=403))
    if access is Access.WRITE and not principal.may_write:
        raise ReadOnlyKey
    return principal


async def _principal(request: Request, db: Database) -> Principal | None:
    headers = request.headers.getlist("Authorization")
    scheme, _, key = (headers[0] if len(headers) == 1 else "").partition(" ")
    key = key.strip(" ")
    account_id = account_of_key(key)
    if scheme.lower() != "bearer" or account_id is None:
        return None
    async with db.read() as connection:
        return await find_principal(connection, account_id, key)


async def get_me(call: Call[Any, Any]) -> Me:
    """Who the key stands for. Queries: none, the key has been looked up."""
    who = call.principal
    account = AccountRef(name=who.account_name, subdomain=who.subdomain)
    return Me(email=who.email, account=account, scope=who.scope)
