"""Known browsers: a cookie for each browser in which a user has signed in (decision 0032)."""

from datetime import timedelta

from masthead.model.clock import now
from masthead.model.ids import new_token, token_digest
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.identity import known_browsers as store

KNOWN_FOR = timedelta(days=365)  # since the last sign-in
MOST = 20  # remembered browsers of one user


async def is_known(db: Connection, device: str, user_id: str) -> bool:
    """Whether a user has used this browser before. device: the cookie's token, or empty."""
    if not device:
        return False
    return await store.is_known(db, token_digest(device), user_id, seen_after=now() - KNOWN_FOR)


async def remember_browser(tx: Transaction, device: str, user_id: str) -> str:
    """Remember a browser; returns its new token, which replaces the old one for all its users.

    If an attacker has set the cookie, its token becomes useless.
    """
    fresh = new_token()
    digest = token_digest(fresh)
    if device:
        await store.replace_digest(tx, token_digest(device), digest)
    await store.upsert_browser(tx, digest, user_id)
    await store.delete_oldest(tx, user_id, keep=MOST)
    return fresh
