"""Known browsers: a cookie for each browser in which a person has signed in. decision 0032."""

from datetime import timedelta

from masthead.model.clock import now
from masthead.model.ids import new_token, token_digest
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.identity import known_browsers as store

KNOWN_FOR = timedelta(days=365)  # since the last sign-in
MOST = 20  # remembered browsers of one person


async def is_known(db: Connection, device: str, user_id: str) -> bool:
    """Whether a person has used this browser before. device: the cookie's token, or ''."""
    if not device:
        return False
    return await store.is_known(db, token_digest(device), user_id, seen_after=now() - KNOWN_FOR)


async def remember_browser(tx: Transaction, device: str, user_id: str) -> str:
    """Remember a browser; its new token, which replaces the old one for all people who use it.

    This makes a token useless that another site or person has planted in the browser.
    """
    fresh = new_token()
    digest = token_digest(fresh)
    if device:
        await store.replace_digest(tx, token_digest(device), digest)
    await store.upsert_browser(tx, digest, user_id)
    await store.delete_oldest(tx, user_id, keep=MOST)
    return fresh


async def forget_browsers(tx: Transaction, user_id: str) -> None:
    """Forget all browsers of a person."""
    await store.delete_browsers(tx, user_id)
