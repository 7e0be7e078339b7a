"""Sign in with a password or a one-time link; `sessions` then begins the session."""

from contextlib import suppress
from datetime import timedelta

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.clock import TOLERANCE, now
from masthead.model.emails import Site
from masthead.model.errors import Invalid, Unavailable
from masthead.model.identity.login_throttling import ATTACK, FORGOTTEN_AFTER
from masthead.model.identity.memberships import SignedInUser
from masthead.model.identity.passwords import MAX_PASSWORD, MAX_TYPED, new_password, plain_password
from masthead.model.identity.sign_ins import Client, NewSession, Verified, password_stamp
from masthead.model.ids import new_token, token_digest
from masthead.model.translations import gettext as _
from masthead.model.types.clean_text import one_line
from masthead.model.types.text import short_text
from masthead.services.emails import notices
from masthead.services.emails.notices import PASSWORD_CHANGED, notify
from masthead.services.identity.known_browsers import KNOWN_FOR
from masthead.services.identity.login_throttling import (
    count_attempt,
    forget_failures,
    uncount_attempt,
)
from masthead.services.identity.one_time_links import find_link as find_any_link
from masthead.services.identity.own_accounts import record_by, record_own, write_own
from masthead.services.identity.passwords import hash_password, is_outdated, matches
from masthead.services.identity.sessions import ABSOLUTE, IDLE, open_session, wrong_password
from masthead.store import users
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.identity import known_browsers, one_time_links, people, sessions
from masthead.store.identity.login_throttling import delete_future_failures, delete_old_failures
from masthead.store.identity.passkeys import delete_old_challenges
from masthead.store.identity.pending_sign_ins import delete_old_pendings, delete_pendings
from masthead.store.identity.people import Person

RESET_VALID = timedelta(days=1)
UNKNOWN_CLIENT = Client()
BY = Actor(kind="command", id="sign-in")


class SecondStepNeeded(Exception):
    """The password is right, but the user has two-step sign-in."""

    def __init__(self, verified: Verified) -> None:
        super().__init__(verified.email)
        self.verified = verified


async def sign_in(
    db: Database, *, email: str, password: str, client: Client, site: Site | None = None
) -> Verified:
    """Verify an email address and password, for `sessions.begin_session`.

    site: with it, the user gets an email when many attempts have failed.
    Raises: Invalid, which does not reveal which of the two was wrong; TooManyAttempts, before
    the password is checked.
    """
    email = short_text("email", email.strip())
    if len(password) > MAX_TYPED:
        raise wrong_password(
            _("The password has {length} characters; at most {most} are allowed.").format(
                length=len(password), most=MAX_PASSWORD
            )
        )
    attempt = await count_attempt(db, email, client)
    person = attempt.person
    password_hash = person.password_hash if person else None
    if not await matches(password_hash, password, is_known=attempt.is_known_browser):
        if person and attempt.begins_attack:
            await _report_attack(db, person, site)
        raise wrong_password()
    assert person is not None
    assert password_hash is not None
    fresh = await hash_password(plain_password(password)) if is_outdated(password_hash) else None

    async def work(tx: Transaction) -> Verified:
        known = await people.lock_person(tx, person.id)
        if known.password_hash == password_hash and fresh:
            await people.update_password(tx, person.id, fresh)
        await uncount_attempt(tx, attempt, email, client)
        return Verified(person.id, person.email, password_stamp(fresh or password_hash))

    return await db.write(work)


async def _report_attack(db: Database, person: Person, site: Site | None) -> None:
    """Record that many attempts to sign in as a user have failed, and notify them."""
    entry = NewEntry(EntryType.USER_ATTACK, person.id, None, {"failed_sign_ins": ATTACK})
    await write_own(db, person.id, lambda tx: notify(tx, person.id, notices.ATTACK, site))
    with suppress(Unavailable):  # a busy account does not change the answer
        await write_own(db, person.id, lambda tx: record_by(tx, person.id, BY, entry))


# --- One-time links ------------------------------------------------------------------------------


async def write_link(tx: Transaction, user_id: str, valid: timedelta, *, by: Actor) -> str:
    """Create a link and return its token; earlier links of the user end."""
    token = new_token()
    await one_time_links.insert_link(tx, token_digest(token), user_id, now() + valid, by=by)
    return token


async def create_link(db: Database, email: str, *, by: Actor) -> str:
    """Create a link to set a new password; returns its token. Raises: Invalid if unknown."""
    found = await people.find_person(db, email)
    user_id = found.id if found else ""

    async def work(tx: Transaction) -> str:
        if not await users.list_user_accounts(tx, user_id):
            raise Invalid(
                f"`{email}` is not a user of any account. Invite them with `masthead user invite`.",
                field="email",
                value=email,
            )
        person = await people.lock_person(tx, user_id)
        entry = NewEntry(EntryType.USER_RESET, person.id, None, {"email": person.email})
        await record_by(tx, person.id, by, entry)
        return await write_link(tx, person.id, RESET_VALID, by=by)

    return await write_own(db, user_id, work)


