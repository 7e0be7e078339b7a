"""Keys made of a seed, keys rolled: one key for one form, and no hour without one."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from masthead.model.actors import Actor
from masthead.model.clock import now
from masthead.model.errors import Invalid, NotFound
from masthead.model.types.enums import Scope
from masthead.services import keys
from masthead.store.audit import trail as audit
from masthead.store.keys import get_key, list_keys
from tests.conftest import BY, Cast

SEED = b"a form that was sent twice, once.."
HOUR = timedelta(hours=1)


async def make(cast: Cast, **options: Any) -> tuple[str, str]:
    """A key of the account's owner."""
    given = {"user": cast.owner, "scope": Scope.READ_ONLY, "name": "Shop", "by": BY, **options}
    return await keys.create_key(cast.db, cast.account_id, **given)


async def roll(cast: Cast, id: str, overlap: timedelta = HOUR, **options: Any) -> tuple[str, str]:
    """The key in the place of another."""
    return await keys.roll_key(
        cast.db, cast.account_id, id, **{"overlap": overlap, "by": BY, **options}
    )


async def shown(cast: Cast, id: str) -> dict[str, Any]:
    """What may be shown of a key."""
    async with cast.db.read() as connection:
        return await get_key(connection, cast.account_id, id)


async def status(cast: Cast, key: str) -> int:
    """How the API answers to a key."""
    return (await cast.client.get("/v1/me/", key=key)).status_code


async def trail(cast: Cast, id: str) -> list[dict[str, Any]]:
    """What happened to a key."""
    async with cast.db.read() as connection:
        return await audit.list_entries(connection, cast.account_id, "key", id)


async def test_one_seed_makes_one_key_however_often_it_comes(acme: Cast) -> None:
    made = await asyncio.gather(*(make(acme, seed=SEED) for _ in range(5)))
    assert len(set(made)) == 1
    async with acme.db.read() as connection:
        listed = await list_keys(connection, acme.account_id)
    assert len(listed) == 3  # the two of the cast besides
    [(id, key)] = set(made)
    assert len(await trail(acme, id)) == 1
    assert await status(acme, key) == 200


async def test_a_key_names_the_person_who_made_it(acme: Cast) -> None:
    owner_id = (await shown(acme, acme.key_id))["created_by"]
    assert owner_id is None  # a command made it
    async with acme.db.read() as connection:
        row = await connection.fetch_one(
            "SELECT user_id FROM api_key WHERE account_id = :a AND id = :id",
            {"a": acme.account_id, "id": acme.key_id},
        )
    assert row
    id, _ = await make(acme, by=Actor(kind="user", id=row["user_id"]))
    assert (await shown(acme, id))["created_by"] == acme.owner


async def test_another_account_s_key_is_not_shown(acme: Cast, rival: Cast) -> None:
    with pytest.raises(NotFound):
        await shown(acme, rival.key_id)


async def test_a_rolled_key_works_beside_the_new_one_until_the_overlap_ends(acme: Cast) -> None:
    old_id, old = await make(acme, scope=Scope.READ_WRITE)
    id, key = await roll(acme, old_id)
    assert (await status(acme, old), await status(acme, key)) == (200, 200)
    before, after = await shown(acme, old_id), await shown(acme, id)
    assert before["replaced_by"] == id
    assert timedelta(minutes=59) < before["expires_at"] - now() <= HOUR
    same = ("name", "scope", "user")
    assert [after[name] for name in same] == [before[name] for name in same]
    assert (after["expires_at"], after["replaced_by"]) == (None, None)
    assert [entry["action"] for entry in await trail(acme, id)] == ["key.create"]
    made, rolled = await trail(acme, old_id)
    assert (made["action"], rolled["action"]) == ("key.create", "key.roll")
    assert rolled["before"] == {"expires_at": None}
    assert rolled["after"]["replaced_by"] == key[:12]


async def test_without_an_overlap_the_old_key_ends_at_once(acme: Cast) -> None:
    old_id, old = await make(acme)
    _, key = await roll(acme, old_id, timedelta())
    assert (await status(acme, old), await status(acme, key)) == (401, 200)


async def test_an_overlap_never_lengthens_a_life(acme: Cast) -> None:
    ends = now() + timedelta(minutes=5)
    old_id, _ = await make(acme, expires_at=ends)
    await roll(acme, old_id, timedelta(days=7))
    assert (await shown(acme, old_id))["expires_at"] == ends


@pytest.mark.parametrize("days", [30, 365])
async def test_the_new_key_lives_as_long_as_the_old_one_was_made_for(acme: Cast, days: int) -> None:
    old_id, _ = await make(acme, expires_at=now() + timedelta(days=days))
    id, _ = await roll(acme, old_id)
    new = await shown(acme, id)
    assert new["expires_at"] - new["created_at"] == pytest.approx(
        timedelta(days=days), abs=timedelta(seconds=30)
    )


async def test_a_life_to_the_end_of_the_calendar_ends_there(acme: Cast) -> None:
    old_id, _ = await make(acme, expires_at=datetime(9999, 1, 1, tzinfo=UTC))
    id, key = await roll(acme, old_id)
    assert (await shown(acme, id))["expires_at"].year == 9999
    assert await status(acme, key) == 200


async def test_rolling_twice_with_one_seed_makes_one_key(acme: Cast) -> None:
    old_id, _ = await make(acme)
    assert await roll(acme, old_id, seed=SEED) == await roll(acme, old_id, seed=SEED)
    with pytest.raises(Invalid, match="rolled already"):
        await roll(acme, old_id, seed=SEED[::-1])


async def test_what_works_no_more_is_not_rolled(acme: Cast) -> None:
    old_id, _ = await make(acme, expires_at=now() - HOUR)
    with pytest.raises(Invalid, match="no longer works"):
        await roll(acme, old_id)
    await keys.revoke_key(acme.db, acme.account_id, acme.key_id, by=BY)
    with pytest.raises(Invalid, match="no longer works"):
        await roll(acme, acme.key_id)


async def test_the_key_of_somebody_who_has_left_is_not_rolled(acme: Cast) -> None:
    async def work(tx: Any) -> None:
        await tx.execute("DELETE FROM account_user WHERE account_id = :a", {"a": acme.account_id})

    await acme.db.write(work)
    with pytest.raises(Invalid, match="left the account"):
        await roll(acme, acme.key_id)


async def test_another_account_s_key_is_not_rolled(acme: Cast, rival: Cast) -> None:
    with pytest.raises(NotFound):
        await roll(acme, rival.key_id)
    assert (await shown(rival, rival.key_id))["replaced_by"] is None
