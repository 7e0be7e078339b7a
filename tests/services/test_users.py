"""The users of an account: who can invite them, and the effects of removing them."""

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
import time_machine

from masthead.model.errors import Invalid, NotFound
from masthead.model.history.entries import RecordNames
from masthead.model.history.fields import changes_in_log
from masthead.model.identity.memberships import SignedInUser
from masthead.model.identity.rights import Right
from masthead.model.translations import in_language
from masthead.model.types.enums import Role, Scope
from masthead.services import keys, users
from masthead.services.identity import sessions, sign_in
from masthead.services.users import add_user
from masthead.store import users as store
from tests.conftest import BY, Cast
from tests.services.identity.people import PASSWORD, enter, let_in, owner_of, user_by_link
from tests.services.test_accounts import trail

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


async def invite(
    cast: Cast, email: str, by: SignedInUser, role: Role = Role.STAFF
) -> users.InvitedUser:
    return await users.invite_user(cast.db, cast.account_id, email=email, role=role, by=by.actor)


async def roles(cast: Cast) -> dict[str, str]:
    async with cast.db.read() as connection:
        listed = await store.list_users(connection, cast.account_id)
    return {each.email: each.role for each in listed}


async def test_an_invitation_is_a_link_that_is_valid_for_seven_days(acme: Cast) -> None:
    owner = await owner_of(acme)
    email = f"bob@{acme.subdomain}.test"
    with time_machine.travel(NOON, tick=False) as clock:
        invited = await invite(acme, f" {email} ", owner)
        assert invited.is_new
        assert invited.token
        clock.shift(timedelta(days=6, hours=23))
        assert await sign_in.find_link(acme.db, invited.token) == email
        clock.shift(timedelta(hours=1))
        assert await sign_in.find_link(acme.db, invited.token) is None
    assert await roles(acme) == {acme.owner: "owner", email: "staff"}
    assert await trail(acme, "user", invited.id) == [
        (f"user:{owner.user_id}", "user.invite", None, {"email": email, "role": "staff"})
    ]


async def test_the_log_shows_the_rights_that_an_invited_user_was_given(acme: Cast) -> None:
    owner = await owner_of(acme)
    rights = frozenset({Right.DOWNLOAD, Right.DISPATCH})
    invited = await users.invite_user(
        acme.db,
        acme.account_id,
        email="bob@house.test",
        role=Role.STAFF,
        rights=rights,
        by=owner.actor,
    )
    [(_actor, action, _before, after)] = await trail(acme, "user", invited.id)
    assert (action, set(after["rights"])) == ("user.invite", set(rights))


async def test_a_user_invited_again_gets_a_new_link_until_they_have_a_password(acme: Cast) -> None:
    owner, email = await owner_of(acme), f"bob@{acme.subdomain}.test"
    first, second = [await invite(acme, email, owner) for _ in range(2)]
    assert first.token
    assert second.token
    assert not second.is_new
    assert await sign_in.find_link(acme.db, first.token) is None
    await user_by_link(acme, second.token)
    third = await invite(acme, email, owner)
    assert (third.token, third.is_new) == (None, False)
    assert len(await trail(acme, "user", third.id)) == 3


async def test_an_invitation_does_not_change_a_role(acme: Cast) -> None:
    owner = await owner_of(acme)
    bob = await let_in(acme, "bob")
    with pytest.raises(Invalid, match="already in this account, as staff") as refusal:
        await invite(acme, bob.email, owner, Role.OWNER)
    assert refusal.value.field == "email"


@pytest.mark.parametrize("email", ["bob", "", "bob@", "a@b c.test"])
async def test_an_invalid_email_address_is_refused(acme: Cast, email: str) -> None:
    with pytest.raises(Invalid) as refusal:
        await invite(acme, email, await owner_of(acme))
    assert refusal.value.field == "email"


