"""List, add, remove and reset the second factors of a user.

A user may have an authenticator app, passkeys, or both. Recovery codes are created with the first
factor and deleted with the last.
"""

from collections.abc import Mapping

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.clock import now
from masthead.model.emails import Site
from masthead.model.errors import Invalid, NotFound
from masthead.model.identity.memberships import SignedInUser
from masthead.model.identity.recovery_codes import new_recovery_codes, recovery_code_digest
from masthead.model.identity.totp import is_secret, matching_step
from masthead.model.ids import token_digest
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.fields import required_text
from masthead.services.emails.notices import SECOND_FACTORS, notify
from masthead.services.identity.own_accounts import record_by, record_own, write_own
from masthead.store import users
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.identity import passkeys, pending_sign_ins, people, recovery_codes, totp
from masthead.store.identity.passkeys import Passkey
from masthead.store.identity.second_factors import delete_second_factors
from masthead.store.identity.sessions import delete_other_sessions
from masthead.store.identity.totp import AuthenticatorApp


class SecondFactors(Struct, frozen=True):
    """The second factors of a user. codes_left: the number of unused recovery codes."""

    app: AuthenticatorApp | None
    passkeys: list[Passkey]
    codes_left: int


class FactorChange(Struct, frozen=True):
    """A factor that was added or removed.

    details: for the audit trail, and for the words in braces of `notice`, which the email gets.
    """

    type: EntryType
    details: Mapping[str, str] | None
    notice: str


async def get_second_factors(db: Connection, user_id: str) -> SecondFactors:
    """The second factors of a user. Queries: three."""
    return SecondFactors(
        await totp.find_app(db, user_id),
        await passkeys.list_passkeys(db, user_id),
        await recovery_codes.count_codes(db, user_id),
    )


def passkey_of(factors: SecondFactors, id: str) -> Passkey:
    """The passkey with this id among the factors of a user. Raises: NotFound."""
    for passkey in factors.passkeys:
        if passkey.id == id:
            return passkey
    raise NotFound("passkey", id)


# --- Adding --------------------------------------------------------------------------------------


async def add_app(
    db: Database, user: SignedInUser, *, secret: str, code: str, session: str, site: Site | None
) -> list[str]:
    """Add an authenticator app, or replace the existing one. Returns what `record_added` does.

    Raises: Invalid if the code is not the app's.
    """
    step = matching_step(secret, code, now()) if is_secret(secret) else None
    if step is None:
        raise Invalid(
            _(
                "This code does not match. Wait for the next code in the app and enter it. If it "
                "does not match either, check that the clock of your phone is set automatically."
            ),
            field="code",
        )

    async def work(tx: Transaction) -> list[str]:
        is_first = await lock_factors(tx, user.user_id)
        await totp.replace_app(tx, user.user_id, secret=secret, step=step)
        added = FactorChange(
            EntryType.USER_ADD_APP, None, gettext_noop("An authenticator app was added.")
        )
        return await record_added(tx, user, added, session=session, is_first=is_first, site=site)

    return await write_own(db, user.user_id, work)


async def lock_factors(tx: Transaction, user_id: str) -> bool:
    """Lock the factors of a user until the transaction ends. Returns whether there are none."""
    return not (await people.lock_person(tx, user_id)).has_second_factor


async def record_added(
    tx: Transaction,
    user: SignedInUser,
    added: FactorChange,
    *,
    session: str,
    is_first: bool,
    site: Site | None,
) -> list[str]:
    """Record a new factor and notify the user; returns recovery codes if it is their first one.

    The first factor also ends the user's other sessions, which began with only a password.
    session: the token of the session that continues. site: needed to send the notice.
    """
    codes = await _begin_two_steps(tx, user.user_id, session) if is_first else []
    await record_own(tx, user.user_id, added.type, added.details)
    await notify(
        tx, user.user_id, SECOND_FACTORS, site, events=[added.notice], **(added.details or {})
    )
    return codes


async def _begin_two_steps(tx: Transaction, user_id: str, session: str) -> list[str]:
    await delete_other_sessions(tx, user_id, token_digest(session))
    await pending_sign_ins.delete_pendings(tx, user_id)
    return await _replace_codes(tx, user_id)


