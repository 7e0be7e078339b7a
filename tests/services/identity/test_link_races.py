"""A link is used at the moment at which its user joins or leaves accounts, on two workers."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from masthead.model.errors import Invalid
from masthead.model.types.enums import Role
from masthead.services import users
from masthead.services.check.accounts import check
from masthead.services.identity import invitations, sign_in
from masthead.services.users import add_user
from masthead.store import users as store
from masthead.store.identity import people
from tests.conftest import BY, Cast, make_account
from tests.races.test_races import CONTROL_ROUNDS, ROUNDS, two_workers
from tests.services.identity.people import enter, let_in, owner_of
from tests.support.protections import PROTECTIONS

pytestmark = pytest.mark.races

OTHER = "another harbour, at dusk"
Race = Callable[[Cast, Cast, Cast, int], Awaitable[None]]


async def use_and_accept(one: Cast, two: Cast, rival: Cast, number: int) -> None:
    """Either the link sets the password, or its user joins the other account; never both."""
    owner, other = await owner_of(one), await owner_of(rival)
    bob = await let_in(one, f"bob{number}")
    session = await enter(one, email=bob.email)
    invited = await users.invite_user(
        rival.db, rival.account_id, email=bob.email, role=Role.OWNER, by=other.actor
    )
    assert invited.token
    _, link = await users.reset_user(one.db, one.account_id, bob.user_id, by=owner.actor)
    outcomes = await asyncio.gather(
        sign_in.use_link(one.db, link, OTHER),
        invitations.accept_invitation(two.db, bob, invited.token, session=session),
        return_exceptions=True,
    )
    assert sorted(isinstance(each, Invalid) for each in outcomes) == [False, True], outcomes
    joined = len(await store.list_user_accounts(one.db, bob.user_id)) == 2
    assert joined == isinstance(outcomes[0], Invalid)


async def leave_both(one: Cast, two: Cast, rival: Cast, number: int) -> None:
    """A user who is removed from both of their accounts at once has no password any more."""
    bob = await let_in(one, f"bob{number}")
    await add_user(rival.db, rival.account_id, email=bob.email, by=BY)
    outcomes = await asyncio.gather(
        users.remove_user(one.db, one.account_id, bob.user_id, by=BY),
        users.remove_user(two.db, rival.account_id, bob.user_id, by=BY),
        return_exceptions=True,
    )
    assert set(outcomes) == {bob.email}, outcomes
    person = await people.get_person(one.db, bob.user_id)
    assert person.password_hash is None


async def run(race: Race, url: str, times: int) -> None:
    """Repeat a race, each time with another user."""
    async with two_workers(url) as (one, two):
        rival = await make_account(one.client, one.db, "Rival")
        for number in range(times):
            await race(one, two, replace(rival, db=two.db), number)
        assert [fault async for fault in check(one.db)] == []


@pytest.mark.parametrize("race", [use_and_accept, leave_both])
async def test_of_two_changes_to_a_person_the_second_sees_the_first(
    race: Race, scratch_url: str
) -> None:
    await run(race, scratch_url, ROUNDS)


@pytest.mark.parametrize("race", [use_and_accept, leave_both])
async def test_without_locks_it_does_not(
    race: Race, scratch_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # either lock is enough on SQLite, which has one writer
    for replacement in (*PROTECTIONS["person lock"], *PROTECTIONS["account lock"]):
        monkeypatch.setattr(*replacement)
    with pytest.raises(AssertionError):
        await run(race, scratch_url, CONTROL_ROUNDS)
