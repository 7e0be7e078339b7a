"""Confirm the password before a user changes how they sign in."""

from masthead.model.errors import Invalid
from masthead.model.identity.memberships import SignedInUser
from masthead.model.identity.sign_ins import Client
from masthead.model.ids import token_digest
from masthead.model.translations import gettext as _
from masthead.services.identity.login_throttling import count_attempt, uncount_attempt
from masthead.services.identity.passwords import matches
from masthead.store.engine.interface import Database, Transaction
from masthead.store.identity import people
from masthead.store.identity.sessions import update_confirmed


async def confirm_password(
    db: Database, user: SignedInUser, *, password: str, session: str, client: Client
) -> None:
    """Record that the user of a session knows the password. session: its token.

    Raises: Invalid, TooManyAttempts.
    """
    attempt = await count_attempt(db, user.email, client)
    person = await people.get_person(db, user.user_id)
    if not await matches(person.password_hash, password):
        raise Invalid(_("This is not your current password."), field="password")

    async def work(tx: Transaction) -> None:
        await uncount_attempt(tx, attempt, user.email, client)
        await update_confirmed(tx, token_digest(session))

    await db.write(work)
