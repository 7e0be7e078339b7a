"""Invitations of users who are also in accounts that the inviting owner does not own.

Such a user joins the account when they sign in and accept. To the owner all invitations look the
same, so that owners cannot learn which addresses belong to users of other publishers. See
decision 0032.
"""

from datetime import timedelta

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.clock import now
from masthead.model.errors import Invalid
from masthead.model.identity.memberships import SignedInUser
from masthead.model.ids import new_token, token_digest
from masthead.model.translations import gettext as _
from masthead.services.identity import sessions
from masthead.services.identity.memberships import accept_invited
from masthead.services.identity.one_time_links import find_link
from masthead.store import accounts
from masthead.store.audit import trail
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.identity import one_time_links as store, people
from masthead.store.identity.one_time_links import Invitation


async def write_invitation(
    tx: Transaction, account_id: int, user_id: str, valid: timedelta, *, by: Actor
) -> str:
    """Create a link and return its token; earlier links of this account for the user end."""
    token = new_token()
    await store.delete_invitations(tx, account_id, user_id)
    await store.insert_invitation(
        tx, account_id, token_digest(token), user_id, now() + valid, by=by
    )
    return token


async def find_invitation(db: Connection, token: str) -> Invitation | None:
    """The invitation of a link, if it can still be accepted: its maker must still be an owner."""
    digest = token_digest(token)
    link = await find_link(db, digest)
    return await store.find_invitation(db, digest) if link else None


async def accept_invitation(db: Database, user: SignedInUser, token: str, *, session: str) -> str:
    """Add a user to the account that invited them; returns its subdomain.

    session: the token of the user's session. If it has ended in the meantime, perhaps because
    another person set the password with a link, the user has to sign in again.
    Raises: Invalid, also if the user who invited them is no longer an owner.
    """
    found = await store.find_invitation(db, token_digest(token))
    if found is None:
        raise _no_invitation()

    async def work(tx: Transaction) -> str:
        await accounts.lock_account(tx, found.account_id)
        await people.lock_person(tx, user.user_id)
        invitation = await find_invitation(tx, token)
        if invitation is None or invitation.user_id != user.user_id:
            raise _no_invitation()
        if not await sessions.is_open(tx, user.user_id, session):
            raise Invalid(_("Sign in to accept the invitation."))
        await accept_invited(tx, invitation.account_id, user.user_id)
        entry = NewEntry(EntryType.USER_ACCEPT_INVITATION, user.user_id, None, None)
        await trail.record(tx, invitation.account_id, user.actor, [entry])
        return invitation.subdomain

    return await db.write(work, account_id=found.account_id)


def _no_invitation() -> Invalid:
    return Invalid(
        _(
            "This invitation has already been accepted, or it has expired. Ask an owner of the "
            "account for a new one."
        )
    )
