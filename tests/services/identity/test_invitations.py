"""Invitations of users who belong to another publisher on the same server."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from masthead.model.errors import Invalid
from masthead.model.types.enums import Role
from masthead.services import users
from masthead.services.identity import invitations, sessions, sign_in
from masthead.services.users import add_user
from masthead.store import users as store
from masthead.store.users import User
from tests.conftest import BY, Cast
from tests.services.identity.people import enter, owner_of, user_of

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


async def invite(acme: Cast, rival: Cast, role: Role = Role.STAFF) -> str:
    """Let the owner of Acme invite the owner of Rival; returns the token."""
    owner = await owner_of(acme)
    invited = await users.invite_user(
        acme.db, acme.account_id, email=rival.owner, role=role, by=owner.actor
    )
    assert invited.is_new
    assert invited.token
    return invited.token


async def guest_of(acme: Cast, rival: Cast) -> User | None:
    return await store.find_user(acme.db, acme.account_id, rival.owner)


async def test_before_accepting_a_user_is_not_in_the_account_and_is_not_listed(
    acme: Cast, rival: Cast
) -> None:
    guest = await owner_of(rival)
    token = await invite(acme, rival)
    assert await sign_in.find_link(acme.db, token) is None  # it sets no password
    with pytest.raises(Invalid, match="This link"):
        await sign_in.use_link(acme.db, token, "another harbour, at dusk")
    shown = await guest_of(acme, rival)
    assert shown
    assert (shown.is_pending, shown.has_password, shown.seen_at) == (True, False, None)
    user = await user_of(acme, await enter(rival))
    assert user.memberships == guest.memberships


async def test_an_invitation_can_be_accepted_once_by_the_invited_user(
    acme: Cast, rival: Cast
) -> None:
    guest = await owner_of(rival)
    token = await invite(acme, rival)
    invitation = await invitations.find_invitation(acme.db, token)
    assert invitation
    assert (invitation.email, invitation.subdomain) == (rival.owner, acme.subdomain)
    stranger, session = await owner_of(acme), await enter(acme)
    with pytest.raises(Invalid, match="already been accepted, or it has expired"):
        await invitations.accept_invitation(acme.db, stranger, token, session=session)
    session = await enter(rival)
    joined = await invitations.accept_invitation(acme.db, guest, token, session=session)
    assert joined == acme.subdomain
    with pytest.raises(Invalid, match="already been accepted, or it has expired"):
        await invitations.accept_invitation(acme.db, guest, token, session=session)
    user = await user_of(acme, await enter(rival))
    assert {each.subdomain for each in user.memberships} == {acme.subdomain, rival.subdomain}
    shown = await guest_of(acme, rival)
    assert shown
    assert (shown.is_pending, shown.has_password) == (False, True)


async def test_an_invitation_ends_after_seven_days_or_with_the_next_one(
    acme: Cast, rival: Cast
) -> None:
    owner = await owner_of(acme)
    with time_machine.travel(NOON, tick=False) as clock:
        first = await invite(acme, rival)
        again = await users.invite_user(
            acme.db, acme.account_id, email=rival.owner, role=Role.STAFF, by=owner.actor
        )
        assert not again.is_new
        assert again.token
        assert await invitations.find_invitation(acme.db, first) is None
        assert await invitations.find_invitation(acme.db, again.token)
        clock.shift(timedelta(days=7))
        assert await invitations.find_invitation(acme.db, again.token) is None
        email, token = await users.reset_user(acme.db, acme.account_id, again.id, by=owner.actor)
        assert email == rival.owner
        assert await invitations.find_invitation(acme.db, token)
        clock.shift(timedelta(days=1))
        assert await invitations.find_invitation(acme.db, token) is None


async def test_an_invitation_does_not_end_other_links_of_the_user(acme: Cast, rival: Cast) -> None:
    await owner_of(rival)
    link = await sign_in.create_link(rival.db, rival.owner, by=BY)
    await invite(acme, rival)
    assert await sign_in.find_link(rival.db, link) == rival.owner


async def test_withdrawing_an_invitation_does_not_change_the_user(acme: Cast, rival: Cast) -> None:
    await owner_of(rival)
    session = await enter(rival)
    link = await sign_in.create_link(rival.db, rival.owner, by=BY)
    token = await invite(acme, rival, Role.OWNER)
    owner, shown = await owner_of(acme), await guest_of(acme, rival)
    assert shown
    await users.remove_user(acme.db, acme.account_id, shown.id, by=owner.actor)
    assert await guest_of(acme, rival) is None
    assert await invitations.find_invitation(acme.db, token) is None
    assert await sessions.find_signed_in_user(rival.db, session)
    assert await sign_in.find_link(rival.db, link)
    assert await enter(rival)


async def test_an_invited_owner_is_not_an_owner_before_accepting(acme: Cast, rival: Cast) -> None:
    await owner_of(rival)
    await invite(acme, rival, Role.OWNER)
    owner = await owner_of(acme)
    with pytest.raises(Invalid, match="only owner"):
        await users.remove_user(acme.db, acme.account_id, owner.user_id, by=owner.actor)


@pytest.mark.parametrize("way", ["invite", "add"])
async def test_the_operator_can_add_such_a_user_without_an_invitation(
    acme: Cast, rival: Cast, way: str
) -> None:
    await owner_of(rival)
    await invite(acme, rival)
    if way == "add":
        await add_user(acme.db, acme.account_id, email=rival.owner, by=BY)
    else:
        invited = await users.invite_user(
            acme.db, acme.account_id, email=rival.owner, role=Role.STAFF, by=BY
        )
        assert invited.token is None
    user = await user_of(acme, await enter(rival))
    assert acme.subdomain in {each.subdomain for each in user.memberships}


async def test_a_user_without_any_account_is_invited_as_a_new_user(acme: Cast, rival: Cast) -> None:
    guest, owner = await owner_of(rival), await owner_of(acme)
    await users.invite_user(rival.db, rival.account_id, email=acme.owner, role=Role.OWNER, by=BY)
    await invite_as_stranger(acme, rival, guest.user_id)
    await users.remove_user(rival.db, rival.account_id, guest.user_id, by=BY)
    _, token = await users.reset_user(acme.db, acme.account_id, guest.user_id, by=owner.actor)
    assert await sign_in.find_link(acme.db, token) == rival.owner
    shown = await guest_of(acme, rival)
    assert shown
    assert not shown.is_pending


async def invite_as_stranger(acme: Cast, rival: Cast, user_id: str) -> None:
    """Invite the owner of Rival as an owner of Acme who owns no other account."""
    email = f"second@{acme.subdomain}.test"
    second = await users.invite_user(acme.db, acme.account_id, email=email, role=Role.OWNER, by=BY)
    assert second.token
    session = await sign_in.use_link(acme.db, second.token, "another harbour, at dusk")
    by = (await user_of(acme, session.token)).actor
    invited = await users.invite_user(
        acme.db, acme.account_id, email=rival.owner, role=Role.STAFF, by=by
    )
    assert invited.id == user_id