async def find_link(db: Database, token: str) -> str | None:
    """The email address of the user of a link, if it can still be used."""
    person = await find_linked(db, token)
    return person.email if person else None


async def find_linked(db: Database, token: str) -> Person | None:
    """The user of a link, if it can still be used."""
    return await _find_linked(db, token_digest(token))


async def _find_linked(db: Connection, digest: str) -> Person | None:
    """The user of a link that sets a password, if its maker could still create it."""
    link = await find_any_link(db, digest)
    return await people.get_person(db, link.user_id) if link and link.account_id is None else None


async def use_link(
    db: Database,
    token: str,
    password: str,
    *,
    name: str = "",
    client: Client = UNKNOWN_CLIENT,
    site: Site | None = None,
) -> NewSession:
    """Set the password of the user of a link; returns a new session and ends all others.

    name: of a user who has none yet.

    Raises: Invalid if the link can no longer be used, or the password is not accepted;
    SecondStepNeeded after the password is set, if the user has two-step sign-in.
    """
    digest = token_digest(token)
    person = await _find_linked(db, digest)
    if person is None:
        raise _no_link()
    full_name = short_text("full_name", one_line(name))
    password_hash = await hash_password(new_password(password, person.email))

    async def work(tx: Transaction) -> NewSession | SecondStepNeeded:
        known = await people.lock_person(tx, person.id)  # so that they cannot join an account
        if not await _find_linked(tx, digest) or not await one_time_links.take_link(tx, digest):
            raise _no_link()
        await _replace_password(tx, person, password_hash, client, site)
        if full_name and not known.full_name:
            await people.update_name(tx, person.id, full_name)
        if known.has_second_factor:
            stamp = password_stamp(password_hash)
            return SecondStepNeeded(Verified(person.id, person.email, stamp))
        return await open_session(tx, person.id, client)

    outcome = await write_own(db, person.id, work)
    if isinstance(
        outcome, SecondStepNeeded
    ):  # returned and not raised before, so that the link is used up
        raise outcome
    return outcome


def _no_link() -> Invalid:
    return Invalid(
        _(
            "This link has already been used, or it has expired. If you have set your password, "
            "sign in with it. Otherwise, ask an owner of your account for a new link."
        )
    )


async def _replace_password(
    tx: Transaction, person: Person, password_hash: str, client: Client, site: Site | None
) -> None:
    """Set a password, and end sessions, unfinished sign-ins, links and known browsers."""
    await people.update_password(tx, person.id, password_hash)
    await sessions.delete_sessions(tx, person.id)
    await delete_pendings(tx, person.id)
    await one_time_links.delete_links(tx, person.id)
    await known_browsers.delete_browsers(tx, person.id)
    await forget_failures(tx, person.email, client)
    where = {"address": client.address, "browser": client.browser}
    await record_own(tx, person.id, EntryType.USER_SET_PASSWORD, {**where})
    if person.password_hash:
        await notify(tx, person.id, PASSWORD_CHANGED, site, **where)


async def change_password(
    db: Database,
    user: SignedInUser,
    *,
    current: str,
    new: str,
    client: Client,
    site: Site | None = None,
) -> NewSession:
    """Change a user's password; returns a new session and ends all others.

    The form can be sent twice. Raises: Invalid, TooManyAttempts.
    """
    password = new_password(new, user.email, field="new")
    attempt = await count_attempt(db, user.email, client)
    person = await people.get_person(db, user.user_id)
    known = person.password_hash
    if not await matches(known, current) and not await matches(known, password):
        raise Invalid(_("This is not your current password."), field="current")
    password_hash = await hash_password(password)

    async def work(tx: Transaction) -> NewSession:
        await people.lock_person(tx, person.id)
        await uncount_attempt(tx, attempt, person.email, client)
        await _replace_password(tx, person, password_hash, client, site)
        return await open_session(tx, person.id, client)

    return await write_own(db, person.id, work)


# --- Housekeeping --------------------------------------------------------------------------------


async def purge(db: Database) -> None:
    """Delete expired sessions, links, failure counts, challenges and known browsers."""

    async def work(tx: Transaction) -> None:
        moment = now()
        await sessions.delete_old_sessions(
            tx, created_before=moment - ABSOLUTE, seen_before=moment - IDLE
        )
        await one_time_links.delete_old_links(tx)
        await delete_old_failures(tx, failed_before=moment - FORGOTTEN_AFTER)
        await known_browsers.delete_old(tx, seen_before=moment - KNOWN_FOR)
        await delete_old_pendings(tx)
        await delete_old_challenges(tx)
        await sessions.delete_future_sessions(tx, moment + TOLERANCE)
        await delete_future_failures(tx, moment + TOLERANCE)

    await db.write(work, is_long=True)
