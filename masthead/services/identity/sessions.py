"""Sessions of signed-in users: begin, find and end them."""

import asyncio
from contextlib import suppress
from datetime import timedelta

from msgspec.structs import replace

from masthead.model.audit_entries import EntryType
from masthead.model.clock import now
from masthead.model.emails import Site
from masthead.model.errors import Invalid, NotFound, Unavailable
from masthead.model.identity.memberships import SignedInUser
from masthead.model.identity.sign_ins import Client, NewSession, Verified, password_stamp
from masthead.model.ids import new_token, token_digest
from masthead.model.translations import gettext as _
from masthead.services.emails.notices import NEW_SIGN_IN, notify
from masthead.services.identity.known_browsers import is_known, remember_browser
from masthead.services.identity.own_accounts import record_own, record_own_later, write_own
from masthead.store import users
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.identity import people, sessions as store
from masthead.store.identity.sessions import Session

IDLE = timedelta(hours=2)
ABSOLUTE = timedelta(hours=12)
CONFIRMED_FOR = timedelta(minutes=15)  # how long a user may change how they sign in
SEEN_EVERY = timedelta(minutes=1)
SEEN_PATIENCE = 0.05  # seconds

_pending_updates: set[asyncio.Task[None]] = set()  # references that keep the tasks alive


async def begin_session(
    db: Database, verified: Verified, client: Client, *, site: Site | None = None
) -> NewSession:
    """Begin the session of a user who has passed every step of the sign-in.

    site: with it, the user gets an email if the browser is new. Raises: Invalid if the password has
    changed since, or a second step is needed.
    """

    async def work(tx: Transaction) -> NewSession:
        person = await people.lock_person(tx, verified.user_id)
        if password_stamp(person.password_hash) != verified.stamp:
            raise wrong_password()
        if person.has_second_factor and not verified.has_passed:
            raise Invalid(_("Two-step sign-in was switched on a moment ago. Sign in again."))
        is_new = not await is_known(tx, client.device, person.id)
        after = {"address": client.address, "browser": client.browser, "is_new_browser": is_new}
        await record_own(tx, person.id, EntryType.USER_SIGN_IN, after)
        if is_new:
            where = {"browser": client.browser, "address": client.address}
            await notify(tx, person.id, NEW_SIGN_IN, site, **where)
        return await open_session(tx, person.id, client)

    return await write_own(db, verified.user_id, work)


async def open_session(tx: Transaction, user_id: str, client: Client) -> NewSession:
    """Begin a session of a user, and remember the browser."""
    token = new_token()
    await store.insert_session(
        tx, token_digest(token), user_id, client.address, browser=client.browser
    )
    return NewSession(token, await remember_browser(tx, client.device, user_id))


async def is_open(db: Connection, user_id: str, token: str) -> bool:
    """Whether the user has this session, and it has not ended."""
    moment = now()
    session = await store.find_session(
        db, token_digest(token), created_after=moment - ABSOLUTE, seen_after=moment - IDLE
    )
    return session is not None and session.user_id == user_id


def wrong_password(reason: str = "") -> Invalid:
    """The error of every failed sign-in. reason: a detail that reveals nothing about the user."""
    text = _(
        "This email address and password do not match. Check both. If you forgot your password, "
        "ask an owner of your account for a new link."
    )
    return Invalid(f"{text} {reason}".rstrip(), field="password")


async def find_signed_in_user(db: Database, token: str) -> SignedInUser | None:
    """The user of a session, until it is idle for two hours or twelve hours old.

    Queries: three; once a minute a write, which does not wait long for other writes.
    """
    moment, digest = now(), token_digest(token)
    session = await store.find_session(
        db, digest, created_after=moment - ABSOLUTE, seen_after=moment - IDLE
    )
    if session is None:
        return None
    person = await people.get_person(db, session.user_id)
    memberships = await users.list_user_accounts(db, person.id)
    if moment - session.seen_at >= SEEN_EVERY:
        update = asyncio.create_task(_update_seen(db, session))
        _pending_updates.add(update)
        update.add_done_callback(_pending_updates.discard)
        await asyncio.wait({update}, timeout=SEEN_PATIENCE)
    return SignedInUser(
        user_id=person.id,
        email=person.email,
        full_name=person.full_name,
        has_shortcuts=person.has_shortcuts,
        locale=person.locale,
        has_second_factor=person.has_second_factor,
        is_confirmed=moment - session.confirmed_at < CONFIRMED_FOR,
        memberships=tuple(
            replace(each, locale=person.locale) if person.locale else each for each in memberships
        ),
    )


async def _update_seen(db: Database, session: Session) -> None:
    with suppress(Unavailable):  # the next request tries again
        await db.write(lambda tx: store.update_seen(tx, session.digest, session.user_id))


async def list_sessions(db: Database, user_id: str) -> list[Session]:
    """The sessions of a user."""
    moment = now()
    return await store.list_sessions(
        db, user_id, created_after=moment - ABSOLUTE, seen_after=moment - IDLE
    )


async def sign_out(db: Database, user_id: str, token: str) -> None:
    """End a session of a user, if it has not already ended."""
    with suppress(NotFound):
        await end_session(db, user_id, token_digest(token))


async def end_session(db: Database, user_id: str, digest: str) -> None:
    """End one of a user's sessions. Raises: NotFound.

    It ends at once, even if an import delays the audit entry.
    """

    async def end(tx: Transaction) -> None:
        if not await store.delete_session(tx, digest, user_id):
            raise NotFound("session", digest[:8])

    await db.write(end)
    await record_own_later(db, user_id, EntryType.USER_SIGN_OUT)


async def sign_out_everywhere(db: Database, user_id: str) -> None:
    """End all sessions of a user."""

    async def work(tx: Transaction) -> None:
        await store.delete_sessions(tx, user_id)
        await record_own(tx, user_id, EntryType.USER_SIGN_OUT_EVERYWHERE)

    await write_own(db, user_id, work)
