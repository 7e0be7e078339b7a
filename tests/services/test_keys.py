"""Creating keys from a seed, and rolling keys without an interruption."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from masthead.model.actors import Actor
from masthead.model.clock import now
from masthead.model.errors import Invalid, NotFound
from masthead.model.identity.api_keys import ApiKey
from masthead.model.types.enums import Scope
from masthead.services import keys
from masthead.store.keys import get_key, list_keys
from tests.conftest import BY, Cast
from tests.support.audit import list_entries

SEED = b"a form that was sent twice, once.."
HOUR = timedelta(hours=1)


async def make(cast: Cast, **options: Any) -> tuple[str, str]:
    """Create a key of the account's owner."""
    given = {"user": cast.owner, "scope": Scope.READ_ONLY, "name": "Shop", "by": BY, **options}
    return await keys.create_key(cast.db, cast.account_id, **given)


async def roll(cast: Cast, id: str, overlap: timedelta = HOUR, **options: Any) -> tuple[str, str]:
    """Roll a key."""
    return await keys.roll_key(
        cast.db, cast.account_id, id, **{"overlap": overlap, "by": BY, **options}
    )


async def shown(cast: Cast, id: str) -> ApiKey:
    """A key, as the settings page shows it."""
    async with cast.db.read() as connection:
        return await get_key(connection, cast.account_id, id)


async def status(cast: Cast, key: str) -> int:
    """The status of the API's response to a request with the key."""
    return (await cast.client.get("/v1/me/", key=key)).status_code


async def trail(cast: Cast, id: str) -> list[dict[str, Any]]:
    """The audit entries about a key."""
    async with cast.db.read() as connection:
        return await list_entries(connection, cast.account_id, "key", id)


async def test_the_same_seed_always_returns_the_same_key(acme: Cast) -> None:
    made = await asyncio.gather(*(make(acme, seed=SEED) for _ in range(5)))
    assert len(set(made)) == 1
    async with acme.db.read() as connection:
        listed = await list_keys(connection, acme.account_id)
    assert len(listed) == 3  # as well as the two keys of the fixture
    [(id, key)] = set(made)
    assert len(await trail(acme, id)) == 1
    assert await status(acme, key) == 200


async def test_a_key_shows_the_user_who_created_it(acme: Cast) -> None:
    owner_id = (await shown(acme, acme.key_id)).created_by
    assert owner_id is None  # a command made it
    async with acme.db.read() as connection:
        row = await connection.fetch_one(
            "SELECT user_id FROM api_key WHERE account_id = :a AND id = :id",
            {"a": acme.account_id, "id": acme.key_id},
        )
    assert row
    id, _ = await make(acme, by=Actor(kind="user", id=row["user_id"]))
    assert (await shown(acme, id)).created_by == acme.owner


async def test_a_key_of_another_account_is_not_found(acme: Cast, rival: Cast) -> None:
    with pytest.raises(NotFound):
        await shown(acme, rival.key_id)


async def test_a_rolled_key_and_its_new_key_both_work_until_the_overlap_ends(acme: Cast) -> None:
    old_id, old = await make(acme, scope=Scope.READ_WRITE)
    id, key = await roll(acme, old_id)
    assert (await status(acme, old), await status(acme, key)) == (200, 200)
    before, after = await shown(acme, old_id), await shown(acme, id)
    assert before.replaced_by == id
    assert before.expires_at is not None
    assert timedelta(minutes=59) < before.expires_at - now() <= HOUR
    assert (after.name, after.scope, after.user) == (before.name, before.scope, before.user)
    assert (after.expires_at, after.replaced_by) == (None, None)
    assert [entry["action"] for entry in await trail(acme, id)] == ["key.create"]
    made, rolled = await trail(acme, old_id)
    assert (made["action"], rolled["action"]) == ("key.create", "key.roll")
    assert rolled["before"] == {"expires_at": None}
    assert rolled["after"]["replaced_by"] == key[:12]


async def test_without_an_overlap_the_old_key_expires_immediately(acme: Cast) -> None:
    old_id, old = await make(acme)
    _, key = await roll(acme, old_id, timedelta())
    assert (await status(acme, old), await status(acme, key)) == (401, 200)


async def test_an_overlap_never_extends_the_expiry_of_a_key(acme: Cast) -> None:
    ends = now() + timedelta(minutes=5)
    old_id, _ = await make(acme, expires_at=ends)
    await roll(acme, old_id, timedelta(days=7))
    assert (await shown(acme, old_id)).expires_at == ends


@pytest.mark.parametrize("days", [30, 365])
async def test_the_new_key_has_the_lifetime_of_the_old_key(acme: Cast, days: int) -> None:
    old_id, _ = await make(acme, expires_at=now() + timedelta(days=days))
    id, _ = await roll(acme, old_id)
    new = await shown(acme, id)
    assert new.expires_at is not None
    assert new.expires_at - new.created_at == pytest.approx(
        timedelta(days=days), abs=timedelta(seconds=30)
    )


async def test_a_lifetime_to_the_end_of_the_calendar_is_limited_to_it(acme: Cast) -> None:
    old_id, _ = await make(acme, expires_at=datetime(9999, 1, 1, tzinfo=UTC))
    id, key = await roll(acme, old_id)
    ends = (await shown(acme, id)).expires_at
    assert ends is not None
    assert ends.year == 9999
    assert await status(acme, key) == 200


async def test_rolling_twice_with_the_same_seed_creates_one_key(acme: Cast) -> None:
    old_id, _ = await make(acme)
    assert await roll(acme, old_id, seed=SEED) == await roll(acme, old_id, seed=SEED)
    with pytest.raises(Invalid, match=r"already been rolled.* To stop this one now, revoke it"):
        await roll(acme, old_id, seed=SEED[::-1])


async def test_an_inactive_key_cannot_be_rolled(acme: Cast) -> None:
    old_id, _ = await make(acme, expires_at=now() - HOUR)
    with pytest.raises(Invalid, match="inactive"):
        await roll(acme, old_id)
    await keys.revoke_key(acme.db, acme.account_id, acme.key_id, by=BY)
    with pytest.raises(Invalid, match="inactive"):
        await roll(acme, acme.key_id)


async def test_a_key_of_a_removed_user_cannot_be_rolled(acme: Cast) -> None:
    async def work(tx: Any) -> None:
        await tx.execute("DELETE FROM account_user WHERE account_id = :a", {"a": acme.account_id})

    await acme.db.write(work)
    with pytest.raises(Invalid, match="no longer a user"):
        await roll(acme, acme.key_id)


async def test_a_key_of_another_account_cannot_be_rolled(acme: Cast, rival: Cast) -> None:
    with pytest.raises(NotFound):
        await roll(acme, rival.key_id)
    assert (await shown(rival, rival.key_id)).replaced_by is None
