"""API keys: stored as digests, found by account and digest."""

from collections.abc import Mapping
from datetime import datetime

from masthead.model.clock import now
from masthead.model.identity.api_keys import ApiKey, Principal
from masthead.model.ids import key_digest, key_prefix, new_id
from masthead.model.types.enums import Scope
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, fetch_one, get_one, insert_row
from masthead.store.update_statement import update_row


async def find_principal(db: Connection, account_id: int, key: str) -> Principal | None:
    """The principal of a key. Index: api_key_digest.

    None if it is unknown, revoked or expired, or if its user is no longer a user of the account.
    """
    return await fetch_one(
        db,
        """
        SELECT
            k.account_id,
            k.id AS key_id,
            k.scope,
            u.email,
            a.name AS account_name,
            a.subdomain,
            a.currency,
            a.is_active,
            k.expires_at,
            k.rights AS own_rights,
            CASE WHEN m.role <> 'owner' THEN m.rights END AS user_rights,
            CASE WHEN a.is_sandbox THEN s.daily_date END AS daily_date
        FROM api_key k
        JOIN account a ON a.id = k.account_id
        JOIN account_state s ON s.account_id = k.account_id
        JOIN account_user m ON m.account_id = k.account_id AND m.user_id = k.user_id
        JOIN app_user u ON u.id = k.user_id
        WHERE k.account_id = :account_id
          AND k.digest = :digest
          AND k.revoked_at IS NULL
          AND (k.expires_at IS NULL OR k.expires_at > :now)
        """,
        {"account_id": account_id, "digest": key_digest(key), "now": now()},
        into=Principal,
    )


_KEY = """
    SELECT
        k.id,
        k.name,
        k.prefix,
        k.scope,
        u.email AS user,
        c.email AS created_by,
        k.created_at,
        k.last_used_at,
        k.expires_at,
        k.revoked_at,
        k.replaced_by,
        k.rights AS own_rights
    FROM api_key k
    JOIN app_user u ON u.id = k.user_id
    LEFT JOIN app_user c ON c.id = k.created_by
    WHERE k.account_id = :account_id
"""


async def list_keys(db: Connection, account_id: int) -> list[ApiKey]:
    """The keys of an account, newest first."""
    sql = _KEY + " ORDER BY k.id DESC"
    return await fetch_all(db, sql, {"account_id": account_id}, into=ApiKey)


async def get_key(db: Connection, account_id: int, id: str) -> ApiKey:
    """A key. Raises: NotFound."""
    return await get_one(db, account_id, id, _KEY + " AND k.id = :id", into=ApiKey, noun="API key")


async def find_key_id(db: Connection, account_id: int, key: str) -> str | None:
    """The id of a key, active or not, or None. Index: api_key_digest."""
    row = await db.fetch_one(
        "SELECT id FROM api_key WHERE account_id = :account_id AND digest = :digest",
        {"account_id": account_id, "digest": key_digest(key)},
    )
    return str(row["id"]) if row else None


async def insert_key(
    tx: Transaction,
    account_id: int,
    *,
    key: str,
    user_id: str,
    name: str,
    scope: Scope,
    expires_at: datetime | None,
    created_by: str | None,
    own_rights: str | None,
) -> str:
    """Store a key as its digest; returns its id. created_by: the id of a user."""
    id = new_id(account_id)
    await insert_row(
        tx,
        "api_key",
        account_id=account_id,
        id=id,
        user_id=user_id,
        name=name,
        scope=scope,
        prefix=key_prefix(key),
        digest=key_digest(key),
        created_at=now(),
        expires_at=expires_at,
        created_by=created_by,
        rights=own_rights,
    )
    return id


async def update_replaced(
    tx: Transaction, account_id: int, id: str, *, replaced_by: str, expires_at: datetime
) -> None:
    """Record which key replaces this one, and when this one expires."""
    await update_row(tx, account_id, "api_key", id, replaced_by=replaced_by, expires_at=expires_at)


async def revoke_key(tx: Transaction, account_id: int, id: str) -> bool:
    """Revoke a key; False if it was revoked before. Raises: NotFound."""
    revoked = await tx.execute(
        """
        UPDATE api_key
        SET revoked_at = :now
        WHERE account_id = :account_id AND id = :id AND revoked_at IS NULL
        """,
        {"account_id": account_id, "id": id, "now": now()},
    )
    await get_key(tx, account_id, id)
    return revoked == 1


async def list_user_keys(db: Connection, account_id: int, user_id: str) -> list[str]:
    """The ids of a user's keys that are not revoked."""
    rows = await db.fetch_all(
        """
        SELECT id
        FROM api_key
        WHERE account_id = :account_id AND user_id = :user_id AND revoked_at IS NULL
        ORDER BY id
        """,
        {"account_id": account_id, "user_id": user_id},
    )
    return [row["id"] for row in rows]


async def update_last_used(tx: Transaction, account_id: int, uses: Mapping[str, datetime]) -> None:
    """Record when keys were last used. uses: moments by key id."""
    await tx.execute_many(
        """
        UPDATE api_key
        SET last_used_at = :used_at
        WHERE account_id = :account_id
          AND id = :id
          AND (last_used_at IS NULL OR last_used_at < :used_at)
        """,
        [{"account_id": account_id, "id": id, "used_at": at} for id, at in uses.items()],
    )