async def test_an_owner_cannot_create_a_link_into_accounts_that_they_do_not_own(
    acme: Cast, rival: Cast
) -> None:
    owner, bob = await owner_of(acme), await let_in(acme, "bob")
    await add_user(rival.db, rival.account_id, email=bob.email, by=BY)
    with pytest.raises(Invalid, match="also in an account that you do not own"):
        await users.reset_user(acme.db, acme.account_id, bob.user_id, by=owner.actor)
    email, token = await users.reset_user(acme.db, acme.account_id, bob.user_id, by=BY)
    assert await sign_in.find_link(acme.db, token) == email == bob.email


async def test_an_owner_of_both_accounts_can_invite_a_user_to_both(acme: Cast, rival: Cast) -> None:
    owner, bob = await owner_of(acme), await let_in(acme, "bob")
    await users.invite_user(rival.db, rival.account_id, email=acme.owner, role=Role.OWNER, by=BY)
    invited = await invite(rival, bob.email, owner)
    assert invited.is_new
    assert invited.token is None
    user = await sessions.find_signed_in_user(acme.db, await enter(acme, email=bob.email))
    assert user
    assert {each.subdomain for each in user.memberships} == {acme.subdomain, rival.subdomain}


async def test_a_link_gives_no_access_to_accounts_that_were_added_later(
    acme: Cast, rival: Cast
) -> None:
    owner = await owner_of(acme)
    email = f"bob@{acme.subdomain}.test"
    link = (await invite(acme, email, owner)).token
    assert link
    await users.invite_user(rival.db, rival.account_id, email=email, role=Role.STAFF, by=BY)
    assert await sign_in.find_link(acme.db, link) is None


async def test_a_reset_creates_a_link_and_changes_nothing_else(acme: Cast) -> None:
    owner, bob = await owner_of(acme), await let_in(acme, "bob")
    email, token = await users.reset_user(acme.db, acme.account_id, bob.user_id, by=owner.actor)
    assert email == bob.email
    assert await enter(acme, PASSWORD, email=bob.email)
    assert await user_by_link(acme, token) == bob
    actions = [action for _, action, _, _ in await trail(acme, "user", bob.user_id)]
    assert "user.reset" in actions


async def test_a_changed_role_is_recorded_once(acme: Cast) -> None:
    owner, bob = await owner_of(acme), await let_in(acme, "bob")
    for _ in range(2):
        await users.change_role(
            acme.db, acme.account_id, bob.user_id, role=Role.OWNER, by=owner.actor
        )
    assert (await roles(acme))[bob.email] == "owner"
    assert (await trail(acme, "user", bob.user_id))[-1] == (
        f"user:{owner.user_id}",
        "user.change_role",
        {"role": "staff"},
        {"role": "owner"},
    )


async def test_the_last_owner_cannot_be_removed_or_become_staff(acme: Cast) -> None:
    owner, bob = await owner_of(acme), await let_in(acme, "bob")
    with pytest.raises(Invalid, match="the only owner"):
        await users.change_role(
            acme.db, acme.account_id, owner.user_id, role=Role.STAFF, by=owner.actor
        )
    with pytest.raises(Invalid, match="the only owner"):
        await users.remove_user(acme.db, acme.account_id, owner.user_id, by=owner.actor)
    await users.change_role(acme.db, acme.account_id, bob.user_id, role=Role.OWNER, by=BY)
    await users.change_role(acme.db, acme.account_id, owner.user_id, role=Role.STAFF, by=bob.actor)
    assert await roles(acme) == {acme.owner: "staff", bob.email: "owner"}


