"""Changes of accounts, users, API keys and sources, and their audit entries."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from masthead.model.actors import Actor
from masthead.model.errors import Invalid, NotFound
from masthead.model.inputs import IssueCreate
from masthead.model.types.enums import Scope, SourceType
from masthead.services import accounts, keys, sources
from masthead.services.issues import records as issues
from masthead.services.users import add_user
from masthead.store.accounts import find_account
from masthead.store.keys import list_keys
from masthead.store.users import list_users
from tests.conftest import Cast
from tests.support.audit import list_entries

ANN = Actor(kind="user", id="ann")


async def trail(cast: Cast, subject_type: str, subject_id: object) -> list[tuple[Any, ...]]:
    """The audit entries about a record: actor, entry type, before, after."""
    async with cast.db.read() as connection:
        entries = await list_entries(connection, cast.account_id, subject_type, str(subject_id))
    return [
        (
            f"{entry['actor_kind']}:{entry['actor_id']}",
            entry["action"],
            entry["before"],
            entry["after"],
        )
        for entry in entries
    ]


async def last_entry(cast: Cast) -> int:
    """The number of the account's newest entry."""
    async with cast.db.read() as connection:
        row = await connection.fetch_one(
            "SELECT max(id) AS last FROM audit WHERE account_id = :id", {"id": cast.account_id}
        )
    assert row
    return int(row["last"])


# --- accounts -------------------------------------------------------------------------------------


async def test_a_new_account_has_its_owner_and_an_audit_entry(acme: Cast) -> None:
    async with acme.db.read() as connection:
        account = await find_account(connection, acme.subdomain)
        users = await list_users(connection, acme.account_id)
    assert account
    assert account.daily_date == datetime.now(UTC).date()
    assert [(user.email, user.role) for user in users] == [(acme.owner, "owner")]
    after = {
        "name": "Acme",
        "subdomain": acme.subdomain,
        "currency": "EUR",
        "owner": acme.owner,
    }
    assert await trail(acme, "account", acme.account_id) == [
        ("command:tests", "account.create", None, after)
    ]


async def test_deactivating_and_activating_an_account_are_recorded_once_each(acme: Cast) -> None:
    for is_active in (False, False, True, True):
        await accounts.set_account_active(acme.db, acme.account_id, is_active=is_active, by=ANN)
    _, *entries = await trail(acme, "account", acme.account_id)
    assert entries == [
        ("user:ann", "account.deactivate", {"is_active": True}, {"is_active": False}),
        ("user:ann", "account.activate", {"is_active": False}, {"is_active": True}),
    ]


async def test_an_owner_of_two_accounts_is_one_user(acme: Cast, rival: Cast) -> None:
    id = await add_user(acme.db, acme.account_id, email=rival.owner, by=ANN)
    async with acme.db.read() as connection:
        (owner,) = await list_users(connection, rival.account_id)
    assert owner.id == id
    assert owner.role == "owner"


async def test_adding_a_user_twice_is_recorded_once(acme: Cast) -> None:
    ids = {
        await add_user(acme.db, acme.account_id, email=email, by=ANN)
        for email in (" Bertha@acme.test ", "bertha@ACME.test")
    }
    (id,) = ids
    assert await trail(acme, "user", id) == [
        ("user:ann", "user.add", None, {"email": "Bertha@acme.test", "role": "staff"})
    ]


# --- keys -----------------------------------------------------------------------------------------


async def test_the_audit_entries_of_a_key_do_not_contain_the_key(acme: Cast) -> None:
    id, key = await keys.create_key(
        acme.db, acme.account_id, user=acme.owner, scope=Scope.READ_ONLY, name=" Shop ", by=ANN
    )
    await keys.revoke_key(acme.db, acme.account_id, id, by=ANN)
    await keys.revoke_key(acme.db, acme.account_id, id, by=ANN)
    after = {"name": "Shop", "prefix": key[:12], "scope": "read_only", "user": acme.owner}
    entries = await trail(acme, "key", id)
    assert entries == [
        ("user:ann", "key.create", None, after),
        ("user:ann", "key.revoke", {"is_revoked": False}, {"is_revoked": True}),
    ]
    assert key not in str(entries)


