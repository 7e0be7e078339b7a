"""API keys: made, shown once, revoked."""

from datetime import datetime

from masthead.model.actors import Actor
from masthead.model.errors import Invalid
from masthead.model.fields import named_text
from masthead.model.ids import key_prefix, new_key
from masthead.model.values import Scope
from masthead.store import accounts, audit
from masthead.store import keys as store
from masthead.store.audit import Entry
from masthead.store.connection import Database, Transaction


async def create_key(
    db: Database,
    account_id: int,
    *,
    user: str,
    scope: Scope,
    name: str = "API key",
    expires_at: datetime | None = None,
    by: Actor,
) -> tuple[str, str]:
    """Make a key for a user of the account: its id, and the key itself, which is not kept.

    user: e-mail address. Raises: Invalid if nobody of the account has it.
    """
    key, name = new_key(account_id), named_text("name", name.strip())

    async def work(tx: Transaction) -> str:
        await accounts.lock_account(tx, account_id)
        owner = await accounts.find_user(tx, account_id, user)
        if owner is None:
            raise Invalid(
                f"`{user}` is no user of this account; add them with `masthead user add` first.",
                field="user",
                value=user,
            )
        id = await store.insert_key(
            tx,
            account_id,
            key=key,
            user_id=owner["id"],
            name=name,
            scope=scope,
            expires_at=expires_at,
        )
        after = {"name": name, "prefix": key_prefix(key), "scope": scope, "user": owner["email"]}
        await audit.record(tx, account_id, by, [Entry("key.create", "key", id, None, after)])
        return id

    return await db.write(work), key


async def revoke_key(db: Database, account_id: int, id: str, *, by: Actor) -> None:
    """End a key; requests that come after are refused. Raises: NotFound."""

    async def work(tx: Transaction) -> None:
        if await store.revoke_key(tx, account_id, id):
            states = {"is_revoked": False}, {"is_revoked": True}
            await audit.record(tx, account_id, by, [Entry("key.revoke", "key", id, *states)])

    await db.write(work)
