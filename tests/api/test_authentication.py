"""The cache of API keys: no query within a second, and revoked keys are refused in time."""

from datetime import timedelta
from typing import Any, cast

import pytest

from masthead.api import authentication
from masthead.api.authentication import AccessDenied, Authenticator
from masthead.api.http.rate_limit import RateLimiter
from masthead.api.http.request import HttpRequest
from masthead.model.clock import now
from masthead.model.types.enums import Scope
from masthead.services import accounts, keys
from masthead.services.key_usage import KeyUsage
from masthead.serving.requests import ActiveRequests
from masthead.store.engine.interface import Connection, Database, Parameters, Row
from tests.conftest import BY, Cast


class Counting:
    """A database that counts its queries."""

    def __init__(self, db: Connection) -> None:
        self.db, self.queries = db, 0

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        self.queries += 1
        return await self.db.fetch_all(sql, parameters)

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        self.queries += 1
        return await self.db.fetch_one(sql, parameters)


class Authentication:
    """An authenticator and the clock that the test sets."""

    def __init__(self, db: Database) -> None:
        self.reader, self.moment = Counting(db), 100.0
        self.authenticator = Authenticator(
            cast(Database, self.reader), KeyUsage(), RateLimiter(0), clock=lambda: self.moment
        )

    async def status(self, key: str, scheme: str = "Bearer") -> int:
        """The status of a read request with the key."""
        try:
            await self.authenticator.authenticate(
                request_with(key, scheme), frozenset(), is_write=False
            )
        except AccessDenied as denied:
            return denied.response.status
        return 200


def request_with(key: str, scheme: str) -> HttpRequest:
    """A request with a key and its scheme."""
    scope = {
        "method": "GET",
        "scheme": "http",
        "http_version": "1.1",
        "path": "/v1/me/",
        "query_string": b"",
        "headers": [(b"authorization", f"{scheme} {key}".encode())],
    }

    async def nothing(*_: Any) -> Any:
        raise AssertionError("authentication reads headers only")

    return HttpRequest(scope, nothing, nothing, ActiveRequests(1))


@pytest.fixture
def worker(db: Database) -> Authentication:
    """The authentication of a worker that has just started."""
    return Authentication(db)


async def test_a_key_used_within_the_last_second_needs_no_query(
    worker: Authentication, acme: Cast
) -> None:
    assert await worker.status(acme.key) == 200
    assert worker.reader.queries == 1
    for _ in range(9):
        worker.moment += 0.11
        assert await worker.status(acme.key) == 200
    assert worker.reader.queries == 1
    worker.moment += 0.011
    assert await worker.status(acme.key) == 200
    assert worker.reader.queries == 2


async def test_a_revoked_key_is_refused_a_second_later(worker: Authentication, acme: Cast) -> None:
    assert await worker.status(acme.key) == 200
    await keys.revoke_key(acme.db, acme.account_id, acme.key_id, by=BY)
    worker.moment += 1.0
    assert await worker.status(acme.key) == 401
    assert await worker.status(acme.read_only_key) == 200


async def test_an_inactive_account_is_refused_a_second_later(
    worker: Authentication, acme: Cast
) -> None:
    assert await worker.status(acme.key) == 200
    await accounts.set_account_active(acme.db, acme.account_id, is_active=False, by=BY)
    worker.moment += 1.0
    assert await worker.status(acme.key) == 403
    await accounts.set_account_active(acme.db, acme.account_id, is_active=True, by=BY)
    worker.moment += 1.0
    assert await worker.status(acme.key) == 200


async def test_a_cached_key_is_not_used_after_it_expires(
    worker: Authentication, acme: Cast
) -> None:
    _, key = await keys.create_key(
        acme.db,
        acme.account_id,
        user=acme.owner,
        scope=Scope.READ_ONLY,
        expires_at=now() + timedelta(seconds=0.5),
        by=BY,
    )
    assert await worker.status(key) == 200
    worker.moment += 0.5
    await worker.status(key)
    assert worker.reader.queries == 2


async def test_an_unknown_key_is_looked_up_each_time(worker: Authentication, acme: Cast) -> None:
    await keys.revoke_key(acme.db, acme.account_id, acme.key_id, by=BY)
    for times in (1, 2, 3):
        assert await worker.status(acme.key) == 401
        assert worker.reader.queries == times


async def test_a_malformed_key_needs_no_query(worker: Authentication, acme: Cast) -> None:
    changed = acme.key[:-1] + ("0" if acme.key[-1] != "0" else "1")
    assert await worker.status(changed) == 401
    assert await worker.status(acme.key, scheme="Basic") == 401
    assert worker.reader.queries == 0


async def test_the_number_of_cached_keys_is_limited(
    worker: Authentication, acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(authentication, "MAX_CACHED_KEYS", 1)
    for key in (acme.key, acme.read_only_key, acme.key):
        assert await worker.status(key) == 200
    assert worker.reader.queries == 3
