"""Authentication by API key, and the access level that a route requires."""

import time
from collections.abc import Callable
from enum import StrEnum

from masthead.api.http.rate_limit import RateLimiter
from masthead.api.http.request import HttpRequest
from masthead.api.http.response import PLAIN_TEXT, JsonResponse
from masthead.model.clock import now, use_sandbox_day
from masthead.model.errors import ReadOnlyKey
from masthead.model.identity.api_keys import Principal
from masthead.model.identity.rights import MissingRight, Rights, in_order
from masthead.model.ids import account_of_key, key_prefix
from masthead.model.types.text import MAX_TEXT
from masthead.services.key_usage import KeyUsage
from masthead.store.engine.interface import Database
from masthead.store.keys import find_principal

CACHE_SECONDS = 1.0  # how long a key is cached, and so how long it works after it is revoked
MAX_CACHED_KEYS = 10_000  # in each worker
NO_RIGHTS: Rights = frozenset()


class Access(StrEnum):
    """Who may call a route: anyone, any API key, or a read-write API key."""

    PUBLIC = "public"
    READ = "read"
    WRITE = "write"


class AccessDenied(Exception):
    """Ends the request with this response, which has no body."""

    def __init__(self, response: JsonResponse) -> None:
        super().__init__()
        self.response = response


# Parameters of `WWW-Authenticate` by RFC 6750, section 3. A request without a key gets none
NOT_BEARER = (
    'error="invalid_request", error_description="Send the key as: Authorization: Bearer mh_..."'
)
SEVERAL_KEYS = (
    'error="invalid_request", '
    'error_description="There are several Authorization headers; send exactly one"'
)
MALFORMED_KEY = (
    'error="invalid_token", error_description="This is not an API key of this service: a key '
    'begins with mh_, and its last characters are a checksum. Check that it is complete"'
)
INACTIVE_KEY = (
    'error="invalid_token", error_description="The API key is unknown, revoked or expired. '
    'An owner of the account can create one in the settings, under API keys"'
)


class InvalidKey(AccessDenied):
    """The request has no valid API key. reason: for the log.

    challenge: the parameters of the header `WWW-Authenticate`, which say what is wrong.
    prefix: the part of the key that can be logged, if the key has a valid form.
    """

    def __init__(self, reason: str, challenge: str = "", prefix: str = "") -> None:
        header = f"Bearer {challenge}".rstrip().encode()
        super().__init__(JsonResponse(b"", 401, ((b"www-authenticate", header), PLAIN_TEXT)))
        self.reason, self.prefix = reason, prefix


class Authenticator:
    """Finds the principal of an API key in the database. Caches it for one second."""

    def __init__(
        self,
        db: Database,
        usage: KeyUsage,
        rate_limiter: RateLimiter,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._db, self._usage, self._rate_limiter, self._clock = db, usage, rate_limiter, clock
        # With what each may do, and the expiry time
        self._cache: dict[bytes, tuple[Principal, Rights, float]] = {}

    async def authenticate(
        self, request: HttpRequest, needed: Rights, *, is_write: bool
    ) -> Principal:
        """The authenticated principal, who may call a route that needs these rights.

        Raises: InvalidKey with 401 for a missing or unknown key; AccessDenied with 403 for an
        inactive account; ReadOnlyKey; MissingRight; RateLimited.
        Queries: one; none if the key is in the cache.
        """
        started = self._clock()
        authorization = _authorization(request)
        principal, rights, until = self._cache.get(authorization, (None, NO_RIGHTS, 0.0))
        if principal is None or started >= until:
            principal = await self._look_up(authorization)
            rights = principal.rights
            if len(self._cache) >= MAX_CACHED_KEYS:
                self._cache.clear()
            self._cache[authorization] = principal, rights, started + _cache_seconds(principal)
        if not principal.is_active:
            raise AccessDenied(JsonResponse(b"", 403, (PLAIN_TEXT,)))
        if is_write and not principal.may_write:
            raise ReadOnlyKey
        if not needed <= rights:
            raise MissingRight(in_order(needed - rights))
        self._usage.note(principal)
        use_sandbox_day(principal.daily_date)  # before the dates of the body are checked
        if self._rate_limiter.has_limits:
            admission = self._rate_limiter.count(principal.key_id, principal.account_id)
            request.rate_limits = admission.headers
            if admission.refusal is not None:
                raise admission.refusal
        return principal

    async def _look_up(self, authorization: bytes) -> Principal:
        scheme, _, key = authorization.decode("latin-1").partition(" ")
        key = key.strip(" ")
        account_id = account_of_key(key)
        if scheme.lower() != "bearer":
            raise InvalidKey("not a key", NOT_BEARER)
        if account_id is None:
            raise InvalidKey("not a key", MALFORMED_KEY)
        principal = await find_principal(self._db, account_id, key)
        if principal is None:
            raise InvalidKey("unknown, revoked or expired", INACTIVE_KEY, key_prefix(key))
        return principal


def _authorization(request: HttpRequest) -> bytes:
    """The header with the key. Raises: InvalidKey if there is none, several, or a long one."""
    authorization: bytes | None = request.headers.get(b"authorization")
    if authorization is None:
        raise InvalidKey("no key")
    if request.has_repeated_names and len(request.header_values(b"authorization")) > 1:
        raise InvalidKey("several keys", SEVERAL_KEYS)
    if len(authorization) > MAX_TEXT:
        raise InvalidKey("key too long", MALFORMED_KEY)
    return authorization


def _cache_seconds(principal: Principal) -> float:
    """How many seconds to cache a principal: never longer than its key is valid."""
    if principal.daily_date is not None:  # the next request of a sandbox may be on another day
        return 0.0
    if principal.expires_at is None:
        return CACHE_SECONDS
    return min(CACHE_SECONDS, (principal.expires_at - now()).total_seconds())
