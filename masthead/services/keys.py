"""Create, roll and revoke API keys."""

from datetime import UTC, datetime, timedelta
from typing import Any

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.clock import now
from masthead.model.emails import Site
from masthead.model.errors import Invalid
from masthead.model.identity.api_keys import ApiKey
from masthead.model.identity.rights import (
    Rights,
    in_order,
    rights_of_stored,
    stored_text,
    usable_rights,
)
from masthead.model.ids import key_prefix, new_key
from masthead.model.translations import gettext as _
from masthead.model.types.enums import Scope
from masthead.model.types.fields import required_text
from masthead.services.emails.notices import NEW_KEY, notify
from masthead.services.transactions import in_transaction
from masthead.store import accounts, keys as store, users
from masthead.store.audit import trail
from masthead.store.engine.interface import Database, Transaction
from masthead.store.sandboxes import clocks
from masthead.store.users import User


async def create_key(
    db: Database,
    account_id: int,
    *,
    user: str,
    scope: Scope,
    name: str = "API key",
    expires_at: datetime | None = None,
    rights: Rights | None = None,
    seed: bytes | None = None,
    by: Actor,
    site: Site | None = None,
) -> tuple[str, str]:
    """Create a key for a user of the account; returns its id and the key, which is not stored.

    The key of a sandbox begins with `mh_test_`.

    user: email address. rights: if they are chosen. seed: see `new_key`; the same seed returns
    the same key again and creates no other. site: with it, the user gets an email.
    Raises: Invalid if no user of the account has the address.
    """
    is_sandbox = await clocks.is_sandbox(db, account_id)
    key = new_key(account_id, seed, is_sandbox=is_sandbox)
    name = required_text("name", name.strip())

    async def work(tx: Transaction) -> str:
        await accounts.lock_account(tx, account_id)
        if seed and (id := await store.find_key_id(tx, account_id, key)):
            return id
        owner = await users.find_user(tx, account_id, user)
        if owner is None:
            raise Invalid(
                f"`{user}` is not a user of this account. Add them with `masthead user add` first.",
                field="user",
                value=user,
            )
        own = None if rights is None else stored_text(usable_rights(rights))
        return await _add(tx, account_id, key, owner, scope, name, expires_at, own, by, site)

    return await db.write(work, account_id=account_id), key


async def _add(
    tx: Transaction,
    account_id: int,
    key: str,
    owner: User,
    scope: Scope,
    name: str,
    expires_at: datetime | None,
    own_rights: str | None,
    by: Actor,
    site: Site | None,
) -> str:
    """Store a key, record it and notify its user; returns the id."""
    id = await store.insert_key(
        tx,
        account_id,
        key=key,
        user_id=owner.id,
        name=name,
        scope=scope,
        expires_at=expires_at,
        created_by=by.id if by.kind == "user" else None,
        own_rights=own_rights,
    )
    after: dict[str, Any] = {"name": name, "prefix": key_prefix(key), "scope": scope}
    after["user"] = owner.email
    if own_rights is not None:
        after["rights"] = in_order(rights_of_stored(own_rights))
    if expires_at:
        after["expires_at"] = expires_at.isoformat()
    await trail.record(tx, account_id, by, [NewEntry(EntryType.KEY_CREATE, id, None, after)])
    what = {"name": name, "prefix": key_prefix(key), "scope": scope.value}
    await notify(tx, owner.id, NEW_KEY, site, **what)
    return id


async def roll_key(
    db: Database,
    account_id: int,
    id: str,
    *,
    overlap: timedelta,
    seed: bytes | None = None,
    by: Actor,
    site: Site | None = None,
) -> tuple[str, str]:
    """Replace a key, and return the id of the new key and the key, as `create_key` does.

    The new key has the name, scope, user and lifetime of the old key, which ends after the overlap.
    Raises: NotFound; Invalid if the old key is inactive or was rolled before.
    """
    key = new_key(account_id, seed, is_sandbox=await clocks.is_sandbox(db, account_id))

    async def work(tx: Transaction) -> str:
        await accounts.lock_account(tx, account_id)
        if seed and (made := await store.find_key_id(tx, account_id, key)):
            return made
        old, moment = await store.get_key(tx, account_id, id), now()
        _require_rollable(old, moment)
        owner = await users.find_user(tx, account_id, old.user)
        if owner is None:
            raise Invalid(
                _(
                    "`{user}` is no longer a user of this account, so their key cannot be rolled. "
                    "Create a new key."
                ).format(user=old.user)
            )
        until = _same_lifetime(old, moment)
        made = await _add(
            tx, account_id, key, owner, old.scope, old.name, until, old.own_rights, by, site
        )
        ends = min(moment + overlap, old.expires_at or moment + overlap)
        await store.update_replaced(tx, account_id, id, replaced_by=made, expires_at=ends)
        before = {"expires_at": old.expires_at.isoformat() if old.expires_at else None}
        after = {"expires_at": ends.isoformat(), "replaced_by": key_prefix(key)}
        await trail.record(tx, account_id, by, [NewEntry(EntryType.KEY_ROLL, id, before, after)])
        return made

    return await db.write(work, account_id=account_id), key


def _same_lifetime(key: ApiKey, moment: datetime) -> datetime | None:
    """The expiry time of a new key with the lifetime of another key; None if it never expires."""
    if key.expires_at is None:
        return None
    lifetime = key.expires_at - key.created_at
    return moment + min(lifetime, datetime.max.replace(tzinfo=UTC) - moment)


def _require_rollable(key: ApiKey, moment: datetime) -> None:
    """Raises: Invalid if the key is inactive or was rolled before."""
    if key.replaced_by:
        text = _(
            "`{name}` has already been rolled. Roll the key that replaced it. To stop this one "
            "now, revoke it."
        )
        raise Invalid(text.format(name=key.name))
    if not key.is_active_at(moment):
        text = _("`{name}` is inactive and cannot be rolled. Create a new key.")
        raise Invalid(text.format(name=key.name))


@in_transaction
async def revoke_key(tx: Transaction, account_id: int, id: str, *, by: Actor) -> None:
    """Revoke a key. Later requests with it are refused. Raises: NotFound."""
    if await store.revoke_key(tx, account_id, id):
        states = {"is_revoked": False}, {"is_revoked": True}
        await trail.record(tx, account_id, by, [NewEntry(EntryType.KEY_REVOKE, id, *states)])
