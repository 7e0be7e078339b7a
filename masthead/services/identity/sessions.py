"""Sessions of signed-in users: begin, find and end them."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta

from msgspec.structs import asdict, replace

from masthead.model.actors import AccountMembership, Actor, SignedInUser
from masthead.model.audit_events import AuditEvent, EventType
from masthead.model.clock import now
from masthead.model.errors import Invalid, NotFound, Unavailable
from masthead.model.identity.sign_ins import Client, NewSession, Verified, password_stamp
from masthead.model.ids import new_token, token_digest
from masthead.model.translations import gettext as _
from masthead.services.emails.notices import NEW_SIGN_IN, Site, notify
from masthead.services.identity.known_browsers import is_known, remember_browser
from masthead.store import users
from masthead.store.accounts import get_account
from masthead.store.audit import trail
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.identity import sessions as store
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
        person = await users.lock_person(tx, verified.user_id)
        if password_stamp(person.password_hash) != verified.stamp:
            raise wrong_password()
        if person.has_second_factor and not verified.has_passed:
            raise Invalid(_("Two-step sign-in was switched on a moment ago. Sign in again."))
        is_new = not await is_known(tx, client.device, person.id)
        after = {"address": client.address, "browser": client.browser, "is_new_browser": is_new}
        await record_own(tx, person.id, EventType.USER_SIGN_IN, after)
        if is_new:
            where = {"browser": client.browser, "address": client.address}
            await notify(tx, person.id, NEW_SIGN_IN, site, **where)
        return await open_session(tx, person.id, client)

    return await db.write(work, account_id=await _only_account(db, verified.user_id))


async def _only_account(db: Database, user_id: str) -> int | None:
    """The account of a user who is in one account only, to record events in."""
    memberships = await users.list_user_accounts(db, user_id)
    return memberships[0].account_id if len(memberships) == 1 else None


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


async def record_own(
    tx: Transaction, user_id: str, type: EventType, after: Mapping[str, object] | None = None
) -> None:
    """Record what a user did to their own sign-in, in each of their accounts."""
    by, event = Actor(kind="user", id=user_id), AuditEvent(type, user_id, None, after)
    for account_id in sorted(
        each.account_id for each in await users.list_user_accounts(tx, user_id)
    ):
        await trail.record(tx, account_id, by, [event])


async def record_own_later(
    db: Database, user_id: str, type: EventType, after: Mapping[str, object] | None = None
) -> None:
    """Like `record_own`, in a separate write after the change; skipped if an account stays busy."""

    async def work(tx: Transaction) -> None:
        await record_own(tx, user_id, type, after)

    with suppress(Unavailable):
        await db.write(work, account_id=await _only_account(db, user_id))


async def find_signed_in_user(db: Database, token: str) -> SignedInUser | None:
    """The user of a session, until it is idle for two hours or twelve hours old.

    Queries: three, or more while a node of Citus is away; once a minute a write, which does not
    wait long for other writes.
    """
    moment, digest = now(), token_digest(token)
    session = await store.find_session(
        db, digest, created_after=moment - ABSOLUTE, seen_after=moment - IDLE
    )
    if session is None:
        return None
    person = await users.get_person(db, session.user_id)
    memberships = await _list_memberships(db, person.id)
    if moment - session.seen_at >= SEEN_EVERY:
        update = asyncio.create_task(_update_seen(db, session))
        _pending_updates.add(update)
        update.add_done_callback(_pending_updates.discard)
        await asyncio.wait({update}, timeout=SEEN_PATIENCE)
    return SignedInUser(
        user_id=person.id,
        email=person.email,
        has_shortcuts=person.has_shortcuts,
        locale=person.locale,
        has_second_factor=person.has_second_factor,
        is_confirmed=moment - session.confirmed_at < CONFIRMED_FOR,
        memberships=tuple(
            replace(each, locale=person.locale) if person.locale else each for each in memberships
        ),
    )


async def _list_memberships(db: Database, user_id: str) -> list[AccountMembership]:
    """The memberships of a user, also while a node of Citus is away.

    The date of an account there is today's; its pages are unavailable, and those of others work.
    """
    try:
        return await users.list_memberships(db, user_id)
    except Unavailable:  # on Citus, that asks all nodes
        found = []
        for each in await users.list_user_accounts(db, user_id):
            day = now().date()
            with suppress(Unavailable):
                day = (await get_account(db, each.account_id)).daily_date
            found.append(AccountMembership(**asdict(each), daily_date=day))
        return found


async def _update_seen(db: Database, session: Session) -> None:
    async def work(tx: Transaction) -> None:
        await store.update_seen(tx, session.digest, session.user_id)

    with suppress(Unavailable):  # the next request tries again
        await db.write(work)


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
    await record_own_later(db, user_id, EventType.USER_SIGN_OUT)


async def sign_out_everywhere(db: Database, user_id: str) -> None:
    """End all sessions of a user."""

    async def work(tx: Transaction) -> None:
        await store.delete_sessions(tx, user_id)
        await record_own(tx, user_id, EventType.USER_SIGN_OUT_EVERYWHERE)

    await db.write(work)
