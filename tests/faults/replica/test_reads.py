"""Reads from a replica show every write that was acknowledged before them, or are not used."""

import time
from collections.abc import AsyncIterator
from errno import ENOSPC

import pytest

from masthead.model.clock import now
from masthead.model.errors import Unavailable
from masthead.services import keys
from masthead.services.monitoring.state import read_state
from masthead.services.monitoring.state_metrics import METRICS, state_samples
from masthead.store.engine.database import connect
from masthead.store.engine.interface import Database, Reader, Transaction
from masthead.store.engine.postgres import replica
from masthead.store.keys import list_keys
from tests.conftest import BY
from tests.faults.conftest import TIMEOUT, frozen
from tests.faults.replica.conftest import Pair, reading_desk
from tests.support.databases import opened
from tests.support.factories import make_subscription
from tests.support.waiting import PATIENCE

(LAG,) = [each for each in METRICS if each.name == "masthead_replica_lag_seconds"]
WHERE = "SELECT pg_is_in_recovery() AS is_replica, max(holder) AS holder FROM lease"


@pytest.fixture
async def db(shared_pair: Pair) -> AsyncIterator[Database]:
    """A database whose lists, searches and exports are read from the replica."""
    db = await connect(shared_pair.url, seconds=TIMEOUT, read_url=shared_pair.read_url)
    yield db
    await db.close()


async def write(db: Database, holder: str) -> None:
    """Store a value, as a user would do before they look at a list."""

    async def work(tx: Transaction) -> None:
        await tx.execute("DELETE FROM lease", {})
        await tx.execute(
            "INSERT INTO lease (name, holder, until_at) VALUES ('x', :holder, '2026-01-01')",
            {"holder": holder},
        )

    await db.write(work)


async def look(reader: Reader) -> tuple[bool, str]:
    """Whether a replica answers, and the value that it has."""
    row = await reader.fetch_one(WHERE, {})
    async with reader.read(aside=True) as connection:
        (again,) = await connection.fetch_all(WHERE, {})
    assert row == again
    return again["is_replica"], again["holder"]


def wake(db: Database) -> None:
    """Let the replica be tried at once, not after some seconds."""
    vars(db.replica)["_rest_until"] = 0.0


async def test_a_read_after_a_write_comes_from_the_replica_and_shows_it(db: Database) -> None:
    for number in range(20):
        await write(db, f"write {number}")
        assert await look(db.replica) == (True, f"write {number}")
        assert await look(db) == (False, f"write {number}")
    figures = db.figures()
    assert figures['masthead_replica_reads_total{server="replica"}'] == 40
    assert figures['masthead_replica_reads_total{server="primary"}'] == 0
    assert figures['masthead_database_connections{pool="replica",state="idle"}'] == 1


async def test_a_replica_that_is_behind_is_not_believed(
    db: Database, shared_pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica, "BEHIND_SECONDS", PATIENCE)
    await write(db, "old")
    assert await look(db.replica) == (True, "old")
    async with shared_pair.paused():
        await write(db, "new")
        assert await look(db.replica) == (False, "new")
        with monkeypatch.context() as patched:  # it is left alone for a while
            patched.setattr(replica, "POSITION", "not asked for")
            assert await look(db.replica) == (False, "new")
    wake(db)
    assert await look(db.replica) == (True, "new")


async def test_a_replica_tells_how_far_it_is_behind(db: Database, shared_pair: Pair) -> None:
    await write(db, "old")
    assert await look(db.replica) == (True, "old")
    assert (await read_state(db)).replica_lag == 0
    assert await db.lag() is None  # the primary
    async with shared_pair.paused():
        await write(db, "new")
        lag = (await read_state(db)).replica_lag
        assert lag is not None
        assert lag > replica.REPLAY_SECONDS
        assert dict(state_samples(await read_state(db), now()))[LAG][LAG.name] > lag
    with frozen(shared_pair.replica):
        state = await read_state(db)
        assert state.replica_lag is None
        assert dict(state_samples(state, now()))[LAG] == {}
    assert await db.replica.lag() == 0


