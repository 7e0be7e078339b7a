"""Create users with passwords, and sign them in."""

import pytest

from masthead.model.actors import Actor
from masthead.model.errors import Invalid
from masthead.model.identity.memberships import SignedInUser
from masthead.model.identity.sign_ins import Client, NewSession
from masthead.model.types.enums import Role
from masthead.services import users
from masthead.services.identity import sessions, sign_in
from tests.conftest import BY, Cast

PASSWORD = "seven quiet lighthouses"
HOME = "192.0.2.7"


async def owner_of(cast: Cast) -> SignedInUser:
    """The owner of an account, with a password and signed in."""
    return await user_by_link(cast, await sign_in.create_link(cast.db, cast.owner, by=BY))


async def let_in(cast: Cast, name: str, role: Role = Role.STAFF, by: Actor = BY) -> SignedInUser:
    """A new user of an account, with a password and signed in."""
    email = f"{name}@{cast.subdomain}.test"
    invited = await users.invite_user(cast.db, cast.account_id, email=email, role=role, by=by)
    assert invited.token
    return await user_by_link(cast, invited.token)


async def user_by_link(cast: Cast, link: str) -> SignedInUser:
    """Set a password with a link; returns the signed-in user."""
    session = await sign_in.use_link(cast.db, link, PASSWORD, client=Client(HOME))
    return await user_of(cast, session.token)


async def user_of(cast: Cast, token: str) -> SignedInUser:
    """The user of a session."""
    user = await sessions.find_signed_in_user(cast.db, token)
    assert user
    return user


async def enter(cast: Cast, password: str = PASSWORD, *, email: str = "", address: str = "") -> str:
    """Sign in the owner or the user with that email address; returns the token of the session."""
    client = Client(address or HOME)
    return (await begin(cast, password, email=email, client=client)).token


async def begin(
    cast: Cast, password: str = PASSWORD, *, email: str = "", client: Client
) -> NewSession:
    """A new session of the owner or the user with that email address, from a client."""
    verified = await sign_in.sign_in(
        cast.db, email=email or cast.owner, password=password, client=client
    )
    return await sessions.begin_session(cast.db, verified, client)


async def fail(cast: Cast, network: str, *, email: str = "", times: int = 1) -> None:
    """Fail to sign in, from a network."""
    for _ in range(times):
        with pytest.raises(Invalid):
            await enter(cast, "wrong", email=email, address=network)
