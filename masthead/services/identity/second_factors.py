"""The second factors of a person: listed, added, removed, reset.

A person may have an authenticator app, passkeys, or both. Recovery codes come with the first of
them and go with the last.
"""

from msgspec import Struct

from masthead.model.actors import Actor, SignedInUser
from masthead.model.audit_events import EventType
from masthead.model.clock import now
from masthead.model.errors import Invalid, NotFound
from masthead.model.identity.recovery_codes import new_recovery_codes, recovery_code_digest
from masthead.model.identity.totp import is_secret, matching_step
from masthead.model.ids import token_digest
from masthead.model.types.fields import required_text
from masthead.services.emails.notices import SECOND_FACTORS, Post, notify
from masthead.services.identity.sessions import record_own
from masthead.store import users
from masthead.store.audit import trail
from masthead.store.audit.trail import AuditEvent
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.identity import passkeys, pending_sign_ins, recovery_codes, totp
from masthead.store.identity.passkeys import Passkey
from masthead.store.identity.second_factors import delete_second_factors
from masthead.store.identity.sessions import delete_other_sessions
from masthead.store.identity.totp import AuthenticatorApp


class SecondFactors(Struct, frozen=True):
    """The second factors of a person. codes_left: unused recovery codes."""

    app: AuthenticatorApp | None
    passkeys: list[Passkey]
    codes_left: int


async def get_second_factors(db: Connection, user_id: str) -> SecondFactors:
    """The second factors of a person. Queries: three."""
    return SecondFactors(
        await totp.find_app(db, user_id),
        await passkeys.list_passkeys(db, user_id),
        await recovery_codes.count_codes(db, user_id),
    )


def passkey_of(factors: SecondFactors, id: str) -> Passkey:
    """The passkey with that id among a person's factors. Raises: NotFound."""
    for passkey in factors.passkeys:
        if passkey.id == id:
            return passkey
    raise NotFound("passkey", id)


# --- Adding --------------------------------------------------------------------------------------


async def add_app(
    db: Database, user: SignedInUser, *, secret: str, code: str, session: str, post: Post | None
) -> list[str]:
    """Add an authenticator app, or replace the existing one. Returns what `record_added` does.

    Raises: Invalid if the code is not the app's.
    """
    step = matching_step(secret, code, now()) if is_secret(secret) else None
    if step is None:
        raise Invalid(
            "This code does not match. Wait for the next code in the app and type that one. If it "
            "does not match either, check that the phone's clock is set automatically.",
            field="code",
        )

    async def work(tx: Transaction) -> list[str]:
        is_first = await lock_factors(tx, user.user_id)
        await totp.replace_app(tx, user.user_id, secret=secret, step=step)
        entry = EventType.USER_ADD_APP, None, "an authenticator app was added."
        return await record_added(tx, user, entry, session=session, is_first=is_first, post=post)

    return await db.write(work)


async def lock_factors(tx: Transaction, user_id: str) -> bool:
    """Lock the factors of a person until the transaction ends; whether there are none."""
    return not (await users.lock_person(tx, user_id)).has_second_factor


async def record_added(
    tx: Transaction,
    user: SignedInUser,
    entry: tuple[EventType, dict[str, object] | None, str],
    *,
    session: str,
    is_first: bool,
    post: Post | None,
) -> list[str]:
    """Record a new factor and notify the person; new recovery codes if it is their first one.

    The first one also ends their other sessions, which began with a password alone.
    entry: the event type, its details, and the sentence for the notice. session: the token of the
    session that stays. post: needed to send the notice.
    """
    type, after, event = entry
    codes = await _begin_two_steps(tx, user.user_id, session) if is_first else []
    await record_own(tx, user.user_id, type, after)
    await notify(tx, user.user_id, SECOND_FACTORS, post, event=event)
    return codes


async def _begin_two_steps(tx: Transaction, user_id: str, session: str) -> list[str]:
    await delete_other_sessions(tx, user_id, token_digest(session))
    await pending_sign_ins.delete_pendings(tx, user_id)
    return await _replace_codes(tx, user_id)