async def test_removing_a_user_ends_their_keys_links_and_sessions(acme: Cast) -> None:
    owner, bob = await owner_of(acme), await let_in(acme, "bob")
    key_id, key = await keys.create_key(
        acme.db, acme.account_id, user=bob.email, scope=Scope.READ_ONLY, by=BY
    )
    session = await enter(acme, email=bob.email)
    _, link = await users.reset_user(acme.db, acme.account_id, bob.user_id, by=BY)
    removed = await users.remove_user(acme.db, acme.account_id, bob.user_id, by=owner.actor)
    assert removed == bob.email
    assert (await acme.client.get("/v1/me/", key=key)).status_code == 401
    assert (await acme.get("/v1/me/")).status_code == 200
    assert await sessions.find_signed_in_user(acme.db, session) is None
    assert await sign_in.find_link(acme.db, link) is None
    assert bob.email not in await roles(acme)
    assert (await trail(acme, "key", key_id))[-1][:2] == (f"user:{owner.user_id}", "key.revoke")
    assert (await trail(acme, "user", bob.user_id))[-1] == (
        f"user:{owner.user_id}",
        "user.remove",
        {"email": bob.email, "role": "staff"},
        None,
    )
    with pytest.raises(Invalid, match="not a user of any account"):
        await sign_in.create_link(acme.db, bob.email, by=BY)
    again = await invite(acme, bob.email, owner)
    assert again.id == bob.user_id
    assert again.token


async def test_a_user_removed_from_one_account_keeps_the_other(acme: Cast, rival: Cast) -> None:
    bob = await let_in(acme, "bob")
    await add_user(rival.db, rival.account_id, email=bob.email, by=BY)
    session = await enter(acme, email=bob.email)
    await users.remove_user(acme.db, acme.account_id, bob.user_id, by=BY)
    user = await sessions.find_signed_in_user(acme.db, session)
    assert user
    assert [each.subdomain for each in user.memberships] == [rival.subdomain]


async def test_users_of_another_account_are_not_found(acme: Cast, rival: Cast) -> None:
    theirs = (await owner_of(rival)).user_id
    for refused in (
        users.reset_user(acme.db, acme.account_id, theirs, by=BY),
        users.change_role(acme.db, acme.account_id, theirs, role=Role.STAFF, by=BY),
        users.remove_user(acme.db, acme.account_id, theirs, by=BY),
    ):
        with pytest.raises(NotFound):
            await refused


async def test_changed_rights_are_recorded_by_name(acme: Cast) -> None:
    owner, bob = await owner_of(acme), await let_in(acme, "bob")
    rights = frozenset({Right.DISPATCH, Right.CORRECT})
    await users.change_role(
        acme.db, acme.account_id, bob.user_id, role=Role.STAFF, rights=rights, by=owner.actor
    )
    _by, action, before, after = (await trail(acme, "user", bob.user_id))[-1]
    assert action == "user.change_rights"
    for language, label, words in (
        ("en", "rights taken away", "Take orders; See money; Bill and record payments; Export"),
        ("de", "Rechte entzogen", "Bestellungen aufnehmen; Geldbeträge sehen; Rechnungen"),
    ):
        with in_language(language):
            [change] = changes_in_log(action, before, after, RecordNames({}, {}))
            assert (change.label, change.before) == (label, None)
            assert str(change.after).startswith(words)


async def test_a_user_with_the_settings_cannot_change_rights(acme: Cast) -> None:
    """They could give themselves more than an owner gave them."""
    owner, bob = await owner_of(acme), await let_in(acme, "bob")
    rights = frozenset({Right.SETTINGS})
    change = partial(users.change_role, acme.db, acme.account_id, bob.user_id, role=Role.STAFF)
    await change(rights=rights, by=owner.actor)
    with pytest.raises(Invalid, match="Only owners"):
        await change(rights=frozenset(Right), by=bob.actor)


async def test_the_rights_of_the_last_owner_cannot_be_reduced(acme: Cast) -> None:
    owner = await owner_of(acme)
    with pytest.raises(Invalid, match="only owner"):
        await users.change_role(
            acme.db,
            acme.account_id,
            owner.user_id,
            role=Role.STAFF,
            rights=frozenset(Right),
            by=owner.actor,
        )
