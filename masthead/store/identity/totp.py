"""Authenticator apps: at most one for each person."""

from datetime import datetime

from msgspec import Struct

from masthead.model.clock import now
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_one


class AuthenticatorApp(Struct, frozen=True):
    """secret: shared with the app, in base32. last_step: the newest time step that was used."""

    secret: str
    last_step: int
    created_at: datetime
    used_at: datetime | None


async def find_app(db: Connection, user_id: str) -> AuthenticatorApp | None:
    """The app of a person, or None."""
    return await fetch_one(
        db,
        """
        SELECT secret, last_step, created_at, used_at
        FROM authenticator_app
        WHERE user_id = :user_id
        """,
        {"user_id": user_id},
        into=AuthenticatorApp,
    )


async def replace_app(tx: Transaction, user_id: str, *, secret: str, step: int) -> None:
    """Store a person's app, replacing an earlier one. step: of the code that confirmed it."""
    await tx.execute(
        """
        INSERT INTO authenticator_app (user_id, secret, last_step, created_at)
        VALUES (:user_id, :secret, :step, :now)
        ON CONFLICT (user_id) DO UPDATE
        SET secret = excluded.secret,
            last_step = excluded.last_step,
            created_at = excluded.created_at,
            used_at = NULL
        """,
        {"user_id": user_id, "secret": secret, "step": step, "now": now()},
    )


async def take_step(tx: Transaction, user_id: str, step: int) -> bool:
    """Use up a time step and those before it; False if it was already used."""
    taken = await tx.execute(
        """
        UPDATE authenticator_app
        SET last_step = :step, used_at = :now
        WHERE user_id = :user_id AND last_step < :step
        """,
        {"user_id": user_id, "step": step, "now": now()},
    )
    return taken == 1


async def delete_app(tx: Transaction, user_id: str) -> bool:
    """Remove a person's app; False if there was none."""
    deleted = await tx.execute(
        "DELETE FROM authenticator_app WHERE user_id = :user_id", {"user_id": user_id}
    )
    return deleted == 1
