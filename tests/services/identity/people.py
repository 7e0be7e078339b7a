"""People with passwords, for tests."""

import pytest

from masthead.model.actors import Actor, Visitor
from masthead.model.errors import Invalid
from masthead.model.identity.sign_ins import Client, NewSession
from masthead.model.types.enums import Role
from masthead.services import users
from masthead.services.identity import sessions, sign_in
from tests.conftest import BY, Cast

PASSWORD = "seven quiet lighthouses"
HOME = "192.0.2.7"


async def owner_of(cast: Cast) -> Visitor:
    """The owner of an account, with a password and signed in."""
    return await visitor_by(cast, await sign_in.make_link(cast.db, cast.owner, by=BY))


async def let_in(cast: Cast, name: str, role: Role = Role.STAFF, by: Actor = BY) -> Visitor:
    """Somebody new in an account, with a password and signed in."""
    email = f"{name}@{cast.subdomain}.test"
    invited = await users.invite_user(cast.db, cast.account_id, email=email, role=role, by=by)
    assert invited.token
    return await visitor_by(cast, invited.token)


async def visitor_by(cast: Cast, link: str) -> Visitor:
    """Whom a link lets in."""
    session = await sign_in.use_link(cast.db, link, PASSWORD, client=Client(HOME))
    return await visitor_of(cast, session.token)


async def visitor_of(cast: Cast, token: str) -> Visitor:
    """Whom a session is of."""
    visitor = await sessions.find_visitor(cast.db, token)
    assert visitor
    return visitor


async def enter(cast: Cast, password: str = PASSWORD, *, email: str = "", address: str = "") -> str:
    """The token of a session of the owner, or of the person with that email address."""
    client = Client(address or HOME)
    return (await begin(cast, password, email=email, client=client)).token


async def begin(
    cast: Cast, password: str = PASSWORD, *, email: str = "", client: Client
) -> NewSession:
    """A session of the owner, or of the person with that email address, begun somewhere."""
    verified = await sign_in.sign_in(
        cast.db, email=email or cast.owner, password=password, client=client
    )
    return await sessions.begin_session(cast.db, verified, client)


async def fail(cast: Cast, network: str, *, email: str = "", times: int = 1) -> None:
    """Try wrong passwords from a network."""
    for _ in range(times):
        with pytest.raises(Invalid):
            await enter(cast, "wrong", email=email, address=network)
