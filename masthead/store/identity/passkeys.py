"""Passkeys of people, and the challenges for browsers to sign."""

from datetime import datetime

from msgspec import Struct

from masthead.model.clock import now
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, fetch_one


class Passkey(Struct, frozen=True):
    """A passkey. id, public_key: base64url. sign_count: the last counter of its device."""

    id: str
    user_id: str
    name: str
    public_key: str
    sign_count: int
    created_at: datetime
    used_at: datetime | None


_PASSKEY = """
    SELECT id, user_id, name, public_key, sign_count, created_at, used_at
    FROM passkey
"""


async def find_passkey(db: Connection, id: str) -> Passkey | None:
    """The passkey with that id, of any person."""
    return await fetch_one(db, _PASSKEY + "WHERE id = :id", {"id": id}, into=Passkey)


async def list_passkeys(db: Connection, user_id: str) -> list[Passkey]:
    """The passkeys of a person, oldest first."""
    return await fetch_all(
        db,
        _PASSKEY + "WHERE user_id = :user_id ORDER BY created_at, id",
        {"user_id": user_id},
        into=Passkey,
    )


async def insert_passkey(
    tx: Transaction, user_id: str, *, id: str, name: str, public_key: str, sign_count: int
) -> bool:
    """Store a passkey; False if its id exists already."""
    inserted = await tx.execute(
        """
        INSERT INTO passkey (id, user_id, name, public_key, sign_count, created_at)
        VALUES (:id, :user_id, :name, :public_key, :sign_count, :now)
        ON CONFLICT (id) DO NOTHING
        """,
        {
            "id": id,
            "user_id": user_id,
            "name": name,
            "public_key": public_key,
            "sign_count": sign_count,
            "now": now(),
        },
    )
    return inserted == 1


async def update_used(tx: Transaction, passkey: Passkey, *, sign_count: int) -> bool:
    """Record a use of a passkey; False if it was removed or used since it was read."""
    updated = await tx.execute(
        """
        UPDATE passkey
        SET sign_count = :sign_count, used_at = :now
        WHERE id = :id AND user_id = :user_id AND sign_count = :known
        """,
        {
            "id": passkey.id,
            "user_id": passkey.user_id,
            "known": passkey.sign_count,
            "sign_count": sign_count,
            "now": now(),
        },
    )
    return updated == 1


async def update_name(tx: Transaction, user_id: str, id: str, name: str) -> bool:
    """Rename a passkey of a person; False if they have no such passkey."""
    updated = await tx.execute(
        "UPDATE passkey SET name = :name WHERE id = :id AND user_id = :user_id",
        {"id": id, "user_id": user_id, "name": name},
    )
    return updated == 1


async def delete_passkey(tx: Transaction, user_id: str, id: str) -> bool:
    """Remove a passkey of a person; False if they have no such passkey."""
    deleted = await tx.execute(
        "DELETE FROM passkey WHERE id = :id AND user_id = :user_id", {"id": id, "user_id": user_id}
    )
    return deleted == 1


async def delete_passkeys(tx: Transaction, user_id: str) -> None:
    """Remove all passkeys of a person."""
    await tx.execute("DELETE FROM passkey WHERE user_id = :user_id", {"user_id": user_id})


# --- User handles --------------------------------------------------------------------------------


async def find_handle(db: Connection, user_id: str) -> str | None:
    """The random user handle in a person's passkeys, in base64url."""
    row = await db.fetch_one(
        "SELECT passkey_handle FROM app_user WHERE id = :user_id", {"user_id": user_id}
    )
    return row["passkey_handle"] if row else None


async def insert_handle(tx: Transaction, user_id: str, handle: str) -> None:
    """Store a person's handle, unless they have one."""
    await tx.execute(
        """
        UPDATE app_user
        SET passkey_handle = :handle
        WHERE id = :user_id AND passkey_handle IS NULL
        """,
        {"user_id": user_id, "handle": handle},
    )


# --- Challenges ----------------------------------------------------------------------------------


async def insert_challenge(
    tx: Transaction, digest: str, *, browser: str, expires_at: datetime
) -> bool:
    """Store the digest of a challenge; False if it exists already.

    browser: identifies the browser that may answer it; empty once it is answered.
    """
    inserted = await tx.execute(
        """
        INSERT INTO passkey_challenge (digest, browser, expires_at)
        VALUES (:digest, :browser, :expires_at)
        ON CONFLICT (digest) DO NOTHING
        """,
        {"digest": digest, "browser": browser, "expires_at": expires_at},
    )
    return inserted == 1


async def take_challenge(tx: Transaction, digest: str, *, browser: str) -> bool:
    """Use up a challenge; False if it was used, has expired, or is for another browser."""
    taken = await tx.execute(
        """
        DELETE FROM passkey_challenge
        WHERE digest = :digest AND browser = :browser AND expires_at > :now
        """,
        {"digest": digest, "browser": browser, "now": now()},
    )
    return taken == 1


async def delete_old_challenges(tx: Transaction) -> None:
    """Delete expired challenges."""
    await tx.execute("DELETE FROM passkey_challenge WHERE expires_at <= :now", {"now": now()})
