"""Second factors of a user: adding, removing, requiring and resetting them."""

from typing import Any

import pytest

from masthead.model.errors import Invalid, NotFound
from masthead.model.identity.sign_ins import Client
from masthead.model.identity.totp import new_secret
from masthead.model.ids import token_digest
from masthead.model.types.enums import Role
from masthead.services import accounts, users
from masthead.services.identity import second_factors, second_step, sessions
from masthead.services.identity.second_factors import get_second_factors, passkey_of
from masthead.store.engine.interface import Transaction
from masthead.store.identity import sessions as store
from tests.conftest import BY, Cast
from tests.services.identity.authenticator import Authenticator
from tests.services.identity.factors import (
    SESSION,
    SITE,
    add_app,
    add_passkey,
    code_of,
    pending,
    verified,
)
from tests.services.identity.people import HOME, enter, let_in, owner_of, user_of
from tests.support.audit import list_entries


async def trail(cast: Cast, user_id: str) -> list[tuple[str, Any]]:
    """The audit entries of a user since the first factor."""
    async with cast.db.read() as db:
        entries = await list_entries(db, cast.account_id, "user", user_id)
    early = {"user.invite", "user.reset", "user.set_password", "user.sign_in"}
    return [(each["action"], each["after"]) for each in entries if each["action"] not in early]


async def notices(cast: Cast, recipient: str) -> list[str]:
    """The notices to a user in the outbox, oldest first."""
    rows = await cast.db.fetch_all(
        "SELECT body FROM outbox WHERE account_id = :id AND recipient = :recipient"
        " ORDER BY created_at, id",
        {"id": cast.account_id, "recipient": recipient},
    )
    return [row["body"] for row in rows]


async def require(cast: Cast, *, is_required: bool = True, by: Any = BY) -> None:
    """Turn the requirement of two-step sign-in on or off."""
    await accounts.update_account(
        cast.db, cast.account_id, requires_second_factor=is_required, by=by
    )


# --- Adding --------------------------------------------------------------------------------------


async def test_an_app_is_added_with_a_code_and_returns_ten_recovery_codes(acme: Cast) -> None:
    owner = await owner_of(acme)
    assert not owner.has_second_factor
    _, codes = await add_app(acme, owner)
    factors = await get_second_factors(acme.db, owner.user_id)
    assert factors.app is not None
    assert (len(set(codes)), factors.codes_left, factors.passkeys) == (10, 10, [])
    assert await trail(acme, owner.user_id) == [("user.add_app", None)]
    (notice,) = await notices(acme, acme.owner)
    assert "An authenticator app was added." in notice
    assert SITE.public_url in notice


@pytest.mark.parametrize("secret", ["", "not a secret", "A" * 31 + "1"])
async def test_a_malformed_secret_is_refused(acme: Cast, secret: str) -> None:
    owner = await owner_of(acme)
    with pytest.raises(Invalid, match="does not match"):
        await second_factors.add_app(
            acme.db, owner, secret=secret, code="123456", session=SESSION, site=None
        )


async def test_a_wrong_code_adds_nothing(acme: Cast) -> None:
    owner = await owner_of(acme)
    secret = new_secret()
    wrong = f"{(int(code_of(secret)) + 1) % 10**6:06}"
    for code in (wrong, ""):
        with pytest.raises(Invalid) as refusal:
            await second_factors.add_app(
                acme.db, owner, secret=secret, code=code, session=SESSION, site=SITE
            )
        assert refusal.value.field == "code"
    assert (await get_second_factors(acme.db, owner.user_id)).app is None
    assert await notices(acme, acme.owner) == []


async def test_a_new_app_replaces_the_old_one_and_keeps_the_recovery_codes(acme: Cast) -> None:
    owner = await owner_of(acme)
    old, _ = await add_app(acme, owner)
    new, codes = await add_app(acme, owner)
    assert codes == []
    app = (await get_second_factors(acme.db, owner.user_id)).app
    assert app is not None
    assert old != app.secret == new


async def test_the_first_factor_ends_other_sessions_and_unfinished_sign_ins(acme: Cast) -> None:
    owner = await owner_of(acme)
    here, elsewhere = await enter(acme), await enter(acme)
    token = await pending(acme)
    await add_app(acme, owner, session=here)
    assert await sessions.find_signed_in_user(acme.db, here)
    assert await sessions.find_signed_in_user(acme.db, elsewhere) is None
    assert await second_step.find_second_step(acme.db, token) is None


async def test_a_second_factor_added_later_ends_no_session(acme: Cast) -> None:
    owner = await owner_of(acme)
    await add_app(acme, owner)

    async def begin(tx: Transaction) -> None:
        await store.insert_session(tx, token_digest("other"), owner.user_id, "", browser="")

    await acme.db.write(begin)
    await add_passkey(acme, owner, Authenticator())
    assert await sessions.find_signed_in_user(acme.db, "other")


