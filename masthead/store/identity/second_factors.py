"""All second factors of a person at once."""

from masthead.store.engine.interface import Transaction
from masthead.store.identity.passkeys import delete_passkeys
from masthead.store.identity.pending_sign_ins import delete_pendings
from masthead.store.identity.recovery_codes import delete_codes
from masthead.store.identity.totp import delete_app


async def delete_second_factors(tx: Transaction, user_id: str) -> None:
    """Remove the app, the passkeys and the recovery codes of a person, and end pending sign-ins.

    Queries: four.
    """
    await delete_app(tx, user_id)
    await delete_passkeys(tx, user_id)
    await delete_codes(tx, user_id)
    await delete_pendings(tx, user_id)