async def test_revoking_a_key_again_keeps_the_first_date(acme: Cast) -> None:
    async def revoked_at() -> object:
        async with acme.db.read() as connection:
            listed = await list_keys(connection, acme.account_id)
        return next(key.revoked_at for key in listed if key.id == acme.key_id)

    await keys.revoke_key(acme.db, acme.account_id, acme.key_id, by=ANN)
    first = await revoked_at()
    assert first is not None
    await keys.revoke_key(acme.db, acme.account_id, acme.key_id, by=ANN)
    assert await revoked_at() == first


@pytest.mark.parametrize("days, status", [(1, 200), (-1, 401)])
async def test_a_key_works_until_it_expires(acme: Cast, days: int, status: int) -> None:
    _, key = await keys.create_key(
        acme.db,
        acme.account_id,
        user=acme.owner,
        scope=Scope.READ_ONLY,
        expires_at=datetime.now(UTC) + timedelta(days=days),
        by=ANN,
    )
    assert (await acme.client.get("/v1/me/", key=key)).status_code == status


async def test_a_key_of_another_account_cannot_be_revoked(acme: Cast, rival: Cast) -> None:
    with pytest.raises(NotFound, match=rival.key_id):
        await keys.revoke_key(acme.db, acme.account_id, rival.key_id, by=ANN)
    assert (await rival.get("/v1/me/")).status_code == 200


async def test_a_key_can_be_created_only_for_users_of_the_account(acme: Cast, rival: Cast) -> None:
    with pytest.raises(Invalid, match="not a user of this account"):
        await keys.create_key(
            acme.db, acme.account_id, user=rival.owner, scope=Scope.READ_ONLY, by=ANN
        )


# --- sources --------------------------------------------------------------------------------------


async def test_every_change_of_a_source_is_recorded(acme: Cast) -> None:
    source = await sources.create_source(
        acme.db, acme.account_id, name=" Shop ", type=SourceType.SHOP, by=ANN
    )
    for _ in range(2):
        await sources.set_source_active(
            acme.db, acme.account_id, source.id, is_active=False, by=ANN
        )
        await sources.rename_source(acme.db, acme.account_id, source.id, name=" Kiosk ", by=ANN)
    for _ in range(2):
        await sources.set_source_active(acme.db, acme.account_id, source.id, is_active=True, by=ANN)
    assert await trail(acme, "source", source.id) == [
        ("user:ann", "source.create", None, {"name": "Shop", "type": "shop"}),
        ("user:ann", "source.deactivate", {"is_active": True}, {"is_active": False}),
        ("user:ann", "source.rename", {"name": "Shop"}, {"name": "Kiosk"}),
        ("user:ann", "source.activate", {"is_active": False}, {"is_active": True}),
    ]


# --- the audit trail ------------------------------------------------------------------------------


async def test_changes_through_the_api_are_recorded_with_the_key(acme: Cast) -> None:
    issue = (await acme.post("/v1/issues/", {"number": 1})).json()
    ((who, action, before, _),) = await trail(acme, "issue", issue["id"])
    assert who == f"key:{acme.key_id}"
    assert (action, before) == ("issue.create", None)


async def test_refused_changes_are_not_recorded(acme: Cast) -> None:
    await acme.post("/v1/issues/", {"number": 1})
    before = await last_entry(acme)
    refusals: list[Callable[[], Awaitable[object]]] = [
        lambda: issues.create_issue(acme.db, acme.account_id, IssueCreate(number=1), by=ANN),
        lambda: keys.revoke_key(acme.db, acme.account_id, "0" * 31, by=ANN),
        lambda: sources.set_source_active(
            acme.db, acme.account_id, "0" * 31, is_active=False, by=ANN
        ),
        lambda: sources.rename_source(acme.db, acme.account_id, "0" * 31, name="X", by=ANN),
        lambda: sources.rename_source(acme.db, acme.account_id, acme.shop, name=" ", by=ANN),
    ]
    for refused in refusals:
        with pytest.raises((Invalid, NotFound)):
            await refused()
    assert await last_entry(acme) == before


async def test_each_account_has_its_own_audit_trail(acme: Cast, rival: Cast) -> None:
    id = acme.shop
    assert len(await trail(acme, "source", id)) == 1
    assert await trail(rival, "source", id) == []