async def test_the_data_of_a_signed_in_user_says_whether_they_have_factors(acme: Cast) -> None:
    token = await user_token(acme)
    assert not (await user_of(acme, token)).has_second_factor
    await add_app(acme, await user_of(acme, token), session=token)
    assert (await user_of(acme, token)).has_second_factor


async def user_token(cast: Cast) -> str:
    """The token of a session of the owner."""
    await owner_of(cast)
    return await enter(cast)


# --- Recovery codes ------------------------------------------------------------------------------


async def test_new_recovery_codes_replace_the_old_ones(acme: Cast) -> None:
    owner = await owner_of(acme)
    _, old = await add_app(acme, owner)
    new = await second_factors.create_recovery_codes(acme.db, owner, site=SITE)
    assert not set(old) & set(new)
    assert (await get_second_factors(acme.db, owner.user_id)).codes_left == 10
    with pytest.raises(Invalid):
        await second_step.finish_by_recovery_code(acme.db, await pending(acme), old[0], site=None)
    assert ("user.create_recovery_codes", None) in await trail(acme, owner.user_id)
    assert "New recovery codes were created." in (await notices(acme, acme.owner))[-1]


async def test_without_a_factor_there_are_no_recovery_codes(acme: Cast) -> None:
    with pytest.raises(Invalid, match="Add an authenticator app or a passkey first"):
        await second_factors.create_recovery_codes(acme.db, await owner_of(acme), site=None)


async def test_only_digests_of_recovery_codes_are_stored(acme: Cast) -> None:
    owner = await owner_of(acme)
    _, codes = await add_app(acme, owner)
    rows = await acme.db.fetch_all(
        "SELECT digest FROM recovery_code WHERE user_id = :id", {"id": owner.user_id}
    )
    stored = " ".join(row["digest"] for row in rows).upper()
    assert not [code for code in codes if code.replace("-", "") in stored]


# --- Names of passkeys ----------------------------------------------------------------------------


async def test_a_passkey_is_renamed(acme: Cast) -> None:
    owner = await owner_of(acme)
    await add_passkey(acme, owner, Authenticator())
    (passkey,) = (await get_second_factors(acme.db, owner.user_id)).passkeys
    await second_factors.rename_passkey(acme.db, owner, passkey.id, name=" Blue phone ")
    factors = await get_second_factors(acme.db, owner.user_id)
    assert passkey_of(factors, passkey.id).name == "Blue phone"
    assert ("user.rename_passkey", {"name": "Blue phone"}) in await trail(acme, owner.user_id)
    with pytest.raises(Invalid):
        await second_factors.rename_passkey(acme.db, owner, passkey.id, name=" ")
    with pytest.raises(NotFound):
        passkey_of(factors, "other")


async def test_a_passkey_of_another_user_is_not_found(acme: Cast) -> None:
    owner, cleo = await owner_of(acme), await let_in(acme, "cleo")
    await add_passkey(acme, owner, Authenticator())
    (passkey,) = (await get_second_factors(acme.db, owner.user_id)).passkeys
    with pytest.raises(NotFound):
        await second_factors.rename_passkey(acme.db, cleo, passkey.id, name="Mine")
    await second_factors.remove_passkey(acme.db, cleo, passkey.id, site=None)
    assert (await get_second_factors(acme.db, owner.user_id)).passkeys == [passkey]


# --- Removing ------------------------------------------------------------------------------------


async def test_removing_the_last_factor_ends_two_step_sign_in_and_deletes_the_recovery_codes(
    acme: Cast,
) -> None:
    owner = await owner_of(acme)
    await add_app(acme, owner)
    await add_passkey(acme, owner, Authenticator())
    (passkey,) = (await get_second_factors(acme.db, owner.user_id)).passkeys
    await second_factors.remove_app(acme.db, owner, site=SITE)
    factors = await get_second_factors(acme.db, owner.user_id)
    assert (factors.app, factors.codes_left) == (None, 10)
    assert await second_step.needs_second_step(acme.db, await verified(acme))
    await second_factors.remove_passkey(acme.db, owner, passkey.id, site=SITE)
    assert (await get_second_factors(acme.db, owner.user_id)).codes_left == 0
    assert not await second_step.needs_second_step(acme.db, await verified(acme))
    assert [action for action, _ in await trail(acme, owner.user_id)][-2:] == [
        "user.remove_app",
        "user.remove_passkey",
    ]
    *_, first, last = await notices(acme, acme.owner)
    assert "The authenticator app was removed." in first
    assert "password alone" not in first
    assert "The passkey “Phone” was removed. You now sign in with only your password." in last


