"""One-time links end when their makers lose the right to create them, or their users move."""

from collections.abc import Awaitable, Callable

import pytest

from masthead.model.emails import Site
from masthead.model.errors import Invalid
from masthead.model.identity.memberships import SignedInUser
from masthead.model.types.enums import Role
from masthead.services import accounts, users
from masthead.services.emails import outbox as sending
from masthead.services.identity import invitations, sign_in
from masthead.services.users import add_user
from masthead.store.background import outbox
from masthead.store.engine.interface import Transaction
from tests.conftest import BY, Cast
from tests.services.identity.people import PASSWORD, enter, let_in, owner_of, user_of
from tests.support.protections import PROTECTIONS

OTHER = "another harbour, at dusk"
SITE = Site("https://desk.acme.test", "placeholder.example")


def switch_off(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Switch protections off."""
    for name in names:
        for replacement in PROTECTIONS[name]:
            monkeypatch.setattr(*replacement)


async def link_by(cast: Cast, maker: SignedInUser | None, user: SignedInUser) -> str:
    """A link for a user of the account. maker: the owner who creates it; None for the operator."""
    if maker is None:
        return await sign_in.create_link(cast.db, user.email, by=BY)
    _, token = await users.reset_user(cast.db, cast.account_id, user.user_id, by=maker.actor)
    return token


async def works(cast: Cast, token: str) -> bool:
    """Whether the page of a link shows its form, and the form sets the password."""
    if await sign_in.find_link(cast.db, token) is None:
        with pytest.raises(Invalid, match="This link has already been used"):
            await sign_in.use_link(cast.db, token, OTHER)
        return False
    await sign_in.use_link(cast.db, token, OTHER)
    return True


async def change(cast: Cast, user: SignedInUser, role: Role, by: SignedInUser) -> None:
    await users.change_role(cast.db, cast.account_id, user.user_id, role=role, by=by.actor)


# --- Joining an account --------------------------------------------------------------------------


async def accepts(rival: Cast, bob: SignedInUser) -> None:
    """An owner of the other account invites Bob, who accepts."""
    owner = await owner_of(rival)
    invited = await users.invite_user(
        rival.db, rival.account_id, email=bob.email, role=Role.OWNER, by=owner.actor
    )
    assert invited.token
    session = await enter(rival, email=bob.email)
    await invitations.accept_invitation(rival.db, bob, invited.token, session=session)


async def is_invited_by_the_operator(rival: Cast, bob: SignedInUser) -> None:
    await users.invite_user(rival.db, rival.account_id, email=bob.email, role=Role.OWNER, by=BY)


async def is_invited_twice(rival: Cast, bob: SignedInUser) -> None:
    """An owner invites Bob, and then the operator, so that Bob does not have to accept."""
    owner = await owner_of(rival)
    await users.invite_user(
        rival.db, rival.account_id, email=bob.email, role=Role.OWNER, by=owner.actor
    )
    await is_invited_by_the_operator(rival, bob)


async def is_added(rival: Cast, bob: SignedInUser) -> None:
    await add_user(rival.db, rival.account_id, email=bob.email, by=BY)


async def is_invited_and_added(rival: Cast, bob: SignedInUser) -> None:
    owner = await owner_of(rival)
    await users.invite_user(
        rival.db, rival.account_id, email=bob.email, role=Role.STAFF, by=owner.actor
    )
    await is_added(rival, bob)


async def gets_a_new_account(rival: Cast, bob: SignedInUser) -> None:
    await accounts.create_account(
        rival.db,
        name="Third",
        subdomain=f"third-{rival.subdomain}",
        currency="EUR",
        owner=bob.email,
        by=BY,
    )


Join = Callable[[Cast, SignedInUser], Awaitable[None]]
WAYS = [
    accepts,
    is_invited_by_the_operator,
    is_invited_twice,
    is_added,
    is_invited_and_added,
    gets_a_new_account,
]


@pytest.mark.parametrize("join", WAYS)
@pytest.mark.parametrize("maker", ["owner", "operator"])
async def test_a_link_ends_when_its_user_joins_another_account(
    acme: Cast, rival: Cast, join: Join, maker: str
) -> None:
    owner, bob = await owner_of(acme), await let_in(acme, "bob")
    link = await link_by(acme, owner if maker == "owner" else None, bob)
    await join(rival, bob)
    assert not await works(acme, link)
    assert await enter(acme, PASSWORD, email=bob.email)  # the password is still Bob's own


async def test_without_ending_links_only_the_link_of_the_operator_opens_the_new_account(
    acme: Cast, rival: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    switch_off(monkeypatch, "links of users who join or leave")
    owner, bob = await owner_of(acme), await let_in(acme, "bob")
    link = await link_by(acme, owner, bob)
    await accepts(rival, bob)
    assert not await works(acme, link)  # its maker does not own the other account
    third = await let_in(acme, "third")
    link = await link_by(acme, None, third)
    await accepts(rival, third)
    assert await works(acme, link)


async def test_without_protection_the_link_of_an_owner_opens_another_publishers_account(
    acme: Cast, rival: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    switch_off(monkeypatch, "links of users who join or leave", "makers of links")
    owner, bob = await owner_of(acme), await let_in(acme, "bob")
    link = await link_by(acme, owner, bob)
    await accepts(rival, bob)
    assert await works(acme, link)
    intruder = await user_of(acme, await enter(acme, OTHER, email=bob.email))
    roles = {each.subdomain: each.role for each in intruder.memberships}
    assert roles[rival.subdomain] is Role.OWNER


async def test_the_first_link_ends_when_the_next_one_lets_a_pending_user_in(
    acme: Cast, rival: Cast
) -> None:
    """The user was invited, and lost their only account before they accepted."""
    guest, owner = await owner_of(rival), await owner_of(acme)
    await users.invite_user(rival.db, rival.account_id, email=acme.owner, role=Role.OWNER, by=BY)
    second = await let_in(acme, "second", Role.OWNER)
    invited = await users.invite_user(
        acme.db, acme.account_id, email=rival.owner, role=Role.STAFF, by=second.actor
    )
    assert invited.token
    await users.remove_user(rival.db, rival.account_id, guest.user_id, by=BY)
    link = await link_by(acme, owner, guest)
    assert await invitations.find_invitation(acme.db, invited.token) is None
    assert await works(acme, link)


# --- Leaving an account --------------------------------------------------------------------------


async def test_a_link_ends_when_its_user_leaves_an_account(acme: Cast, rival: Cast) -> None:
    owner, bob = await owner_of(acme), await let_in(acme, "bob")
    await users.invite_user(rival.db, rival.account_id, email=acme.owner, role=Role.OWNER, by=BY)
    await is_added(rival, bob)
    link = await link_by(acme, owner, bob)  # the owner owns both accounts
    await users.remove_user(acme.db, acme.account_id, bob.user_id, by=BY)
    assert not await works(acme, link)


async def test_without_ending_links_the_link_works_after_its_user_has_left(
    acme: Cast, rival: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    switch_off(monkeypatch, "links of users who join or leave")
    with pytest.raises(AssertionError):
        await test_a_link_ends_when_its_user_leaves_an_account(acme, rival)


# --- Losing the right to create a link -----------------------------------------------------------


@pytest.mark.parametrize("how", ["demoted", "removed"])
async def test_a_link_does_not_work_after_its_maker_is_no_longer_an_owner(
    acme: Cast, how: str
) -> None:
    owner, bob = await owner_of(acme), await let_in(acme, "bob")
    maker = await let_in(acme, "maker", Role.OWNER)
    link = await link_by(acme, maker, bob)
    if how == "demoted":
        await change(acme, maker, Role.STAFF, by=owner)
    else:
        await users.remove_user(acme.db, acme.account_id, maker.user_id, by=owner.actor)
    assert not await works(acme, link)
    assert await enter(acme, PASSWORD, email=bob.email)


@pytest.mark.parametrize("how", ["demoted", "removed"])
async def test_without_checking_the_maker_it_works(
    acme: Cast, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    switch_off(monkeypatch, "makers of links")
    with pytest.raises(AssertionError):
        await test_a_link_does_not_work_after_its_maker_is_no_longer_an_owner(acme, how)


async def test_an_invitation_to_set_a_password_does_not_work_after_its_maker_is_demoted(
    acme: Cast,
) -> None:
    owner, maker = await owner_of(acme), await let_in(acme, "maker", Role.OWNER)
    email = f"cleo@{acme.subdomain}.test"
    invited = await users.invite_user(
        acme.db, acme.account_id, email=email, role=Role.OWNER, by=maker.actor
    )
    assert invited.token
    await change(acme, maker, Role.STAFF, by=owner)
    assert not await works(acme, invited.token)
    again = await users.invite_user(
        acme.db, acme.account_id, email=email, role=Role.OWNER, by=owner.actor
    )
    assert again.token
    assert await works(acme, again.token)


async def test_a_link_into_two_accounts_does_not_work_after_its_maker_loses_one(
    acme: Cast, rival: Cast
) -> None:
    owner, bob = await owner_of(acme), await let_in(acme, "bob")
    other = await owner_of(rival)
    await users.invite_user(rival.db, rival.account_id, email=acme.owner, role=Role.OWNER, by=BY)
    await is_added(rival, bob)
    link = await link_by(acme, owner, bob)
    assert await sign_in.find_link(acme.db, link) == bob.email
    await change(rival, owner, Role.STAFF, by=other)
    assert not await works(acme, link)


async def test_the_link_of_the_operator_works_whatever_becomes_of_the_owners(acme: Cast) -> None:
    owner, bob = await owner_of(acme), await let_in(acme, "bob")
    link = await link_by(acme, None, bob)
    await change(acme, bob, Role.OWNER, by=owner)
    await users.remove_user(acme.db, acme.account_id, owner.user_id, by=bob.actor)
    assert await works(acme, link)


async def test_a_link_whose_maker_is_not_known_does_not_work(acme: Cast) -> None:
    """A version of masthead that does not store the maker has created it."""
    owner, bob = await owner_of(acme), await let_in(acme, "bob")
    link = await link_by(acme, owner, bob)

    async def forget_maker(tx: Transaction) -> None:
        await tx.execute(
            "UPDATE sign_in_link SET actor_kind = NULL, actor_id = NULL WHERE user_id = :id",
            {"id": bob.user_id},
        )

    await acme.db.write(forget_maker)
    assert not await works(acme, link)


async def test_an_email_is_not_sent_after_the_maker_of_its_link_is_demoted(acme: Cast) -> None:
    owner, maker = await owner_of(acme), await let_in(acme, "maker", Role.OWNER)
    email = f"cleo@{acme.subdomain}.test"
    await users.invite_user(
        acme.db, acme.account_id, email=email, role=Role.STAFF, by=maker.actor, site=SITE
    )
    await change(acme, maker, Role.STAFF, by=owner)
    (waiting,) = [
        each for each in await outbox.list_due(acme.db, 100_000) if each.recipient == email
    ]
    assert await sending.begin_sending(acme.db, waiting, domain="acme.test") is None


# --- Invitations ---------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["demoted", "removed"])
async def test_an_invitation_ends_with_the_right_of_its_maker(
    acme: Cast, rival: Cast, how: str
) -> None:
    owner, guest = await owner_of(acme), await owner_of(rival)
    maker = await let_in(acme, "maker", Role.OWNER)
    invited = await users.invite_user(
        acme.db, acme.account_id, email=rival.owner, role=Role.OWNER, by=maker.actor
    )
    assert invited.token
    session = await enter(rival)
    assert await invitations.find_invitation(acme.db, invited.token)
    if how == "demoted":
        await change(acme, maker, Role.STAFF, by=owner)
    else:
        await users.remove_user(acme.db, acme.account_id, maker.user_id, by=owner.actor)
    assert await invitations.find_invitation(acme.db, invited.token) is None
    with pytest.raises(Invalid, match="already been accepted, or it has expired"):
        await invitations.accept_invitation(acme.db, guest, invited.token, session=session)
    user = await user_of(acme, session)
    assert [each.subdomain for each in user.memberships] == [rival.subdomain]


@pytest.mark.parametrize("how", ["demoted", "removed"])
async def test_without_checking_the_maker_the_invitation_can_be_accepted(
    acme: Cast, rival: Cast, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    switch_off(monkeypatch, "makers of links")
    with pytest.raises(AssertionError):
        await test_an_invitation_ends_with_the_right_of_its_maker(acme, rival, how)


async def test_an_invitation_is_accepted_only_in_a_session_that_still_exists(
    acme: Cast, rival: Cast
) -> None:
    """A link that was used in the meantime has ended it: another person may know the password."""
    owner, guest = await owner_of(acme), await owner_of(rival)
    invited = await users.invite_user(
        acme.db, acme.account_id, email=rival.owner, role=Role.STAFF, by=owner.actor
    )
    assert invited.token
    session = await enter(rival)
    await sign_in.use_link(rival.db, await link_by(rival, guest, guest), OTHER)
    with pytest.raises(Invalid, match="Sign in to accept the invitation"):
        await invitations.accept_invitation(acme.db, guest, invited.token, session=session)
    session = await enter(rival, OTHER)
    await invitations.accept_invitation(acme.db, guest, invited.token, session=session)


async def test_without_checking_the_session_a_signed_out_browser_accepts(
    acme: Cast, rival: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    switch_off(monkeypatch, "open session")
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        await test_an_invitation_is_accepted_only_in_a_session_that_still_exists(acme, rival)
