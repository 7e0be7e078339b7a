"""`masthead distribute` with a fake of Citus: the plan, the procedure, and one that is stopped."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import asyncpg
import pytest
from msgspec import structs

from masthead.api.health import DatabaseProbe
from masthead.model.clock import now
from masthead.model.errors import Unavailable
from masthead.services.accounts import create_account
from masthead.services.check.accounts import check
from masthead.services.monitoring.state import read_state
from masthead.services.monitoring.state_metrics import NODES, state_samples
from masthead.services.moving.backups import make_backup
from masthead.services.moving.database_copies import copy_database
from masthead.store.engine import migrate
from masthead.store.engine.citus.distribute import FOREIGN_KEYS, Distribution, open_distribution
from masthead.store.engine.citus.placement import PLACEMENTS, Placement, placements_from
from masthead.store.engine.citus.steps import (
    ForeignKey,
    FoundTables,
    plan_distribution,
    require_nodes,
)
from masthead.store.engine.citus.table_lists import COLUMN, DISTRIBUTED, REFERENCE
from masthead.store.engine.database import SCHEMA_VERSION, require_version
from masthead.store.engine.interface import DatabaseError, Transaction
from masthead.store.engine.moving import places
from masthead.store.engine.moving.places import open_server_place
from masthead.store.engine.postgres.database import BEGIN_WRITE
from masthead.store.engine.postgres.session import (
    LOCK_MILLISECONDS,
    PLAN_ONCE,
    READER,
    SET_ON_ALL_NODES,
    WRITER,
    Limits,
    Server,
)
from tests.conftest import BY
from tests.store.engine.citus.fake_citus import FAKE_CITUS
from tests.support import citus
from tests.support.databases import opened, opened_connection

PLACED = {
    **{name: Placement("reference", "<none>", 1) for name in REFERENCE},
    **{name: Placement("distributed", COLUMN, 2) for name in DISTRIBUTED},
}
KEY = ForeignKey(
    "copy", "copy_issue", "FOREIGN KEY (account_id) REFERENCES issue(account_id)", "issue"
)


def statements(layout: FoundTables) -> list[str]:
    """All statements of the plan, in order."""
    return [
        statement
        for step in plan_distribution(layout)
        for transaction in step.transactions
        for statement in transaction
    ]


def test_a_distributed_database_needs_no_steps() -> None:
    assert plan_distribution(FoundTables(placements=PLACED, foreign_keys=[KEY])) == []


def test_only_a_table_that_is_not_in_its_place_and_its_keys_are_touched() -> None:
    placements = {name: place for name, place in PLACED.items() if name != "issue"}
    other = ForeignKey("period", "period_subscription", "FOREIGN KEY …", "subscription")
    done = statements(FoundTables(placements=placements, foreign_keys=[KEY, other]))
    assert "ALTER TABLE copy DROP CONSTRAINT copy_issue" in done
    assert [each for each in done if "create_" in each] == [
        "SELECT create_distributed_table('issue', 'account_id', colocate_with => 'account_state')"
    ]
    assert done[-2:] == [
        f"ALTER TABLE copy ADD CONSTRAINT copy_issue {KEY.definition}",
        "DROP TABLE unfinished_distribution",
    ]
    assert not [each for each in done if "period_subscription" in each]


def test_a_table_that_earlier_versions_had_on_every_node_comes_back() -> None:
    """With its foreign keys, as the other tables are where they belong."""
    placements = {**PLACED, "app_user": Placement("reference"), "api_key": PLACED["copy"]}
    own = ForeignKey("api_key", "api_key_user", "FOREIGN KEY …", "app_user")
    done = statements(FoundTables(placements=placements, foreign_keys=[KEY, own]))
    moved = [f"SELECT undistribute_table('{name}')" for name in ("api_key", "app_user")]
    assert [each for each in done if "table('" in each][:2] == moved
    assert done.index(own.drop_sql) < done.index(moved[0]) < done.index(own.add_sql)
    assert KEY.drop_sql not in done


def test_a_stopped_distribution_adds_the_keys_that_are_missing() -> None:
    other = ForeignKey("period", "period_subscription", "FOREIGN KEY …")
    layout = FoundTables(placements=PLACED, foreign_keys=[KEY], removed=[KEY, other])
    assert statements(layout)[-2:] == [other.add_sql, "DROP TABLE unfinished_distribution"]


@pytest.mark.parametrize(
    "name, placement",
    [("copy", Placement("reference")), ("copy", Placement("distributed", "id", 2))],
)
def test_a_table_that_is_distributed_otherwise_is_refused(name: str, placement: Placement) -> None:
    with pytest.raises(DatabaseError, match=r"undistribute_table\('copy'\)"):
        plan_distribution(FoundTables(placements={**PLACED, name: placement}, foreign_keys=[]))


@pytest.mark.parametrize(
    "nodes, unreachable, message",
    [
        ([], [], r"No node of Citus can take the rows .* `SELECT citus_add_node\("),
        (["db1:5432"], ["db1:5432"], r"cannot be reached from all others: db1:5432\."),
    ],
)
def test_without_nodes_that_work_nothing_is_distributed(
    nodes: list[str], unreachable: list[str], message: str
) -> None:
    with pytest.raises(DatabaseError, match=message):
        require_nodes(nodes, unreachable)


# --- The procedure --------------------------------------------------------------------------------


@pytest.fixture
async def url(
    backend: str, empty_database: Callable[[], str], migrated_database: Callable[[], str]
) -> str:
    """A database with an account, in which Citus seems to be installed, or is."""
    if backend == "sqlite":
        pytest.skip("SQLite is refused in another test")
    url = await asyncio.to_thread(migrated_database)
    if citus.has(url):  # there, its tables are distributed already
        url = empty_database()
        await asyncio.to_thread(migrate.migrate, url)
    async with opened(url) as db:
        await create_account(
            db, name="Acme", subdomain="acme", currency="EUR", owner="ann@acme.test", by=BY
        )
    if not citus.has(url):
        await execute(url, FAKE_CITUS)
    return url


@pytest.fixture
async def fake_url(url: str) -> str:
    """The same, for tests that look at what the fake has noted."""
    if citus.has(url):
        pytest.skip("a fake of Citus cannot be where Citus is")
    return url


async def read_places(url: str) -> dict[str, Placement]:
    """Where the tables are, as Citus says it; its numbers of groups may be any."""
    rows = await execute(url, PLACEMENTS)
    found = placements_from(row for row in rows if row["kind"] != "local")
    groups = sorted({place.colocation_id for place in found.values()})
    return {
        name: structs.replace(place, colocation_id=1 + groups.index(place.colocation_id))
        for name, place in found.items()
    }


async def execute(url: str, sql: str) -> list[Any]:
    """Run a statement as the operator would."""
    connection = await asyncpg.connect(url)
    try:
        if sql.lstrip().startswith("SELECT"):
            return list(await connection.fetch(sql))
        return [await connection.execute(sql)]
    finally:
        await connection.close()


async def read_keys(url: str) -> list[tuple[str, str, str]]:
    """The foreign keys: table, name and definition."""
    rows = await execute(url, FOREIGN_KEYS)
    return sorted((row["table_name"], row["name"], row["definition"]) for row in rows)


async def run(url: str) -> list[str]:
    """Distribute the database; returns the texts of the steps."""
    done: list[str] = []
    async with open_distribution(url) as found:
        await found.run(lambda step, count: None if count else done.append(step.text))
    return done


async def test_every_table_is_placed_and_every_foreign_key_comes_back(url: str) -> None:
    keys = await read_keys(url)
    async with opened(url) as db:
        assert [fault async for fault in check(db)] == []  # nothing is distributed yet
    steps = await run(url)
    assert [step.split(" ")[0] for step in steps] == [
        "Remove",
        "Copy",
        "Distribute",
        "Delete",
        "Add",
    ]
    assert await read_keys(url) == keys
    assert await read_places(url) == PLACED
    assert await run(url) == []
    await execute(url, "SELECT create_reference_table('throttle')")  # as earlier versions did
    assert [step.split(" ")[0] for step in await run(url)] == ["Remove", "Move", "Delete", "Add"]
    assert await read_places(url) == PLACED
    async with opened(url) as db:
        await require_version(db)
        assert [fault async for fault in check(db)] == []


async def test_the_nodes_with_rows_are_counted_and_the_bytes_of_all(fake_url: str) -> None:
    async with opened(fake_url) as db:
        state = await read_state(db)
        assert (state.citus_nodes, state.database_bytes) == ({"active": 1, "inactive": 0}, 2000)
        samples = dict(state_samples(state, now()))[NODES]
        assert samples['masthead_citus_nodes{state="active"}'] == 1
        await execute(fake_url, "UPDATE pg_dist_node SET isactive = false WHERE shouldhaveshards")
        state = await read_state(db)
        assert (state.citus_nodes, state.database_bytes) == ({"active": 0, "inactive": 1}, None)


async def test_what_is_left_behind_is_deleted_and_a_table_elsewhere_is_a_fault(
    fake_url: str,
) -> None:
    await run(fake_url)
    (emptied,) = await execute(fake_url, "SELECT count(*) FROM fake_emptied")
    assert emptied[0] == len(PLACED)
    await execute(fake_url, "UPDATE fake_citus SET colocation = 3 WHERE name = 'copy'")
    await execute(fake_url, "SELECT create_reference_table('lease')")
    async with opened(fake_url) as db:
        assert [fault.id async for fault in check(db)] == [
            "`lease` is a reference table",
            "`copy` is distributed by `account_id`, group 3",
        ]


class Killed(Exception):
    """The process ends here."""


async def run_until(found: Distribution, last: int) -> None:
    """Run only some statements. Raises: Killed."""
    count, connection = 0, found._connection

    class Dying:
        transaction, fetchval = connection.transaction, connection.fetchval

        async def execute(self, statement: str) -> None:
            nonlocal count
            count += 1
            if count > last:
                raise Killed
            await connection.execute(statement)

    found._connection = Dying()
    await found.run(lambda _step, _done: None)


async def test_a_run_that_is_stopped_anywhere_goes_on(url: str) -> None:
    keys = await read_keys(url)
    moved = {*REFERENCE, *DISTRIBUTED}
    rows = await execute(url, FOREIGN_KEYS)
    removed = [row for row in rows if moved & {row["table_name"], row["target"]}]
    removal = 1 + 2 * len(removed)  # statements of one transaction
    for last in (1, removal - 1, removal, 2, 20, 40, len(removed) - 5):
        with pytest.raises(Killed):
            async with open_distribution(url) as found:
                await run_until(found, last)
        [begun] = await execute(url, "SELECT to_regclass('unfinished_distribution') IS NOT NULL")
        assert begun[0] == (last not in (1, removal - 1))
        async with opened(url) as db:
            if begun[0]:
                with pytest.raises(DatabaseError, match="goes on where it stopped"):
                    await require_version(db)
    await run(url)
    assert await read_keys(url) == keys
    assert await run(url) == []


async def test_migrations_of_a_distributed_database_put_new_tables_in_their_places(
    url: str, empty_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = empty_database()
    if citus.has(empty):
        pytest.skip("0006, which no distributed database runs, joins people with emails")
    await execute(empty, FAKE_CITUS)
    monkeypatch.setattr(migrate, "IS_DISTRIBUTED", "SELECT 1")
    await asyncio.to_thread(migrate.migrate, empty)
    assert await read_places(empty) == PLACED
    assert await read_keys(empty) == await read_keys(url)


async def test_while_other_programs_use_the_database_nothing_is_done(url: str) -> None:
    async with opened_connection(url):
        with pytest.raises(DatabaseError, match=r"is in use\. Other connections: 1\. Stop"):
            await run(url)
    assert await read_places(url) == {}


async def test_a_connection_that_closes_in_a_moment_is_waited_for(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened_connection(url) as other:

        async def sleep(seconds: float) -> None:
            await other.close()
            await asyncio.sleep(seconds)

        monkeypatch.setattr(places, "asyncio", SimpleNamespace(sleep=sleep))
        await run(url)
        assert other.is_closed()
    assert await read_places(url) == PLACED


async def test_the_nodes_that_get_rows_are_named_and_must_work(fake_url: str) -> None:
    async with open_distribution(fake_url) as found:
        assert found.nodes == ["10.0.0.2:5432"]
    await execute(fake_url, "UPDATE fake_health SET result = false WHERE to_nodename = '10.0.0.2'")
    await execute(fake_url, "UPDATE fake_health SET result = NULL WHERE from_nodename = '10.0.0.2'")
    with pytest.raises(DatabaseError, match=r"from all others: 10\.0\.0\.2:5432\."):
        await run(fake_url)
    await execute(fake_url, "UPDATE pg_dist_node SET shouldhaveshards = false")
    with pytest.raises(DatabaseError, match="No node of Citus can take the rows"):
        await run(fake_url)
    assert await read_places(fake_url) == {}


async def test_a_distributed_database_in_use_is_not_backed_up_nor_replaced(
    fake_url: str, tmp_path: Path
) -> None:
    await run(fake_url)
    async with opened_connection(fake_url) as other:
        with pytest.raises(DatabaseError, match=r"connections: 1\. This database is distr"):
            await make_backup(fake_url, tmp_path / "none", version="1.0")
        assert not (tmp_path / "none").exists()
        await other.execute("SET application_name = 'citus_internal gpid=10000000042'")
        made = await make_backup(fake_url, tmp_path, version="1.0")  # it is one of Citus itself
        async with open_server_place(fake_url, made.data, may_replace=True) as place:
            assert place.url == fake_url
        await other.execute("SET application_name = 'psql'")
        with pytest.raises(DatabaseError, match=r"connections: 1\. Stop `masthead serve`"):
            async with open_server_place(fake_url, made.data, may_replace=True):
                raise AssertionError


async def test_readiness_needs_no_table_that_another_node_has(url: str) -> None:
    tables = ", ".join([*REFERENCE, *DISTRIBUTED])
    async with opened(url) as db, opened_connection(url) as other, other.transaction():
        await other.execute(f"LOCK TABLE {tables}")
        await DatabaseProbe(db).check()
    rows = await execute(url, "SELECT version FROM schema_support")
    assert [row["version"] for row in rows] == [SCHEMA_VERSION]


async def test_a_node_that_is_away_costs_no_connections_to_the_coordinator(url: str) -> None:
    failed = "'connection to the remote node failed'"
    failure = f"DO $$ BEGIN RAISE {failed} USING ERRCODE = '08006'; END $$"
    pid = "SELECT pg_backend_pid() AS pid"

    async def work(tx: Transaction) -> None:
        await tx.execute(failure, {})

    async with opened(url) as db:
        before = await db.fetch_one(pid, {})
        with pytest.raises(Unavailable):
            await db.write(work)
        assert await db.fetch_one(pid, {}) == before


async def test_other_databases_are_refused(backend: str, scratch_url: str) -> None:
    if citus.has(scratch_url):
        pytest.skip("this one has Citus")
    reason = "extension Citus" if backend == "postgres" else "this is SQLite"
    with pytest.raises(DatabaseError, match=reason):
        async with open_distribution(scratch_url):
            raise AssertionError


async def test_a_database_that_is_not_ready_is_refused(url: str) -> None:
    await execute(url, "UPDATE alembic_version SET version_num = '0001'")
    with pytest.raises(DatabaseError, match="has version 0001"):
        await run(url)
    await execute(url, "ALTER TABLE alembic_version RENAME TO gone")
    with pytest.raises(DatabaseError, match="has version none"):
        await run(url)
    await execute(url, "CREATE TABLE unfinished_work (work text)")
    with pytest.raises(DatabaseError, match="complete it first"):
        await run(url)


async def test_readers_plan_for_each_account_on_citus_only(fake_url: str) -> None:
    async def mode() -> str:
        connection = await Server(fake_url, Limits(), READER, PLAN_ONCE).connect()
        try:
            return str(await connection.fetchval("SHOW plan_cache_mode"))
        finally:
            await connection.close()

    assert await mode() == "auto"
    await execute(fake_url, "DROP VIEW pg_dist_partition")
    assert await mode() == "force_generic_plan"


async def test_all_nodes_of_citus_get_the_settings_of_a_transaction(fake_url: str) -> None:
    async def propagated() -> str | None:
        connection = await Server(fake_url, Limits(), WRITER, SET_ON_ALL_NODES).connect()
        try:
            found: str | None = await connection.fetchval(
                "SELECT current_setting('citus.propagate_set_commands', true)"
            )
            return found
        finally:
            await connection.close()

    assert await propagated() == "local"
    await execute(fake_url, "DROP VIEW pg_dist_partition")
    assert await propagated() is None


async def test_each_write_sets_how_long_it_waits_for_a_lock(url: str) -> None:
    async with opened_connection(url) as connection:
        await connection.execute(BEGIN_WRITE)
        assert await connection.fetchval("SHOW lock_timeout") == f"{LOCK_MILLISECONDS}ms"
        await connection.execute("ROLLBACK")
        assert await connection.fetchval("SHOW lock_timeout") == "0"


async def test_views_of_an_extension_are_no_tables_of_another_program(
    url: str, empty_database: Callable[[], str]
) -> None:
    target = empty_database()
    if not citus.has(target):
        await execute(target, FAKE_CITUS)
        await execute(target, "DROP FUNCTION citus_check_cluster_node_health")
        await execute(target, "DROP TABLE fake_health")
        for table in ("VIEW pg_dist_partition", "TABLE fake_citus", "TABLE fake_emptied"):
            await execute(target, f"ALTER EXTENSION plpgsql ADD {table}")
        await execute(target, "ALTER EXTENSION plpgsql ADD TABLE pg_dist_node")
    copied = await copy_database(url, target, migrate=migrate.migrate)
    assert copied.rows
    async with opened(target) as db:
        await require_version(db)