async def test_removing_a_factor_twice_changes_nothing_and_sends_no_email(acme: Cast) -> None:
    owner = await owner_of(acme)
    await second_factors.remove_app(acme.db, owner, site=SITE)
    await second_factors.remove_passkey(acme.db, owner, "none", site=SITE)
    assert await trail(acme, owner.user_id) == []
    assert await notices(acme, acme.owner) == []


async def test_without_an_email_server_no_notice_is_stored(acme: Cast) -> None:
    owner = await owner_of(acme)
    await add_app(acme, owner)
    before = len(await notices(acme, acme.owner))
    await second_factors.remove_app(acme.db, owner, site=None)
    assert len(await notices(acme, acme.owner)) == before


# --- Required by an account ----------------------------------------------------------------------


async def test_an_owner_without_a_factor_cannot_require_one(acme: Cast) -> None:
    owner = await owner_of(acme)
    with pytest.raises(Invalid) as refusal:
        await require(acme, by=owner.actor)
    assert refusal.value.field == "requires_second_factor"
    await add_app(acme, owner)
    await require(acme, by=owner.actor)
    token = await enter_by_code(acme)
    (membership,) = (await user_of(acme, token)).memberships
    assert membership.requires_second_factor


async def enter_by_code(cast: Cast) -> str:
    """Sign in the owner with a code of their app; returns the token of the session."""
    person = await verified(cast)
    app = (await get_second_factors(cast.db, person.user_id)).app
    assert app is not None
    token = await second_step.begin_second_step(cast.db, person)
    passed = await second_step.finish_by_code(cast.db, token, code_of(app.secret), site=None)
    return (await sessions.begin_session(cast.db, passed, Client(HOME))).token


async def test_requiring_two_step_sign_in_is_recorded_and_can_be_turned_off(acme: Cast) -> None:
    await require(acme)
    await require(acme)
    await require(acme, is_required=False)
    async with acme.db.read() as db:
        entries = await list_entries(db, acme.account_id, "account", str(acme.account_id))
    assert [each["after"] for each in entries if each["action"] == "account.update"] == [
        {"requires_second_factor": True},
        {"requires_second_factor": False},
    ]


async def test_the_last_factor_cannot_be_removed_if_the_account_requires_one(acme: Cast) -> None:
    owner = await owner_of(acme)
    await add_app(acme, owner)
    await require(acme)
    with pytest.raises(Invalid, match="Acme requires two-step sign-in"):
        await second_factors.remove_app(acme.db, owner, site=None)
    assert (await get_second_factors(acme.db, owner.user_id)).codes_left == 10
    await add_passkey(acme, owner, Authenticator())
    await second_factors.remove_app(acme.db, owner, site=None)
    (passkey,) = (await get_second_factors(acme.db, owner.user_id)).passkeys
    with pytest.raises(Invalid, match="your only way"):
        await second_factors.remove_passkey(acme.db, owner, passkey.id, site=None)
    await require(acme, is_required=False)
    await second_factors.remove_passkey(acme.db, owner, passkey.id, site=None)


# --- Reset and removal of a user -----------------------------------------------------------------


async def test_the_operator_resets_the_factors_of_a_user(acme: Cast) -> None:
    owner = await owner_of(acme)
    await add_app(acme, owner)
    await add_passkey(acme, owner, Authenticator())
    token = await pending(acme)
    await second_factors.reset_second_factors(acme.db, acme.owner.upper(), by=BY, site=SITE)
    factors = await get_second_factors(acme.db, owner.user_id)
    assert (factors.app, factors.passkeys, factors.codes_left) == (None, [], 0)
    assert await second_step.find_second_step(acme.db, token) is None
    assert await enter(acme)
    assert (await trail(acme, owner.user_id))[-1] == ("user.reset_factors", {"email": acme.owner})
    assert "Two-step sign-in was reset" in (await notices(acme, acme.owner))[-1]


async def test_a_reset_is_refused_for_unknown_users_and_users_without_factors(acme: Cast) -> None:
    await owner_of(acme)
    for email in (acme.owner, "nobody@nowhere.test"):
        with pytest.raises(Invalid, match="has no two-step sign-in to reset"):
            await second_factors.reset_second_factors(acme.db, email, by=BY)


async def test_a_user_removed_from_all_accounts_has_no_factors_and_gets_no_notice(
    acme: Cast,
) -> None:
    cleo = await let_in(acme, "cleo", Role.STAFF)
    await add_passkey(acme, cleo, Authenticator())
    before = len(await notices(acme, cleo.email))
    await users.remove_user(acme.db, acme.account_id, cleo.user_id, by=BY)
    assert (await get_second_factors(acme.db, cleo.user_id)).passkeys == []
    await add_app(acme, cleo)
    assert len(await notices(acme, cleo.email)) == before