async def make_recovery_codes(db: Database, user: SignedInUser, *, post: Post | None) -> list[str]:
    """Ten new recovery codes; the older ones stop working. Raises: Invalid without a factor."""

    async def work(tx: Transaction) -> list[str]:
        if await lock_factors(tx, user.user_id):
            raise Invalid("Add an authenticator app or a passkey first.")
        await record_own(tx, user.user_id, EventType.USER_CREATE_RECOVERY_CODES)
        await notify(tx, user.user_id, SECOND_FACTORS, post, event="new recovery codes were made.")
        return await _replace_codes(tx, user.user_id)

    return await db.write(work)


async def _replace_codes(tx: Transaction, user_id: str) -> list[str]:
    codes = new_recovery_codes()
    digests = [digest for code in codes if (digest := recovery_code_digest(code))]
    await recovery_codes.replace_codes(tx, user_id, digests)
    return codes


# --- Changing and removing -----------------------------------------------------------------------


async def rename_passkey(db: Database, user: SignedInUser, id: str, *, name: str) -> None:
    """Give a passkey another name. Raises: NotFound, Invalid."""
    name = required_text("name", name.strip())

    async def work(tx: Transaction) -> None:
        if not await passkeys.update_name(tx, user.user_id, id, name):
            raise NotFound("passkey", id)
        await record_own(tx, user.user_id, EventType.USER_RENAME_PASSKEY, {"name": name})

    await db.write(work)


async def remove_app(db: Database, user: SignedInUser, *, post: Post | None) -> None:
    """Remove the authenticator app; harmless if there is none.

    Raises: Invalid if it is the last factor and an account requires one.
    """

    async def work(tx: Transaction) -> None:
        await users.lock_person(tx, user.user_id)
        if await totp.delete_app(tx, user.user_id):
            event = "the authenticator app was removed."
            await _record_removed(tx, user, EventType.USER_REMOVE_APP, None, event, post)

    await db.write(work)


async def remove_passkey(db: Database, user: SignedInUser, id: str, *, post: Post | None) -> None:
    """Remove a passkey; harmless if there is none.

    Raises: Invalid if it is the last factor and an account requires one.
    """

    async def work(tx: Transaction) -> None:
        await users.lock_person(tx, user.user_id)
        passkey = await passkeys.find_passkey(tx, id)
        if passkey is not None and await passkeys.delete_passkey(tx, user.user_id, id):
            event = f"the passkey “{passkey.name}” was removed."
            before: dict[str, object] = {"name": passkey.name}
            await _record_removed(tx, user, EventType.USER_REMOVE_PASSKEY, before, event, post)

    await db.write(work)


async def _record_removed(
    tx: Transaction,
    user: SignedInUser,
    type: EventType,
    details: dict[str, object] | None,
    event: str,
    post: Post | None,
) -> None:
    """Record a removed factor and notify the person; after the last one, delete the codes too."""
    if not (await users.get_person(tx, user.user_id)).has_second_factor:
        for each in await users.list_memberships(tx, user.user_id):
            if each.requires_second_factor:
                raise Invalid(
                    f"{each.name} requires two-step sign-in, and this is your only way to do it. "
                    "Add another passkey or an authenticator app first, then remove this one."
                )
        await delete_second_factors(tx, user.user_id)
        event += " The password alone signs you in now."
    await record_own(tx, user.user_id, type, details)
    await notify(tx, user.user_id, SECOND_FACTORS, post, event=event)


async def reset_second_factors(
    db: Database, email: str, *, by: Actor, post: Post | None = None
) -> None:
    """Remove all factors of a person who has lost them. Raises: Invalid if there are none."""

    async def work(tx: Transaction) -> None:
        person = await users.find_person(tx, email)
        if person is None or not (await users.lock_person(tx, person.id)).has_second_factor:
            raise Invalid(
                f"`{email}` has no two-step sign-in to reset. Check the address with "
                "`masthead user list --account` and the account's subdomain.",
                field="email",
                value=email,
            )
        await delete_second_factors(tx, person.id)
        reset = AuditEvent(EventType.USER_RESET_FACTORS, person.id, None, {"email": person.email})
        memberships = await users.list_memberships(tx, person.id)
        for account_id in sorted(each.account_id for each in memberships):
            await trail.record(tx, account_id, by, [reset])
        event = "two-step sign-in was reset; passkeys, app and recovery codes were removed."
        await notify(tx, person.id, SECOND_FACTORS, post, event=event)

    await db.write(work)
