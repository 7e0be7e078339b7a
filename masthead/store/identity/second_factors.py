"""All second factors of a person at once, and the sessions that depend on them."""

from masthead.model.clock import now
from masthead.store.engine.interface import Transaction
from masthead.store.identity.passkeys import delete_passkeys
from masthead.store.identity.pending_sign_ins import delete_pendings
from masthead.store.identity.recovery_codes import delete_codes
from masthead.store.identity.totp import delete_app


async def delete_second_factors(tx: Transaction, user_id: str) -> None:
    """Remove the app, the passkeys and the recovery codes of a person, and end sign-ins under way.

    Queries: four.
    """
    await delete_app(tx, user_id)
    await delete_passkeys(tx, user_id)
    await delete_codes(tx, user_id)
    await delete_pendings(tx, user_id)


async def update_confirmed(tx: Transaction, digest: str) -> None:
    """Record that the person of a session has just confirmed their identity."""
    await tx.execute(
        "UPDATE web_session SET confirmed_at = :now WHERE digest = :digest",
        {"digest": digest, "now": now()},
    )


async def delete_other_sessions(tx: Transaction, user_id: str, digest: str) -> None:
    """End all sessions of a person but one."""
    await tx.execute(
        "DELETE FROM web_session WHERE user_id = :id AND digest <> :digest",
        {"id": user_id, "digest": digest},
    )
