"""What copies, backups and restores refuse, and how they say so."""

import asyncio
import errno
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from types import SimpleNamespace

import apsw
import asyncpg
import pytest

from masthead.services.moving.backups import make_backup
from masthead.services.moving.database_copies import copy_database
from masthead.services.moving.digests import find_broken_rule, find_difference
from masthead.services.moving.verify import verify_backup
from masthead.store.engine.database import require_version
from masthead.store.engine.interface import DatabaseError, Transaction, is_postgres
from masthead.store.engine.migrate import migrate
from masthead.store.engine.moving import postgres_tools
from masthead.store.engine.moving.backup_files import url_of_database
from masthead.store.engine.moving.errors import name_database, named_errors
from masthead.store.engine.moving.folders import temporary_folder
from masthead.store.engine.moving.lines import StoredTable, TableDigest
from masthead.store.engine.moving.postgres_target import only_mover
from masthead.store.engine.moving.snapshots import connect_for_moving, open_snapshot
from tests.services.moving.conftest import NOT_IN_USE, filled
from tests.support.databases import opened


async def execute(url: str, sql: str, parameters: Mapping[str, object] | None = None) -> None:
    """Change a database behind the back of masthead, without the checks of references."""
    if is_postgres(url):
        postgres = await connect_for_moving(url)
        await postgres.execute(sql)
        await postgres.close()
        return
    connection = apsw.Connection(url.removeprefix("sqlite:///"))
    connection.execute(sql, parameters)
    connection.close()


@pytest.mark.parametrize(
    "raised,message",
    [
        (apsw.FullError("disk full"), "is full"),
        (apsw.NotADBError("file is not a database"), "masthead.db`: file is not a database."),
        (asyncpg.InsufficientPrivilegeError("no"), "GRANT CREATE ON SCHEMA"),
        (asyncpg.DiskFullError("no space"), "disk of PostgreSQL is full"),
        (OSError(errno.ENOSPC, "full", "/no/such/folder/file"), "disk of `/` is full"),
        (OSError(errno.ENOSPC, "full"), "is full"),
        (asyncpg.CannotConnectNowError("starting up"), "PostgreSQL (`db/masthead`): starting up."),
    ],
)
def test_errors_name_what_happened(raised: Exception, message: str, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'masthead.db'}"
    if isinstance(raised, asyncpg.PostgresError):
        url = "postgresql://db/masthead"
    with pytest.raises(DatabaseError) as told, named_errors(url):
        raise raised
    assert message in str(told.value)


@pytest.mark.parametrize(
    "url,name",
    [
        ("sqlite:////srv/masthead.db", "`/srv/masthead.db`"),
        ("postgresql://ann:s3cret@db1:5432,db2:5432/masthead", "(`db1:5432,db2:5432/masthead`)"),
        ("postgresql://ann@/masthead?host=%2Frun&password=s3cret", "(`/run/masthead`)"),
        ("postgresql://ann:s3/cret@db1/masthead", "PostgreSQL"),  # no valid URL
        ("postgresql://ann:s3?cret@db1/masthead", "PostgreSQL"),
        ("sqlite://ann:s3cret@db1/masthead", "SQLite"),
    ],
)
def test_a_database_is_named_without_its_password(url: str, name: str) -> None:
    assert name_database(url).endswith(name)
    assert "cret" not in name_database(url)


def test_a_full_disk_is_that_of_the_file_that_is_written(tmp_path: Path) -> None:
    full = OSError(errno.ENOSPC, "full")  # of a write, which names no file
    for url, folder in [
        (f"sqlite:///{tmp_path}/masthead.db", None),
        ("postgresql://db/masthead", tmp_path),
    ]:
        with pytest.raises(DatabaseError) as told, named_errors(url, folder):
            raise full
        assert f"The disk of `{tmp_path}` is full" in str(told.value)


def test_other_errors_of_files_are_raised_as_they_are(tmp_path: Path) -> None:
    with pytest.raises(PermissionError), named_errors(f"sqlite:///{tmp_path / 'masthead.db'}"):
        raise PermissionError(errno.EACCES, "denied")


