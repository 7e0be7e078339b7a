"""API keys: made, shown once, rolled, revoked."""

from datetime import UTC, datetime, timedelta
from typing import Any

from masthead.model.actors import Actor
from masthead.model.audit_events import EventType
from masthead.model.clock import now
from masthead.model.errors import Invalid
from masthead.model.ids import key_prefix, new_key
from masthead.model.types.enums import Scope
from masthead.model.types.fields import required_text
from masthead.services.emails.notices import NEW_KEY, Post, notify
from masthead.store import accounts, users
from masthead.store import keys as store
from masthead.store.audit import trail
from masthead.store.audit.trail import AuditEvent
from masthead.store.engine.interface import Database, Transaction
from masthead.store.users import User


async def create_key(
    db: Database,
    account_id: int,
    *,
    user: str,
    scope: Scope,
    name: str = "API key",
    expires_at: datetime | None = None,
    seed: bytes | None = None,
    by: Actor,
    post: Post | None = None,
) -> tuple[str, str]:
    """Make a key for a user of the account: its id, and the key itself, which is not kept.

    user: e-mail address. seed: as of `new_key`; whoever comes with the same one again is told the
    same key, and no other is made. post: with it the user gets an email. Raises: Invalid if no user
    of the account has the address.
    """
    key, name = new_key(account_id, seed), required_text("name", name.strip())

    async def work(tx: Transaction) -> str:
        await accounts.lock_account(tx, account_id)
        if seed and (id := await store.find_key_id(tx, account_id, key)):
            return id
        owner = await users.find_user(tx, account_id, user)
        if owner is None:
            raise Invalid(
                f"`{user}` is no user of this account; add them with `masthead user add` first.",
                field="user",
                value=user,
            )
        return await _add(tx, account_id, key, owner, scope, name, expires_at, by, post)

    return await db.write(work, account_id=account_id), key


async def _add(
    tx: Transaction,
    account_id: int,
    key: str,
    owner: User,
    scope: Scope,
    name: str,
    expires_at: datetime | None,
    by: Actor,
    post: Post | None,
) -> str:
    """Store a key and tell of it; its id."""
    id = await store.insert_key(
        tx,
        account_id,
        key=key,
        user_id=owner.id,
        name=name,
        scope=scope,
        expires_at=expires_at,
        created_by=by.id if by.kind == "user" else None,
    )
    after = {"name": name, "prefix": key_prefix(key), "scope": scope, "user": owner.email}
    if expires_at:
        after["expires_at"] = expires_at.isoformat()
    await trail.record(tx, account_id, by, [AuditEvent(EventType.KEY_CREATE, id, None, after)])
    what = {"name": name, "prefix": key_prefix(key), "scope": scope.value}
    await notify(tx, owner.id, NEW_KEY, post, **what)
    return id


async def roll_key(
    db: Database,
    account_id: int,
    id: str,
    *,
    overlap: timedelta,
    seed: bytes | None = None,
    by: Actor,
    post: Post | None = None,
) -> tuple[str, str]:
    """Put a new key in the place of another: its id and itself, as `create_key` tells them.

    It has the name, the scope, the person and the lifetime of the old one, which ends after the
    overlap. Raises: NotFound; Invalid if the old one has ended or was rolled before.
    """
    key = new_key(account_id, seed)

    async def work(tx: Transaction) -> str:
        await accounts.lock_account(tx, account_id)
        if seed and (made := await store.find_key_id(tx, account_id, key)):
            return made
        old, moment = await store.get_key(tx, account_id, id), now()
        _require_rollable(old, moment)
        owner = await users.find_user(tx, account_id, old["user"])
        if owner is None:
            raise Invalid(
                f"`{old['user']}`, whom this key stands for, has left the account. Make a new key."
            )
        scope, until = Scope(old["scope"]), _lives_as_long(old, moment)
        made = await _add(tx, account_id, key, owner, scope, old["name"], until, by, post)
        ends = min(moment + overlap, old["expires_at"] or moment + overlap)
        await store.update_replaced(tx, account_id, id, replaced_by=made, expires_at=ends)
        before = {"expires_at": old["expires_at"].isoformat() if old["expires_at"] else None}
        after = {"expires_at": ends.isoformat(), "replaced_by": key_prefix(key)}
        await trail.record(tx, account_id, by, [AuditEvent(EventType.KEY_ROLL, id, before, after)])
        return made

    return await db.write(work, account_id=account_id), key


def _lives_as_long(key: dict[str, Any], moment: datetime) -> datetime | None:
    """When a key ends that is made now and lives as long as another; None if that never ends."""
    if key["expires_at"] is None:
        return None
    lifetime: timedelta = key["expires_at"] - key["created_at"]
    return moment + min(lifetime, datetime.max.replace(tzinfo=UTC) - moment)


def _require_rollable(key: dict[str, Any], moment: datetime) -> None:
    """Raises: Invalid."""
    if key["replaced_by"]:
        raise Invalid(f"`{key['name']}` was rolled already; roll the key that took its place.")
    if key["revoked_at"] or (key["expires_at"] and key["expires_at"] <= moment):
        raise Invalid(f"`{key['name']}` no longer works; make a new key instead of rolling it.")


async def revoke_key(db: Database, account_id: int, id: str, *, by: Actor) -> None:
    """End a key; requests that come after are refused. Raises: NotFound."""

    async def work(tx: Transaction) -> None:
        if await store.revoke_key(tx, account_id, id):
            states = {"is_revoked": False}, {"is_revoked": True}
            await trail.record(tx, account_id, by, [AuditEvent(EventType.KEY_REVOKE, id, *states)])

    await db.write(work, account_id=account_id)
