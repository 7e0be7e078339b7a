"""Add users to accounts and remove them. Their one-time links end at the same time.

A link was created for the accounts that its user had before: it must not open another one.
"""

from masthead.model.types.enums import Role
from masthead.store import users
from masthead.store.engine.interface import Transaction
from masthead.store.identity import one_time_links, people
from masthead.store.users import User


async def lock_member(tx: Transaction, account_id: int, user_id: str) -> User:
    """A user of an account, locked: they cannot join or leave any account until the commit.

    Raises: NotFound.
    """
    await users.get_user(tx, account_id, user_id)
    await people.lock_person(tx, user_id)
    return await users.get_user(tx, account_id, user_id)


async def add_member(tx: Transaction, account_id: int, user_id: str, *, role: Role) -> None:
    """Add a user, who must be locked, to an account."""
    await users.insert_account_user(tx, account_id, user_id, role=role)
    await end_links(tx, account_id, user_id)


async def add_invited(tx: Transaction, account_id: int, user_id: str, *, role: Role) -> None:
    """Add a user who has to accept first. Until then, their links open only their own accounts."""
    await users.insert_account_user(tx, account_id, user_id, role=role, is_pending=True)


async def accept_invited(tx: Transaction, account_id: int, user_id: str) -> None:
    """Make an invited user, who must be locked, a user of the account."""
    await users.update_accepted(tx, account_id, user_id)
    await end_links(tx, account_id, user_id)


async def remove_member(tx: Transaction, account_id: int, user: User) -> None:
    """Remove a user, who must be locked, from an account.

    If they have not accepted yet, only their invitation ends: the account has no other links.
    """
    await users.delete_account_user(tx, account_id, user.id)
    if user.is_pending:
        await one_time_links.delete_invitations(tx, account_id, user.id)
    else:
        await end_links(tx, account_id, user.id)


async def end_links(tx: Transaction, account_id: int, user_id: str) -> None:
    """End the links that set a user's password, and the invitations into the account."""
    await one_time_links.delete_links(tx, user_id)
    await one_time_links.delete_invitations(tx, account_id, user_id)