async def test_a_url_that_cannot_be_read_is_not_quoted() -> None:
    with pytest.raises(DatabaseError) as told:
        await connect_for_moving("postgresql://ann:secret@db:port/masthead")
    assert "secret" not in str(told.value)


def test_two_processes_never_use_the_same_folder(tmp_path: Path) -> None:
    folder = tmp_path / "aside"
    folder.mkdir()
    (folder / "left").mkdir()
    (folder / "file").touch()
    with temporary_folder(folder, "copy"):
        assert list(folder.iterdir()) == []
        with (
            pytest.raises(DatabaseError, match="Another copy is running"),
            temporary_folder(folder, "copy"),
        ):
            pass
    assert not folder.exists()


def test_a_difference_names_the_table_and_its_rows() -> None:
    one = {"copy": TableDigest(1, "a"), "issue": TableDigest(1, "a")}
    assert find_difference(one, one) == ""
    assert "1 rows instead of no" in find_difference(one, {"copy": one["copy"]})
    assert "no rows instead of 1" in find_difference({}, one)
    other = {**one, "issue": TableDigest(1, "b")}
    assert "`issue` has as many rows, but another digest" in find_difference(one, other)


# --- What the source has --------------------------------------------------------------------------


@pytest.mark.slow
async def test_a_copy_that_breaks_a_rule_is_not_used(
    scratch_url: str, empty_database: Callable[[], str]
) -> None:
    async with filled(scratch_url, subscriptions=1):
        pass
    await execute(scratch_url, "UPDATE subscriber SET ltv = ltv + 7")
    target = empty_database()
    await asyncio.to_thread(migrate, target)
    with pytest.raises(DatabaseError, match=r"breaks a rule: .*ltv of a subscriber"):
        await copy_database(scratch_url, target, migrate=migrate)
    with pytest.raises(DatabaseError, match="This database is incomplete"):
        await copy_database(target, scratch_url, migrate=migrate)
    await execute(scratch_url, "UPDATE subscriber SET ltv = ltv - 7")
    await copy_database(scratch_url, target, migrate=migrate)  # begins anew


@pytest.mark.slow
async def test_rows_that_refer_to_nothing_are_not_copied(
    scratch_url: str, empty_database: Callable[[], str], backend: str, tmp_path: Path
) -> None:
    async with filled(scratch_url, subscriptions=1):
        pass
    source = f"sqlite:///{tmp_path / 'source.db'}"
    await copy_database(scratch_url, source, migrate=migrate)
    await execute(source, "DELETE FROM product")
    with pytest.raises(DatabaseError, match="refer to rows that are missing"):
        await copy_database(source, empty_database(), migrate=migrate)
    if backend == "postgres":
        await execute(source, "UPDATE issue SET name = 'a' || char(0)")
        with pytest.raises(DatabaseError, match="cannot store a value of `issue`"):
            await copy_database(source, empty_database(), migrate=migrate)


async def test_tables_that_differ_are_not_copied(
    scratch_url: str, empty_database: Callable[[], str]
) -> None:
    await execute(scratch_url, "ALTER TABLE secret ADD COLUMN other text")
    with pytest.raises(DatabaseError, match="The tables secret of the two databases differ"):
        await copy_database(scratch_url, empty_database(), migrate=migrate)


async def test_a_copy_that_differs_is_not_used(
    scratch_url: str, empty_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "masthead.services.moving.database_copies.find_difference", lambda *_: "`a` has 1"
    )
    with pytest.raises(DatabaseError, match=r"The copy differs: `a` has 1\. It is not used"):
        await copy_database(scratch_url, empty_database(), migrate=migrate)


