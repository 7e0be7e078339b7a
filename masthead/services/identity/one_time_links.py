"""The right to create a one-time link: checked when it is created, and again when it is used.

A link sets the password of a user, which opens all their accounts. Between the two moments, its
maker may lose an account, and the user may join one that the maker does not own.
"""

from masthead.model.actors import Actor
from masthead.model.types.enums import Role
from masthead.store import users
from masthead.store.engine.interface import Connection
from masthead.store.identity import one_time_links as store
from masthead.store.identity.one_time_links import OneTimeLink


async def find_link(db: Connection, digest: str) -> OneTimeLink | None:
    """A link of any kind, while it can be used."""
    link = await store.find_link(db, digest)
    return link if link and await could_be_created_now(db, link) else None


async def could_be_created_now(db: Connection, link: OneTimeLink) -> bool:
    """Whether the maker of a link could create it now. Queries: two at most."""
    if link.maker is None:
        return False
    if link.account_id is not None:
        return await owns_all(db, link.maker, {link.account_id})
    opened = await list_opened(db, link.user_id)
    # users who forgot their password asked for the link themselves, and got it by email
    is_own = link.maker == Actor(kind="user", id=link.user_id)
    return bool(opened) and (is_own or await owns_all(db, link.maker, opened))


async def list_opened(db: Connection, user_id: str) -> set[int]:
    """The accounts that the password of a user opens."""
    return {each.account_id for each in await users.list_user_accounts(db, user_id)}


async def owns_all(db: Connection, by: Actor, account_ids: set[int]) -> bool:
    """Whether `by` is the operator, or an owner of all these accounts."""
    if by.kind == "command":
        return True
    memberships = await users.list_user_accounts(db, by.id)
    return account_ids <= {each.account_id for each in memberships if each.role == Role.OWNER}
