"""Signing in: by password or by a one-time link; sessions; what keeps guessers out."""

import asyncio
import secrets
from contextlib import suppress
from datetime import timedelta

from masthead.model.actors import Actor, Visitor
from masthead.model.errors import Invalid, Unavailable
from masthead.model.ids import new_token, token_digest
from masthead.model.passwords import MAX_PASSWORD, MAX_TYPED, new_password, plain_password
from masthead.model.text import short_text
from masthead.model.throttling import FORGOTTEN_AFTER
from masthead.services.attempts import count_attempt, forget_person, forgive
from masthead.services.passwords import hash_password, is_outdated, matches
from masthead.store import audit, users
from masthead.store import sign_in as store
from masthead.store.audit import Entry
from masthead.store.connection import Database, Transaction, now
from masthead.store.sign_in import Session
from masthead.store.users import Person

IDLE = timedelta(hours=2)
ABSOLUTE = timedelta(hours=12)
SEEN_EVERY = timedelta(minutes=1)
SEEN_PATIENCE = 0.05  # seconds
RESET_VALID = timedelta(days=1)
SECRET = "cookies"  # noqa: S105 - the name of one

_noting: set[asyncio.Task[None]] = set()  # what is under way must be held on to


# --- Sessions ------------------------------------------------------------------------------------


async def sign_in(db: Database, *, email: str, password: str, address: str) -> str:
    """The token of a new session for whoever has that address and password.

    address: of the client, by which attempts are counted too. Raises: Invalid, which does not
    tell which of the two was wrong; TooManyAttempts, before any work is spent on the password.
    """
    email = short_text("email", email.strip())
    if len(password) > MAX_TYPED:
        raise _no_match(
            f"the password has {len(password)} characters; at most {MAX_PASSWORD} are allowed"
        )
    await count_attempt(db, email, address)
    person = None if "\0" in email else await users.find_person(db, email)
    password_hash = person.password_hash if person else None
    if not await matches(password_hash, password):
        raise _no_match()
    assert person is not None
    assert password_hash is not None
    fresh = await hash_password(plain_password(password)) if is_outdated(password_hash) else None

    async def work(tx: Transaction) -> str:
        if (await users.lock_person(tx, person.id)).password_hash != password_hash:
            raise _no_match()  # it was changed this very moment
        if fresh:
            await users.update_password(tx, person.id, fresh)
        await forgive(tx, person.email, address)
        await _record(tx, person.id, "user.sign_in", {"address": address})
        return await _begin_session(tx, person.id, address)

    return await db.write(work)


def _no_match(reason: str = "") -> Invalid:
    return Invalid(
        f"This e-mail address and password do not belong together{f' ({reason})' if reason else ''}"
        ". Check both; if you have lost the password, ask an owner of your account for a new link.",
        field="password",
    )


async def _begin_session(tx: Transaction, user_id: str, address: str) -> str:
    token = new_token()
    await store.insert_session(tx, token_digest(token), user_id, address)
    return token


async def _record(
    tx: Transaction, user_id: str, action: str, after: dict[str, object] | None = None
) -> None:
    """Tell what a person did of themselves in each of their accounts."""
    by, entry = Actor(kind="user", id=user_id), Entry(action, "user", user_id, None, after)
    for account_id in sorted(each.account_id for each in await users.list_memberships(tx, user_id)):
        await audit.record(tx, account_id, by, [entry])


async def find_visitor(db: Database, token: str) -> Visitor | None:
    """Whom a session's token stands for, until it is two hours idle or twelve hours old.

    Queries: three; once a minute a write, for which nobody waits long behind others' writes.
    """
    moment, digest = now(), token_digest(token)
    session = await store.find_session(
        db, digest, created_after=moment - ABSOLUTE, seen_after=moment - IDLE
    )
    if session is None:
        return None
    person = await users.get_person(db, session.user_id)
    if moment - session.seen_at >= SEEN_EVERY:
        noting = asyncio.create_task(_note_seen(db, session))
        _noting.add(noting)
        noting.add_done_callback(_noting.discard)
        await asyncio.wait({noting}, timeout=SEEN_PATIENCE)
    return Visitor(
        user_id=person.id,
        email=person.email,
        has_shortcuts=person.has_shortcuts,
        memberships=tuple(await users.list_memberships(db, person.id)),
    )


async def _note_seen(db: Database, session: Session) -> None:
    async def work(tx: Transaction) -> None:
        await store.update_seen(tx, session.digest, session.user_id)

    with suppress(Unavailable):  # the next page notes it
        await db.write(work)


async def list_sessions(db: Database, user_id: str) -> list[Session]:
    """Where a person is signed in."""
    moment = now()
    return await store.list_sessions(
        db, user_id, created_after=moment - ABSOLUTE, seen_after=moment - IDLE
    )


async def sign_out(db: Database, token: str) -> None:
    """End a session."""

    async def work(tx: Transaction) -> None:
        await store.delete_session(tx, token_digest(token))

    await db.write(work)