async def test_a_newer_database_is_not_copied(
    scratch_url: str, empty_database: Callable[[], str]
) -> None:
    await execute(scratch_url, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(DatabaseError, match="It is newer"):
        await copy_database(scratch_url, empty_database(), migrate=migrate)
    await execute(scratch_url, "DELETE FROM alembic_version")
    with pytest.raises(DatabaseError, match="has version none"):
        await copy_database(scratch_url, empty_database(), migrate=migrate)


async def test_a_check_that_cannot_run_is_a_broken_rule(
    scratch_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(db: object) -> AsyncIterator[object]:
        if db is not None:
            raise DatabaseError("The search index cannot be checked")
        yield db

    monkeypatch.setattr("masthead.services.moving.digests.check", fail)
    assert await find_broken_rule(scratch_url) == "The search index cannot be checked"


async def test_a_restored_backup_that_breaks_a_rule_is_not_sound(
    scratch_url: str, tmp_path: Path
) -> None:
    async with filled(scratch_url, subscriptions=1):
        pass
    await execute(scratch_url, "UPDATE subscriber SET ltv = 7")
    made = await make_backup(scratch_url, tmp_path, version="1.0")
    found = await verify_backup(made, scratch_url, migrate=migrate, version="1.0")
    assert "breaks a rule of `masthead check`: " in found.problem


# --- PostgreSQL -----------------------------------------------------------------------------------


@pytest.fixture
def postgres_url(scratch_url: str, backend: str) -> str:
    """A PostgreSQL database."""
    if backend != "postgres":
        pytest.skip("only on PostgreSQL")
    return scratch_url


async def test_only_one_process_moves_data_into_a_database(postgres_url: str) -> None:
    async with only_mover(postgres_url):
        with pytest.raises(DatabaseError, match="Another copy or restore"):
            async with only_mover(postgres_url):
                pass


async def test_a_role_that_may_not_create_databases_is_told_so(
    postgres_url: str, tmp_path: Path
) -> None:
    made = await make_backup(postgres_url, tmp_path, version="1.0")
    await execute(
        postgres_url, "DROP ROLE IF EXISTS clerk; CREATE ROLE clerk LOGIN; GRANT masthead TO clerk"
    )
    as_clerk = postgres_url.replace("masthead@", "clerk@", 1)
    with pytest.raises(DatabaseError, match="ALTER ROLE … CREATEDB"):
        await verify_backup(made, as_clerk, migrate=migrate, version="1.0")


@NOT_IN_USE
async def test_databases_of_killed_verifications_are_dropped(
    postgres_url: str, tmp_path: Path
) -> None:
    connection = await connect_for_moving(postgres_url)
    own = await connection.fetchval("SELECT left(current_database(), 40)")
    await connection.execute(f'CREATE DATABASE "{own}_verify_0123abcd" TEMPLATE template0')
    made = await make_backup(postgres_url, tmp_path, version="1.0")
    made.data.write_bytes(b"PGDMP and nothing else")
    broken = SimpleNamespace(**{name: getattr(made, name) for name in ("path", "data", "manifest")})
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("masthead.services.moving.verify.find_damage", lambda _: "")
        found = await verify_backup(broken, postgres_url, migrate=migrate, version="1.0")  # type: ignore[arg-type]
    assert "`pg_restore` failed" in found.problem
    left = await connection.fetch("SELECT FROM pg_database WHERE datname LIKE $1", f"{own}_verify%")
    await connection.close()
    assert left == []


async def test_a_statement_that_fails_rolls_back_everything(
    postgres_url: str, tmp_path: Path
) -> None:
    made = await make_backup(postgres_url, tmp_path, version="1.0")
    async with open_snapshot(postgres_url) as snapshot:
        (number,) = (await snapshot.select("SHOW server_version_num"))[0]
    with pytest.raises(DatabaseError, match=r"`psql` failed: .*no_such_table"):
        await postgres_tools.restore(
            made.data,
            postgres_url,
            int(number) // 10_000,
            before="DROP TABLE no_such_table;",
            after="",
        )
    async with opened(postgres_url) as db:
        assert await db.fetch_all("SELECT id FROM account", {}) == []


async def test_a_reader_that_stops_ends_the_reading(postgres_url: str) -> None:
    async with opened(postgres_url) as db:

        async def work(tx: Transaction) -> None:
            await tx.execute(
                """
            INSERT INTO secret (name, value)
            SELECT CAST(n AS text), repeat('x', 1000) FROM generate_series(1, 5000) AS n
            """,
                {},
            )

        await db.write(work)
    async with open_snapshot(postgres_url) as snapshot:
        lines = snapshot.read(StoredTable("secret", (("name", "text"), ("value", "text"))))
        async for batch in lines:
            assert len(batch) > 100
            break
        await lines.aclose()  # type: ignore[attr-defined]
        with pytest.raises(asyncpg.InterfaceError):
            await snapshot.select("SELECT 1")
    await asyncio.sleep(0)


# --- PostgreSQL's programs ------------------------------------------------------------------------


async def test_a_missing_program_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_tools, "_installed", lambda name: [])
    with pytest.raises(DatabaseError, match=r"no `pg_dump` 15 or newer .*found none.*-client-15"):
        await postgres_tools.find_program("pg_dump", 15)
    monkeypatch.setattr(postgres_tools, "_installed", lambda name: [Path("/no/such/pg_dump")])
    with pytest.raises(DatabaseError, match="found /no/such/pg_dump 0"):
        await postgres_tools.find_program("pg_dump", 15)


async def test_the_oldest_usable_program_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [Path(f"/usr/lib/postgresql/{major}/bin/psql") for major in (14, 15, 17)]
    monkeypatch.setattr(postgres_tools, "_installed", lambda name: paths)

    async def major(path: Path) -> int:
        return int(path.parts[4])

    monkeypatch.setattr(postgres_tools, "_major", major)
    assert await postgres_tools.find_program("psql", 15) == paths[1]
    assert await postgres_tools.find_program("psql", 16) == paths[2]


@pytest.mark.parametrize(
    "url,shown,password",
    [
        ("postgresql://ann:s%2Fe@db/m", "postgresql://ann@db/m", "s/e"),
        ("postgresql://db/m?user=ann&password=x", "postgresql://db/m?user=ann", "x"),
        (
            "postgresql://ann@a,b:2/m?target_session_attrs=any&sslmode=require",
            "postgresql://ann@a,b:2/m?sslmode=require",
            None,
        ),
    ],
)
def test_a_password_is_no_argument(url: str, shown: str, password: str | None) -> None:
    with postgres_tools.connection_of(url) as (argument, environment):
        assert argument == shown
        assert environment.get("PGPASSWORD") == password


def test_the_password_of_a_key_is_in_a_private_file() -> None:
    url = "postgresql://ann@db/m?sslkey=/k&sslpassword=s%2Fe%3D"
    with postgres_tools.connection_of(url) as (argument, environment):
        assert argument == "postgresql://ann@db/m?sslkey=%2Fk&service=masthead"
        file = Path(environment["PGSERVICEFILE"])
        assert file.read_text() == "[masthead]\nsslpassword=s/e=\n"
        assert file.stat().st_mode & 0o777 == 0o600
    assert not file.exists()


def test_the_url_of_another_database_on_the_same_server() -> None:
    url = "postgresql://ann:x@a,b/m?sslmode=require&dbname=m"
    assert url_of_database(url, "other") == "postgresql://ann:x@a,b/other?sslmode=require"


async def test_a_database_that_is_not_complete_cannot_be_used(scratch_url: str) -> None:
    async with filled(scratch_url):
        pass
    await execute(scratch_url, "CREATE TABLE unfinished_work (work text NOT NULL)", {})
    async with opened(scratch_url) as db:
        with pytest.raises(DatabaseError, match="`masthead restore` was stopped before its end"):
            await require_version(db)
        await execute(scratch_url, "INSERT INTO unfinished_work VALUES ('copy-database')", {})
        with pytest.raises(DatabaseError, match="`masthead copy-database` was stopped"):
            await require_version(db)