async def create_recovery_codes(
    db: Database, user: SignedInUser, *, site: Site | None
) -> list[str]:
    """Create ten recovery codes; older codes stop working. Raises: Invalid without a factor."""

    async def work(tx: Transaction) -> list[str]:
        if await lock_factors(tx, user.user_id):
            raise Invalid(_("Add an authenticator app or a passkey first."))
        await record_own(tx, user.user_id, EntryType.USER_CREATE_RECOVERY_CODES)
        created = gettext_noop("New recovery codes were created.")
        await notify(tx, user.user_id, SECOND_FACTORS, site, events=[created])
        return await _replace_codes(tx, user.user_id)

    return await write_own(db, user.user_id, work)


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
        await record_own(tx, user.user_id, EntryType.USER_RENAME_PASSKEY, {"name": name})

    await write_own(db, user.user_id, work)


async def remove_app(db: Database, user: SignedInUser, *, site: Site | None) -> None:
    """Remove the authenticator app; harmless if there is none.

    Raises: Invalid if it is the last factor and an account requires one.
    """

    async def work(tx: Transaction) -> None:
        await people.lock_person(tx, user.user_id)
        if await totp.delete_app(tx, user.user_id):
            removed = FactorChange(
                EntryType.USER_REMOVE_APP, None, gettext_noop("The authenticator app was removed.")
            )
            await _record_removed(tx, user, removed, site)

    await write_own(db, user.user_id, work)


async def remove_passkey(db: Database, user: SignedInUser, id: str, *, site: Site | None) -> None:
    """Remove a passkey; harmless if there is none.

    Raises: Invalid if it is the last factor and an account requires one.
    """

    async def work(tx: Transaction) -> None:
        await people.lock_person(tx, user.user_id)
        passkey = await passkeys.find_passkey(tx, id)
        if passkey is not None and await passkeys.delete_passkey(tx, user.user_id, id):
            removed = FactorChange(
                EntryType.USER_REMOVE_PASSKEY,
                {"name": passkey.name},
                gettext_noop("The passkey “{name}” was removed."),
            )
            await _record_removed(tx, user, removed, site)

    await write_own(db, user.user_id, work)


async def _record_removed(
    tx: Transaction, user: SignedInUser, removed: FactorChange, site: Site | None
) -> None:
    """Record a removed factor and notify the user. After the last one, delete the codes too."""
    events = [removed.notice]
    if not (await people.get_person(tx, user.user_id)).has_second_factor:
        for each in await users.list_user_accounts(tx, user.user_id):
            if each.requires_second_factor:
                raise Invalid(
                    _(
                        "{account} requires two-step sign-in, and this is your only way to do it. "
                        "Add another passkey or an authenticator app first, then remove this one."
                    ).format(account=each.name)
                )
        await delete_second_factors(tx, user.user_id)
        events.append(gettext_noop("You now sign in with only your password."))
    await record_own(tx, user.user_id, removed.type, removed.details)
    await notify(tx, user.user_id, SECOND_FACTORS, site, events=events, **(removed.details or {}))


async def reset_second_factors(
    db: Database, email: str, *, by: Actor, site: Site | None = None
) -> None:
    """Remove all factors of a user who has lost them. Raises: Invalid if there are none."""
    found = await people.find_person(db, email)
    user_id = found.id if found else ""

    async def work(tx: Transaction) -> None:
        person = await people.lock_person(tx, user_id) if found else None
        if person is None or not person.has_second_factor:
            raise Invalid(
                f"`{email}` has no two-step sign-in to reset. Check the address with "
                "`masthead user list --account` and the account's subdomain.",
                field="email",
                value=email,
            )
        await delete_second_factors(tx, person.id)
        reset = NewEntry(EntryType.USER_RESET_FACTORS, person.id, None, {"email": person.email})
        await record_by(tx, person.id, by, reset)
        was_reset = gettext_noop(
            "Two-step sign-in was reset; passkeys, app and recovery codes were removed."
        )
        await notify(tx, person.id, SECOND_FACTORS, site, events=[was_reset])

    await write_own(db, user_id, work)
