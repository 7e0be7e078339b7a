"""Signing in, by password and by link, and how sessions end."""

import asyncio
import itertools
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from argon2 import PasswordHasher

from masthead.model.clock import now
from masthead.model.errors import Invalid, Unavailable
from masthead.model.identity.memberships import SignedInUser
from masthead.model.identity.sign_ins import Client, NewSession
from masthead.model.types.enums import Role
from masthead.services.identity import passwords, preferences, sessions, sign_in
from masthead.services.identity.server_secrets import get_secret
from masthead.store.engine.interface import Transaction
from masthead.store.identity import people
from tests.conftest import BY, Cast
from tests.services.identity.people import HOME, PASSWORD, enter, fail, let_in, owner_of, user_of
from tests.support.audit import list_entries

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


async def rows(cast: Cast, sql: str, **parameters: object) -> list[dict[str, Any]]:
    async with cast.db.read() as connection:
        return [dict(row) for row in await connection.fetch_all(sql, parameters)]


async def actions_of(cast: Cast, user_id: str) -> list[str]:
    """The entry types of the audit entries about a user."""
    async with cast.db.read() as connection:
        entries = await list_entries(connection, cast.account_id, "user", user_id)
    assert all((each["actor_kind"], each["actor_id"]) != ("user", "") for each in entries)
    return [each["action"] for each in entries]


# --- Passwords ------------------------------------------------------------------------------------


async def test_a_breached_password_still_signs_in_but_cannot_be_set_again(acme: Cast) -> None:
    owner = await owner_of(acme)
    kept = await passwords.hash_password("password1234")

    async def work(tx: Transaction) -> None:
        await people.update_password(tx, owner.user_id, kept)

    await acme.db.write(work)
    user = await user_of(acme, await enter(acme, "password1234"))
    assert user.user_id == owner.user_id
    with pytest.raises(Invalid, match="This password is too common"):
        await sign_in.change_password(
            acme.db, owner, current="password1234", new="password1234", client=Client(HOME)
        )


async def test_the_correct_password_starts_a_session(acme: Cast, rival: Cast) -> None:
    owner = await owner_of(acme)
    user = await user_of(acme, await enter(acme, email=f" {acme.owner.upper()} "))
    assert user == owner
    assert (user.email, user.has_shortcuts) == (acme.owner, True)
    assert (user.actor.kind, user.actor.id) == ("user", user.user_id)
    (place,) = user.memberships
    assert (place.account_id, place.subdomain, place.name) == (
        acme.account_id,
        acme.subdomain,
        acme.name,
    )
    assert (place.role, place.currency, place.locale) == (Role.OWNER, "EUR", "en_GB")
    assert place.is_active
    assert await actions_of(acme, user.user_id) == [
        "user.reset",
        "user.set_password",
        "user.sign_in",
    ]


@pytest.mark.parametrize("kind", ["password", "person", "no password", "nul"])
async def test_every_failed_sign_in_gets_the_same_error(
    acme: Cast, network: str, kind: str
) -> None:
    if kind != "no password":
        await owner_of(acme)
    email = {"person": f"nobody@{acme.subdomain}.test", "nul": "nobody\0@acme.test"}.get(kind)
    with pytest.raises(Invalid) as refusal:
        await enter(acme, "some other password", email=email or acme.owner, address=network)
    assert refusal.value.field == "password"
    assert str(refusal.value).startswith("This email address and password do not match.")


async def test_only_digests_of_tokens_are_stored(acme: Cast) -> None:
    user = await owner_of(acme)
    token, link = await enter(acme), await sign_in.create_link(acme.db, acme.owner, by=BY)
    kept = str(await rows(acme, "SELECT * FROM web_session")) + str(
        await rows(acme, "SELECT * FROM sign_in_link")
    )
    assert user.user_id in kept
    assert token not in kept
    assert link not in kept