async def test_an_error_of_who_reads_is_none_of_the_replica(db: Database) -> None:
    await write(db, "a")
    full = OSError(ENOSPC, "No space left")

    async def write_to_disk() -> None:
        async with db.replica.read() as connection:
            await connection.fetch_all(WHERE, {})
            raise full

    with pytest.raises(OSError, match="No space left") as raised:
        await write_to_disk()
    assert raised.value is full
    assert await look(db.replica) == (True, "a")


async def test_without_the_comparison_of_logs_an_old_value_is_read(
    db: Database, shared_pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    blind = "SELECT CAST($1 AS text) IS NOT NULL AND CAST($2 AS integer) > 0"
    monkeypatch.setattr(replica, "REPLAYED", blind)
    await write(db, "old")
    async with shared_pair.paused():
        await write(db, "new")
        assert await look(db.replica) == (True, "old")


OTHER_TIMELINE = replica.POSITION.replace("AS integer)", "AS integer) + 1")
ON_CITUS = replica.POSITION.replace("IS NULL", "IS NOT NULL")


@pytest.mark.parametrize("position", [OTHER_TIMELINE, ON_CITUS], ids=["timeline", "citus"])
async def test_a_replica_whose_log_cannot_be_compared_is_not_believed(
    db: Database, monkeypatch: pytest.MonkeyPatch, position: str
) -> None:
    monkeypatch.setattr(replica, "POSITION", position)
    await write(db, "a")
    assert await look(db.replica) == (False, "a")


async def test_a_replica_that_does_not_answer_delays_one_read(
    db: Database, shared_pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica, "AWAY_SECONDS", PATIENCE)
    await write(db, "a")
    assert await look(db.replica) == (True, "a")
    with frozen(shared_pair.replica):
        wake(db)
        began = time.monotonic()
        assert await look(db.replica) == (False, "a")
        assert time.monotonic() - began < TIMEOUT + replica.CONNECT_SECONDS + 1
        with monkeypatch.context() as patched:
            patched.setattr(replica, "POSITION", "not asked for")
            assert await look(db.replica) == (False, "a")
    wake(db)
    assert await look(db.replica) == (True, "a")


async def test_a_statement_that_the_replica_ends_is_answered_by_the_primary(
    db: Database, shared_pair: Pair
) -> None:
    await write(db, "a")
    ended = "SELECT pg_is_in_recovery() AND pg_terminate_backend(pg_backend_pid()) IS NULL AS r"
    assert [row["r"] for row in await db.replica.fetch_all(ended, {})] == [False]
    wake(db)
    assert await look(db.replica) == (True, "a")


async def test_a_block_of_statements_that_the_replica_ends_is_unavailable_once(
    db: Database,
) -> None:
    await write(db, "a")
    ending = "SELECT pg_terminate_backend(pg_backend_pid())"
    with pytest.raises(Unavailable):
        async with db.replica.read() as connection:
            await connection.fetch_all(ending, {})
    assert await look(db.replica) == (False, "a")


@pytest.mark.parametrize("reading", ["primary", "nothing"])
async def test_without_a_usable_replica_the_primary_is_read(
    shared_pair: Pair, reading: str
) -> None:
    read_url = shared_pair.url if reading == "primary" else "postgresql://127.0.0.1:1/masthead"
    async with opened(shared_pair.url, read_url=read_url) as db:
        await write(db, "a")
        assert await look(db.replica) == (False, "a")


async def test_lists_show_a_new_subscription_and_a_revoked_key_is_refused(
    shared_pair: Pair,
) -> None:
    async with reading_desk(shared_pair) as cast:
        listed = await cast.get("/v1/subscriptions/")
        assert listed.json()["items"] == []
        async with shared_pair.paused():
            wake(cast.db)
            made = await make_subscription(cast)
            for path in ("/v1/subscriptions/", "/v1/copies/", "/v1/subscribers/"):
                assert (await cast.get(path)).json()["items"] != []
            found = await cast.get("/v1/subscriptions/", search=made["subscriber"]["email"])
            assert [item["id"] for item in found.json()["items"]] == [made["id"]]
            (known,) = [
                each.id
                for each in await list_keys(cast.db, cast.account_id)
                if each.scope == "read_only"
            ]
            await keys.revoke_key(cast.db, cast.account_id, known, by=BY)
            answer = await cast.client.get("/v1/subscriptions/", key=cast.read_only_key)
            assert answer.status_code == 401  # the replica does not know that it was revoked