async def sign_out_everywhere(db: Database, user_id: str) -> None:
    """End all sessions of a person."""

    async def work(tx: Transaction) -> None:
        await store.delete_sessions(tx, user_id)
        await _record(tx, user_id, "user.sign_out_everywhere")

    await db.write(work)


# --- One-time links ------------------------------------------------------------------------------


async def write_link(tx: Transaction, user_id: str, valid: timedelta) -> str:
    """The token of a new link, which ends those that the person had."""
    token = new_token()
    await store.insert_link(tx, token_digest(token), user_id, now() + valid)
    return token


async def make_link(db: Database, email: str, *, by: Actor) -> str:
    """The token of a link by which a person sets a new password. Raises: Invalid if unknown."""

    async def work(tx: Transaction) -> str:
        person = await users.find_person(tx, email)
        places = await users.list_memberships(tx, person.id) if person else []
        if person is None or not places:
            raise Invalid(
                f"`{email}` is nobody of any account; `masthead user invite` lets them into one.",
                field="email",
                value=email,
            )
        await users.lock_person(tx, person.id)
        entry = Entry("user.reset", "user", person.id, None, {"email": person.email})
        for account_id in sorted(each.account_id for each in places):
            await audit.record(tx, account_id, by, [entry])
        return await write_link(tx, person.id, RESET_VALID)

    return await db.write(work)


async def find_link(db: Database, token: str) -> str | None:
    """The e-mail address of whom a link is for, while it can be used."""
    user_id = await store.find_link(db, token_digest(token))
    return (await users.get_person(db, user_id)).email if user_id else None


async def use_link(db: Database, token: str, password: str, *, address: str = "") -> str:
    """Set the password of whom a link is for; the token of a new session, the only one they have.

    Raises: Invalid if the link was used or is too old, or the password cannot be taken.
    """
    digest = token_digest(token)
    user_id = await store.find_link(db, digest)
    if user_id is None:
        raise _no_link()
    person = await users.get_person(db, user_id)
    password_hash = await hash_password(new_password(password, person.email))

    async def work(tx: Transaction) -> str:
        await users.lock_person(tx, person.id)
        if not await store.take_link(tx, digest):
            raise _no_link()
        return await _replace_password(tx, person, password_hash, address)

    return await db.write(work)


def _no_link() -> Invalid:
    return Invalid(
        "This link has been used already, or its time is over. If you have set your password, "
        "sign in with it; else ask whoever gave you the link for a new one."
    )


async def _replace_password(
    tx: Transaction, person: Person, password_hash: str, address: str
) -> str:
    """Set a password; sessions and links of before end, and a new session begins."""
    await users.update_password(tx, person.id, password_hash)
    await store.delete_sessions(tx, person.id)
    await store.delete_links(tx, person.id)
    await forget_person(tx, person.email)
    await _record(tx, person.id, "user.set_password", {"address": address})
    return await _begin_session(tx, person.id, address)


async def change_password(
    db: Database, visitor: Visitor, *, current: str, new: str, address: str
) -> str:
    """Give a person another password; the token of a new session, the only one they have.

    Harmless if it is sent twice. Raises: Invalid, TooManyAttempts.
    """
    password = new_password(new, visitor.email, field="new")
    await count_attempt(db, visitor.email, address)
    person = await users.get_person(db, visitor.user_id)
    known = person.password_hash
    if not await matches(known, current) and not await matches(known, password):
        raise Invalid("This is not your current password.", field="current")
    password_hash = await hash_password(password)

    async def work(tx: Transaction) -> str:
        await users.lock_person(tx, person.id)
        await forgive(tx, person.email, address)
        return await _replace_password(tx, person, password_hash, address)

    return await db.write(work)


async def set_shortcuts(db: Database, user_id: str, *, has_shortcuts: bool) -> None:
    """Keep whether a person wants shortcuts of single keys."""

    async def work(tx: Transaction) -> None:
        await users.update_shortcuts(tx, user_id, has_shortcuts=has_shortcuts)

    await db.write(work)


# --- Housekeeping --------------------------------------------------------------------------------


async def purge(db: Database) -> None:
    """Delete sessions, links and counted failures that mean nothing any more."""

    async def work(tx: Transaction) -> None:
        moment = now()
        await store.delete_old(
            tx,
            created_before=moment - ABSOLUTE,
            seen_before=moment - IDLE,
            failed_before=moment - FORGOTTEN_AFTER,
        )

    await db.write(work)


async def get_secret(db: Database) -> bytes:
    """The secret that cookies are signed with, the same in every process; made at first use."""

    async def work(tx: Transaction) -> None:
        await store.insert_secret(tx, SECRET, secrets.token_hex(32))

    while (value := await store.find_secret(db, SECRET)) is None:
        await db.write(work)
    return bytes.fromhex(value)