async def test_an_outdated_hash_is_replaced_at_sign_in(acme: Cast) -> None:
    user = await owner_of(acme)

    async def kept() -> str:
        (row,) = await rows(acme, "SELECT * FROM app_user WHERE id = :id", id=user.user_id)
        return str(row["password_hash"])

    async def outdate(tx: Any) -> None:
        await tx.execute(
            "UPDATE app_user SET password_hash = :hash WHERE id = :id",
            {
                "id": user.user_id,
                "hash": PasswordHasher(2, 8, 1).hash(PASSWORD),
            },
        )

    await acme.db.write(outdate)
    await enter(acme)
    first = await kept()
    assert "t=1," in first
    await enter(acme)
    assert await kept() == first


async def test_no_session_starts_if_the_password_is_changed_during_the_sign_in(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    await owner_of(acme)
    link = await sign_in.create_link(acme.db, acme.owner, by=BY)

    async def slowly(password_hash: str | None, password: str, *, is_known: bool) -> bool:
        matched = await passwords.matches(password_hash, password, is_known=is_known)
        await sign_in.use_link(acme.db, link, "another harbour, at dusk")
        return matched

    monkeypatch.setattr(sign_in, "matches", slowly)
    with pytest.raises(Invalid, match="do not match"):
        await enter(acme)


async def test_a_changed_password_ends_sessions_that_start_at_the_same_time(
    acme: Cast, network: str
) -> None:
    words = [f"seven quiet lighthouses {number}" for number in range(6)]
    link = await sign_in.create_link(acme.db, acme.owner, by=BY)
    await sign_in.use_link(acme.db, link, words[0])
    for old, new in itertools.pairwise(words):
        link = await sign_in.create_link(acme.db, acme.owner, by=BY)
        *entered, changed = await asyncio.gather(
            *(enter(acme, old, address=network) for _ in range(3)),
            sign_in.use_link(acme.db, link, new),
            return_exceptions=True,
        )
        assert isinstance(changed, NewSession)
        for token in entered:
            assert isinstance(token, str | Invalid)
            assert isinstance(token, Invalid) or not await sessions.find_signed_in_user(
                acme.db, token
            )
        assert await sessions.find_signed_in_user(acme.db, changed.token)


# --- Sessions -------------------------------------------------------------------------------------


async def test_an_unknown_token_does_not_belong_to_a_user(acme: Cast) -> None:
    for token in ("", "x" * 43, "é\0", "0" * 10_000):
        assert await sessions.find_signed_in_user(acme.db, token) is None


async def see_page(cast: Cast, token: str) -> SignedInUser | None:
    """Open a page, and wait until the last use of the session is stored."""
    user = await sessions.find_signed_in_user(cast.db, token)
    await asyncio.gather(*sessions._pending_updates)
    return user


async def test_a_session_ends_after_two_hours_without_use(acme: Cast) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        await owner_of(acme)
        token = await enter(acme)
        for _ in range(3):
            clock.shift(timedelta(hours=1, minutes=59))
            assert await see_page(acme, token)
        clock.shift(timedelta(hours=2))
        assert await see_page(acme, token) is None


async def test_a_session_ends_after_twelve_hours_of_use(acme: Cast) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        await owner_of(acme)
        token = await enter(acme)
        for _ in range(11):
            clock.shift(timedelta(hours=1))
            assert await see_page(acme, token)
        clock.shift(timedelta(minutes=59, seconds=59))
        assert await see_page(acme, token)
        clock.shift(timedelta(seconds=1))
        assert await see_page(acme, token) is None


async def test_the_last_use_of_a_session_is_stored_once_a_minute(acme: Cast) -> None:
    async def seen_at() -> datetime:
        (session,) = await sessions.list_sessions(acme.db, owner.user_id)
        return session.seen_at

    with time_machine.travel(NOON, tick=False) as clock:
        owner = await owner_of(acme)
        token = await enter(acme)
        await sessions.sign_out_everywhere(acme.db, owner.user_id)
        token = await enter(acme)
        for seconds, seen in ((0, 0), (59, 0), (60, 60), (119, 60), (120, 120)):
            clock.move_to(NOON + timedelta(seconds=seconds))
            await see_page(acme, token)
            assert await seen_at() == NOON + timedelta(seconds=seen)


async def test_a_page_does_not_wait_for_a_long_write_to_store_the_last_use(acme: Cast) -> None:
    class Busy:
        """A database whose writes wait or are refused."""

        def __init__(self, *, refuses: bool = False) -> None:
            self.is_free, self._refuses = asyncio.Event(), refuses

        def __getattr__(self, name: str) -> Any:
            return getattr(acme.db, name)

        async def write(self, work: Any, **options: Any) -> Any:
            if self._refuses:
                raise Unavailable
            await self.is_free.wait()
            return await acme.db.write(work, **options)

    async def seen_at() -> datetime:
        return max(each.seen_at for each in await sessions.list_sessions(acme.db, owner.user_id))

    with time_machine.travel(NOON, tick=False) as clock:
        owner = await owner_of(acme)
        token = await enter(acme)
    with time_machine.travel(NOON, tick=False) as clock:
        clock.shift(timedelta(minutes=1))
        refusing, busy = Busy(refuses=True), Busy()
        for database in (refusing, busy):
            assert await sessions.find_signed_in_user(database, token) == owner
        assert await seen_at() == NOON
        busy.is_free.set()
        await asyncio.gather(*sessions._pending_updates)
        assert await seen_at() == NOON + timedelta(minutes=1)


async def test_signing_out_ends_only_that_session(acme: Cast) -> None:
    owner = await owner_of(acme)
    here, there = await enter(acme), await enter(acme)
    await sessions.sign_out(acme.db, owner.user_id, here)
    await sessions.sign_out(acme.db, owner.user_id, here)
    assert await sessions.find_signed_in_user(acme.db, here) is None
    assert await sessions.find_signed_in_user(acme.db, there)


async def test_signing_out_everywhere_ends_all_sessions_of_that_user(acme: Cast) -> None:
    owner, bob = await owner_of(acme), await let_in(acme, "bob")
    tokens = [await enter(acme) for _ in range(2)]
    theirs = await enter(acme, email=bob.email)
    assert [each.address for each in await sessions.list_sessions(acme.db, owner.user_id)] == [
        HOME
    ] * 3
    await sessions.sign_out_everywhere(acme.db, owner.user_id)
    assert [await sessions.find_signed_in_user(acme.db, token) for token in tokens] == [None, None]
    assert await sessions.find_signed_in_user(acme.db, theirs)
    assert "user.sign_out_everywhere" in await actions_of(acme, owner.user_id)


# --- Links ----------------------------------------------------------------------------------------


async def test_a_link_sets_the_password_once_and_ends_all_sessions(acme: Cast) -> None:
    await owner_of(acme)
    before = await enter(acme)
    link = await sign_in.create_link(acme.db, acme.owner, by=BY)
    assert await sign_in.find_link(acme.db, link) == acme.owner
    assert await sessions.find_signed_in_user(acme.db, before)
    after = await sign_in.use_link(acme.db, link, "another harbour, at dusk")
    assert await sessions.find_signed_in_user(acme.db, after.token)
    assert await sessions.find_signed_in_user(acme.db, before) is None
    assert await sign_in.find_link(acme.db, link) is None
    with pytest.raises(Invalid, match="already been used, or it has expired"):
        await sign_in.use_link(acme.db, link, "a third harbour, at dawn")
    with pytest.raises(Invalid, match="do not match"):
        await enter(acme)
    assert await enter(acme, "another harbour, at dusk")


async def test_a_refused_password_does_not_use_up_the_link(acme: Cast) -> None:
    link = await sign_in.create_link(acme.db, acme.owner, by=BY)
    for password in ("short", "password1234", acme.owner):
        with pytest.raises(Invalid) as refusal:
            await sign_in.use_link(acme.db, link, password)
        assert refusal.value.field == "password"
    session = await sign_in.use_link(acme.db, link, PASSWORD)
    assert await sessions.find_signed_in_user(acme.db, session.token)


async def test_a_link_used_several_times_at_once_works_once(acme: Cast) -> None:
    link = await sign_in.create_link(acme.db, acme.owner, by=BY)
    words = [f"seven quiet lighthouses {number}" for number in range(4)]
    outcomes = await asyncio.gather(
        *(sign_in.use_link(acme.db, link, password) for password in words), return_exceptions=True
    )
    won = [place for place, outcome in enumerate(outcomes) if isinstance(outcome, NewSession)]
    assert len(won) == 1
    assert all(isinstance(each, (NewSession, Invalid)) for each in outcomes)
    assert await enter(acme, words[won[0]])


async def test_a_new_link_ends_the_previous_one(acme: Cast) -> None:
    first, second = [await sign_in.create_link(acme.db, acme.owner, by=BY) for _ in range(2)]
    assert await sign_in.find_link(acme.db, first) is None
    assert await sign_in.find_link(acme.db, second) == acme.owner


async def test_a_link_to_reset_a_password_works_for_a_day(acme: Cast) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        link = await sign_in.create_link(acme.db, acme.owner, by=BY)
        clock.shift(timedelta(hours=23, minutes=59))
        assert await sign_in.find_link(acme.db, link)
        clock.shift(timedelta(minutes=1))
        assert await sign_in.find_link(acme.db, link) is None
        with pytest.raises(Invalid, match="has expired"):
            await sign_in.use_link(acme.db, link, PASSWORD)


@pytest.mark.parametrize("token", ["", "x" * 43, "\0"])
async def test_an_unknown_link_is_refused(acme: Cast, token: str) -> None:
    assert await sign_in.find_link(acme.db, token) is None
    with pytest.raises(Invalid, match="This link"):
        await sign_in.use_link(acme.db, token, PASSWORD)


# --- Settings of the user ------------------------------------------------------------------------


async def test_changing_the_password_ends_all_other_sessions(acme: Cast) -> None:
    owner = await owner_of(acme)
    before = await enter(acme)
    after = await sign_in.change_password(
        acme.db, owner, current=PASSWORD, new="another harbour, at dusk", client=Client(HOME)
    )
    assert await user_of(acme, after.token) == owner
    assert await sessions.find_signed_in_user(acme.db, before) is None
    assert await enter(acme, "another harbour, at dusk")


async def test_changing_the_password_requires_the_current_one(acme: Cast, network: str) -> None:
    owner = await owner_of(acme)
    with pytest.raises(Invalid) as refusal:
        await sign_in.change_password(
            acme.db, owner, current="wrong", new="another harbour, at dusk", client=Client(network)
        )
    assert refusal.value.field == "current"
    with pytest.raises(Invalid) as refusal:
        await sign_in.change_password(
            acme.db, owner, current=PASSWORD, new="short", client=Client(network)
        )
    assert refusal.value.field == "new"
    assert await enter(acme)


async def test_each_user_chooses_whether_to_have_shortcuts(acme: Cast) -> None:
    owner = await owner_of(acme)
    token = await enter(acme)
    for choice in (False, True):
        await preferences.set_shortcuts(acme.db, owner.user_id, has_shortcuts=choice)
        assert (await user_of(acme, token)).has_shortcuts is choice


# --- Housekeeping ---------------------------------------------------------------------------------


async def test_expired_rows_are_deleted(acme: Cast, network: str) -> None:
    async def count(table: str) -> int:
        return len(await rows(acme, f"SELECT * FROM {table}"))  # noqa: S608 - our own names

    with time_machine.travel(now() + timedelta(days=900), tick=False) as clock:
        await sign_in.purge(acme.db)
        assert [await count(each) for each in ("web_session", "throttle")] == [0, 0]
        await owner_of(acme)
        await fail(acme, network)
        await sign_in.create_link(acme.db, acme.owner, by=BY)
        await sign_in.purge(acme.db)
        assert await count("web_session") == 1
        assert await count("sign_in_link") == 1
        failed = await count("throttle")
        assert failed >= 2
        clock.shift(timedelta(hours=2))
        await sign_in.purge(acme.db)
        assert await count("web_session") == 0
        assert await count("throttle") == failed
        clock.shift(timedelta(hours=22))
        await sign_in.purge(acme.db)
        assert await count("sign_in_link") == 0
        assert await count("throttle") == 0


async def test_the_cookie_secret_is_created_once(acme: Cast) -> None:
    secrets = await asyncio.gather(*(get_secret(acme.db) for _ in range(3)))
    assert len(set(secrets)) == 1
    assert len(secrets[0]) == 32
