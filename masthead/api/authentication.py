"""Who asks: the bearer key, what it may do, and the two empty replies; also `GET /v1/me/`."""

import time
from collections.abc import Callable
from enum import StrEnum
from typing import Any

from masthead.api.context import RequestContext
from masthead.api.http.asgi import Reply, RequestCycle
from masthead.api.http.rate_limit import RateLimit
from masthead.model.actors import Principal
from masthead.model.clock import now
from masthead.model.errors import ReadOnlyKey
from masthead.model.ids import account_of_key, key_prefix
from masthead.model.resources import AccountRef, Me
from masthead.model.types.text import MAX_TEXT
from masthead.services.key_usage import KeyUsage
from masthead.store.engine.interface import Database
from masthead.store.keys import find_principal

KNOWN_SECONDS = 1.0  # for which a key need not be looked up again; revoking it takes as long
KNOWN_KEYS = 10_000  # that a worker keeps in mind, at most


class Access(StrEnum):
    """Who may call a route: anyone, any key, or a read-write key."""

    PUBLIC = "public"
    READ = "read"
    WRITE = "write"


class Refused(Exception):
    """The request ends with this reply, whose body is empty."""

    def __init__(self, reply: Reply) -> None:
        super().__init__()
        self.reply = reply


class BadKey(Refused):
    """The request has no valid key. reason: why, for the log.

    prefix: the part of the key that may be shown, if it has a valid form.
    """

    def __init__(self, reason: str, prefix: str = "") -> None:
        super().__init__(Reply(b"", 401, ((b"www-authenticate", b"Bearer"),)))
        self.reason, self.prefix = reason, prefix


class Authenticator:
    """Lets keys in. It knows those of the last second and asks the database for the others."""

    def __init__(
        self,
        db: Database,
        usage: KeyUsage,
        rate_limit: RateLimit,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._db, self._usage, self._rate_limit, self._clock = db, usage, rate_limit, clock
        self._known: dict[bytes, tuple[Principal, float]] = {}

    async def admit(self, cycle: RequestCycle, access: Access) -> Principal:
        """Whom the request's key stands for.

        Raises: BadKey with 401 for a missing or unknown key; Refused with 403 for an inactive
        account; ReadOnlyKey; RateLimited. Queries: one; none for a key checked in the last second.
        """
        principal = await self._principal(cycle)
        if not principal.is_active:
            raise Refused(Reply(b"", 403))
        if access is Access.WRITE and not principal.may_write:
            raise ReadOnlyKey
        self._usage.note(principal)
        self._rate_limit.count(principal.key_id)
        return principal

    async def _principal(self, cycle: RequestCycle) -> Principal:
        given = [value for name, value in cycle.lines if name == b"authorization"]
        if len(given) != 1:
            raise BadKey("several keys" if given else "no key")
        if len(given[0]) > MAX_TEXT:
            raise BadKey("key too long")
        asked_at = self._clock()
        known, until = self._known.get(given[0], (None, 0.0))
        if known is not None and asked_at < until:
            return known
        principal = await self._look_up(given[0])
        if len(self._known) >= KNOWN_KEYS:
            self._known.clear()
        self._known[given[0]] = principal, asked_at + _seconds_left(principal)
        return principal

    async def _look_up(self, authorization: bytes) -> Principal:
        scheme, _, key = authorization.decode("latin-1").partition(" ")
        key = key.strip(" ")
        account_id = account_of_key(key)
        if scheme.lower() != "bearer" or account_id is None:
            raise BadKey("not a key")
        principal = await find_principal(self._db, account_id, key)
        if principal is None:
            raise BadKey("unknown, revoked or expired", key_prefix(key))
        return principal


def _seconds_left(principal: Principal) -> float:
    """For how long a key that was just looked up may be taken for granted."""
    if principal.expires_at is None:
        return KNOWN_SECONDS
    return min(KNOWN_SECONDS, (principal.expires_at - now()).total_seconds())


async def get_me(context: RequestContext[Any, Any]) -> Me:
    """Who the key stands for. Queries: none, the key has been looked up."""
    who = context.principal
    account = AccountRef(name=who.account_name, subdomain=who.subdomain)
    return Me(email=who.email, account=account, scope=who.scope)
