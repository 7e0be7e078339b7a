"""The statements that find the signed-in user, for every page, use an index."""

from datetime import UTC, datetime

import pytest

from masthead.store import users
from masthead.store.engine.interface import Connection, Database, Parameters, Row
from masthead.store.identity import (
    one_time_links,
    passkeys,
    pending_sign_ins,
    people,
    recovery_codes,
    server_secrets,
    sessions,
    totp,
)

pytestmark = pytest.mark.slow

NOW = datetime.now(UTC)


class Explaining:
    """A connection that collects the plan of each statement, and finds no rows."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.steps: list[str] = []

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        plan = await self._db.fetch_all(f"EXPLAIN QUERY PLAN {sql}", parameters)
        self.steps += [row["detail"] for row in plan]
        return []

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        await self.fetch_all(sql, parameters)
        return None


@pytest.fixture
def explaining(db: Database) -> Explaining:
    if db.dialect != "sqlite":
        pytest.skip("PostgreSQL scans tables as small as these")
    return Explaining(db)


async def test_people_and_their_sessions_are_found_by_an_index(explaining: Explaining) -> None:
    db: Connection = explaining  # type: ignore[assignment]
    since = {"created_after": NOW, "seen_after": NOW}
    await sessions.find_session(db, "digest", **since)
    await sessions.list_sessions(db, "U", **since)
    await one_time_links.find_link(db, "digest")
    await server_secrets.find_secret(db, "cookies")
    await people.find_person(db, "ann@acme.test")
    with pytest.raises(ValueError, match="expected 1"):  # no row is found
        await people.get_person(db, "U")
    await users.list_user_accounts(db, "U")
    await users.list_users(db, 1)
    assert len(explaining.steps) > 8
    scans = {step for step in explaining.steps if step.startswith("SCAN")}
    assert scans == {"SCAN json_each VIRTUAL TABLE INDEX 1:"}  # the keys of an email address


async def test_second_factors_are_found_by_an_index(explaining: Explaining) -> None:
    db: Connection = explaining  # type: ignore[assignment]
    await totp.find_app(db, "U")
    await passkeys.find_passkey(db, "id")
    await passkeys.list_passkeys(db, "U")
    await passkeys.find_handle(db, "U")
    await pending_sign_ins.find_pending(db, "digest", most=5)
    with pytest.raises(AssertionError):  # no row is found
        await recovery_codes.count_codes(db, "U")
    assert len(explaining.steps) > 5
    assert [step for step in explaining.steps if step.startswith("SCAN")] == []
