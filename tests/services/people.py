"""People with passwords, for tests."""

from masthead.model.actors import Actor, Visitor
from masthead.model.values import Role
from masthead.services import sign_in, users
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
    token = await sign_in.use_link(cast.db, link, PASSWORD, address=HOME)
    return await visitor_of(cast, token)


async def visitor_of(cast: Cast, token: str) -> Visitor:
    """Whom a session is of."""
    visitor = await sign_in.find_visitor(cast.db, token)
    assert visitor
    return visitor


async def enter(cast: Cast, password: str = PASSWORD, *, email: str = "", address: str = "") -> str:
    """The token of a session of the owner, or of whoever has that address."""
    return await sign_in.sign_in(
        cast.db, email=email or cast.owner, password=password, address=address or HOME
    )
