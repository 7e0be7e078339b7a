"""An account is deleted with everything that it has, and nothing else is."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from masthead.background.lease import HeldLease
from masthead.background.worker import LEASE
from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import Invalid
from masthead.model.sandboxes import NotSandbox
from masthead.model.types.enums import Role
from masthead.services import account_deletion, accounts, users
from masthead.services.account_deletion import delete_account, delete_sandbox
from masthead.services.check.accounts import check_account
from masthead.services.exports.write import ExportManifest, export_account
from masthead.services.privacy.erase import erase_subscriber
from masthead.settings import Settings
from masthead.store import account_deletion as rows_store, accounts as store
from masthead.store.account_deletion import PERSON_TABLES, delete_rows
from masthead.store.accounts import Account, get_account, lock_account
from masthead.store.audit import trail
from masthead.store.engine.interface import Database, Transaction
from masthead.store.engine.table_columns import list_columns
from tests.conftest import BY, Cast, make_account, serving
from tests.support.databases import list_tables
from tests.support.factories import PLACEHOLDER_DOMAIN
from tests.support.rich_account import make_rich
from tests.support.subscribers import make_subscriber


@pytest.fixture
async def acme(scratch_url: str) -> AsyncIterator[Cast]:
    """An account in a separate database: SQLite rewrites the whole file after a deletion."""
    async with serving(Settings(database_url=scratch_url)) as (app, client):
        yield await make_account(client, app.state.db, "Acme")


@pytest.fixture
async def rival(acme: Cast) -> Cast:
    """Another account there."""
    return await make_account(acme.client, acme.db, "Rival")


async def deactivated(cast: Cast) -> Account:
    await accounts.set_account_active(cast.db, cast.account_id, is_active=False, by=BY)
    return await get_account(cast.db, cast.account_id)


async def list_tables_with(db: Database, column: str) -> list[str]:
    tables = [each for each in await list_tables(db) if not each.startswith("search_")]
    return [each for each in tables if column in await list_columns(db, each)]


async def count_rows(db: Database, account_id: int) -> dict[str, int]:
    """How many rows of an account each table has that names accounts."""
    counts = {}
    for table in await list_tables_with(db, "account_id"):
        row = await db.fetch_one(
            f"SELECT count(*) AS count FROM {table} WHERE account_id = :account_id",  # noqa: S608 - of the schema
            {"account_id": account_id},
        )
        assert row is not None
        counts[table] = int(row["count"])
    return counts


async def list_faults(cast: Cast) -> list[str]:
    return [fault.invariant async for fault in check_account(cast.db, cast.subdomain)]


async def invite(cast: Cast, email: str, role: Role = Role.STAFF, *, by: Actor = BY) -> str:
    invited = await users.invite_user(cast.db, cast.account_id, email=email, role=role, by=by)
    return invited.id


async def test_all_rows_of_the_account_are_deleted_and_no_others(
    acme: Cast, rival: Cast, tmp_path: Path
) -> None:
    db = acme.db
    await make_rich(acme)
    await make_rich(rival)
    await erase_subscriber(
        db,
        acme.account_id,
        await make_subscriber(acme, "gone@example.test", start_issue=5),
        is_cancelling=True,
        placeholder_domain=PLACEHOLDER_DOMAIN,
        by=BY,
    )
    await invite(acme, "new@acme.test")
    await invite(rival, "new@rival.test")
    others, faults = await count_rows(db, rival.account_id), await list_faults(rival)
    account = await deactivated(acme)
    had = await count_rows(db, acme.account_id)
    done = await delete_account(db, account, tmp_path / "acme", by=BY)

    assert not any((await count_rows(db, acme.account_id)).values())
    entry = 1  # of the export in the audit trail
    assert done.rows == sum(had.values()) + entry - had["account_user"] - had["sign_in_link"]
    assert await count_rows(db, rival.account_id) == others
    assert await list_faults(rival) == faults
    assert await list_faults(acme) == []  # as for an account that is deleted during a check
    assert await db.list_damaged() == []
    names = {row["name"] for row in await db.fetch_all("SELECT name FROM secret", {})}
    assert f"erasures-{acme.account_id}" not in names


async def test_a_deleted_id_is_not_used_again(acme: Cast, tmp_path: Path) -> None:
    await delete_account(acme.db, await deactivated(acme), tmp_path / "acme", by=BY)
    new = await accounts.create_account(
        acme.db, name="New", subdomain=acme.subdomain, currency="EUR", owner="a@acme.test", by=BY
    )
    assert new.id == acme.account_id + 1


async def test_people_are_deleted_unless_another_account_names_them(
    acme: Cast, rival: Cast, tmp_path: Path
) -> None:
    db = acme.db
    alone = await invite(acme, "alone@x.test", Role.OWNER)
    removed = await invite(acme, "removed@x.test")
    await users.remove_user(db, acme.account_id, removed, by=Actor("user", alone))
    both, known = await invite(acme, "both@x.test"), await invite(acme, "known@x.test")
    owner = Actor("user", await invite(rival, "owner@x.test", Role.OWNER))
    assert await invite(rival, "both@x.test", by=owner) == both

    async def rename(tx: Transaction) -> None:
        await lock_account(tx, rival.account_id)
        entry = NewEntry(EntryType.ACCOUNT_UPDATE, rival.account_id, {}, {})
        await trail.record(tx, rival.account_id, Actor("user", known), [entry])

    await db.write(rename, account_id=rival.account_id)
    people = [alone, removed, both, known]
    await delete_account(db, await deactivated(acme), tmp_path / "acme", by=BY)
    rows = await db.fetch_all("SELECT id FROM app_user WHERE id IN (:ids...)", {"ids": people})
    assert {row["id"] for row in rows} == {both, known}
    links = await db.fetch_all(
        "SELECT user_id FROM sign_in_link WHERE account_id IS NOT NULL AND user_id IN (:ids...)",
        {"ids": people},
    )
    assert [each["user_id"] for each in links] == [both]  # the invitation of the other account


async def test_a_large_account_is_not_deleted_beside_a_server(
    acme: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(account_deletion, "MANY", 0)
    account = await deactivated(acme)
    lease = HeldLease(acme.db, LEASE)
    assert await lease.renew()
    if acme.db.dialect == "sqlite":  # other databases write for others meanwhile
        with pytest.raises(Invalid, match="Stop it, delete the account, and start it again"):
            await delete_account(acme.db, account, tmp_path / "no", by=BY)
    await lease.release()
    assert (await delete_account(acme.db, account, tmp_path / "acme", by=BY)).rows


async def test_only_sandboxes_are_deleted_without_an_export(acme: Cast) -> None:
    had = await count_rows(acme.db, acme.account_id)
    with pytest.raises(NotSandbox):
        await delete_sandbox(acme.db, acme.account_id, by=BY)
    assert await count_rows(acme.db, acme.account_id) == had


async def test_each_table_of_people_is_known(db: Database) -> None:
    of_accounts = set(await list_tables_with(db, "account_id")) - {"sign_in_link"}
    named = set(await list_tables_with(db, "user_id")) - of_accounts
    assert named == set(PERSON_TABLES)


async def test_nothing_is_deleted_unless_the_export_has_everything(
    acme: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = acme.db
    with pytest.raises(Invalid, match="First run `masthead account deactivate"):
        await delete_account(db, await get_account(db, acme.account_id), tmp_path / "no", by=BY)
    account = await deactivated(acme)
    (tmp_path / "file").touch()
    with pytest.raises(Invalid, match="is not an empty folder"):
        await delete_account(db, account, tmp_path, by=BY)
    had = await count_rows(db, acme.account_id)

    async def changed_meanwhile(*arguments: object, **options: object) -> ExportManifest:
        manifest = await export_account(*arguments, **options)  # type: ignore[arg-type]
        await invite(acme, "late@acme.test")
        return manifest

    async def damaged(*arguments: object, **options: object) -> ExportManifest:
        manifest = await export_account(*arguments, **options)  # type: ignore[arg-type]
        (tmp_path / "damaged" / "csv" / "issues.csv").write_text("id")
        return manifest

    for name, export, message in (
        ("late", changed_meanwhile, "was changed while it was exported"),
        ("damaged", damaged, "was changed after the export"),
    ):
        monkeypatch.setattr(account_deletion, "export_account", export)
        with pytest.raises(Invalid, match=message):
            await delete_account(db, account, tmp_path / name, by=BY)
    left = await count_rows(db, acme.account_id)
    assert left["api_key"] == had["api_key"]
    assert left["audit"] > had["audit"]
    monkeypatch.undo()

    async def fail(*_: object) -> None:
        raise RuntimeError("killed")

    async def delete_more(*arguments: object) -> dict[str, int]:
        deleted = await delete_rows(*arguments)  # type: ignore[arg-type]
        return deleted | {"issue": deleted["issue"] + 1}  # than the export has

    monkeypatch.setattr(rows_store, "delete_rows", delete_more)
    with pytest.raises(Invalid, match="was changed while it was exported"):
        await delete_account(db, account, tmp_path / "more", by=BY)
    monkeypatch.undo()
    left = await count_rows(db, acme.account_id)

    monkeypatch.setattr(store, "delete_account", fail)  # the last statement
    with pytest.raises(RuntimeError, match="killed"):
        await delete_account(db, account, tmp_path / "killed", by=BY)
    entry = 1  # of the export in the audit trail
    assert await count_rows(db, acme.account_id) == {**left, "audit": left["audit"] + entry}
    monkeypatch.undo()
    await delete_account(db, account, tmp_path / "again", by=BY)
    assert not any((await count_rows(db, acme.account_id)).values())
