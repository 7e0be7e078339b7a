"""Keys that were seen within the last second: admitted without a query, refused in time."""

from datetime import timedelta
from typing import Any, cast

import pytest

from masthead.api import authentication
from masthead.api.authentication import Access, Authenticator, Refused
from masthead.api.http.asgi import RequestCycle
from masthead.api.http.rate_limit import InFlight, RateLimit
from masthead.model.clock import now
from masthead.model.types.enums import Scope
from masthead.services import accounts, keys
from masthead.services.key_usage import KeyUsage
from masthead.store.engine.interface import (
    Connection,
    Database,
    Parameters,
    Row,
)
from tests.conftest import BY, Cast


class Counting:
    """A reader that counts what it is asked."""

    def __init__(self, db: Connection) -> None:
        self.db, self.queries = db, 0

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        self.queries += 1
        return await self.db.fetch_all(sql, parameters)

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        self.queries += 1
        return await self.db.fetch_one(sql, parameters)


class Entrance:
    """A gate whose clock the test turns."""

    def __init__(self, db: Database) -> None:
        self.reader, self.moment = Counting(db), 100.0
        self.authenticator = Authenticator(
            cast(Database, self.reader), KeyUsage(), RateLimit(0), clock=lambda: self.moment
        )

    async def status(self, key: str, scheme: str = "Bearer") -> int:
        """How a reading request with the key is met."""
        try:
            await self.authenticator.admit(asking(key, scheme), Access.READ)
        except Refused as refused:
            return refused.reply.status
        return 200


def asking(key: str, scheme: str) -> RequestCycle:
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
        raise AssertionError("a gate reads headers only")

    return RequestCycle(scope, nothing, nothing, InFlight(1))


@pytest.fixture
def entrance(db: Database) -> Entrance:
    """The entrance of a worker that has just started."""
    return Entrance(db)


async def test_a_key_of_the_last_second_costs_no_query(entrance: Entrance, acme: Cast) -> None:
    assert await entrance.status(acme.key) == 200
    assert entrance.reader.queries == 1
    for _ in range(9):
        entrance.moment += 0.11
        assert await entrance.status(acme.key) == 200
    assert entrance.reader.queries == 1
    entrance.moment += 0.011
    assert await entrance.status(acme.key) == 200
    assert entrance.reader.queries == 2


async def test_a_revoked_key_is_refused_a_second_later(entrance: Entrance, acme: Cast) -> None:
    assert await entrance.status(acme.key) == 200
    await keys.revoke_key(acme.db, acme.account_id, acme.key_id, by=BY)
    entrance.moment += 1.0
    assert await entrance.status(acme.key) == 401
    assert await entrance.status(acme.read_only_key) == 200


async def test_an_inactive_account_is_refused_a_second_later(
    entrance: Entrance, acme: Cast
) -> None:
    assert await entrance.status(acme.key) == 200
    await accounts.set_account_active(acme.db, acme.account_id, is_active=False, by=BY)
    entrance.moment += 1.0
    assert await entrance.status(acme.key) == 403
    await accounts.set_account_active(acme.db, acme.account_id, is_active=True, by=BY)
    entrance.moment += 1.0
    assert await entrance.status(acme.key) == 200


async def test_a_key_that_expires_is_not_taken_for_granted_longer(
    entrance: Entrance, acme: Cast
) -> None:
    _, key = await keys.create_key(
        acme.db,
        acme.account_id,
        user=acme.owner,
        scope=Scope.READ_ONLY,
        expires_at=now() + timedelta(seconds=0.5),
        by=BY,
    )
    assert await entrance.status(key) == 200
    entrance.moment += 0.5
    await entrance.status(key)
    assert entrance.reader.queries == 2


async def test_an_unknown_key_is_looked_up_each_time(entrance: Entrance, acme: Cast) -> None:
    await keys.revoke_key(acme.db, acme.account_id, acme.key_id, by=BY)
    for times in (1, 2, 3):
        assert await entrance.status(acme.key) == 401
        assert entrance.reader.queries == times


async def test_what_cannot_be_a_key_costs_no_query(entrance: Entrance, acme: Cast) -> None:
    changed = acme.key[:-1] + ("0" if acme.key[-1] != "0" else "1")
    assert await entrance.status(changed) == 401
    assert await entrance.status(acme.key, scheme="Basic") == 401
    assert entrance.reader.queries == 0


async def test_a_worker_keeps_a_bounded_number_of_keys_in_mind(
    entrance: Entrance, acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(authentication, "KNOWN_KEYS", 1)
    for key in (acme.key, acme.read_only_key, acme.key):
        assert await entrance.status(key) == 200
    assert entrance.reader.queries == 3
