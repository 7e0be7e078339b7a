"""The secret of this server, which signs cookies and links in emails."""

import secrets

from masthead.store.engine.interface import Connection, Database
from masthead.store.identity import server_secrets as store

_NAME = "cookies"


async def find_secret(db: Connection) -> bytes | None:
    """The secret; None before its first use."""
    value = await store.find_secret(db, _NAME)
    return bytes.fromhex(value) if value else None


async def get_secret(db: Database) -> bytes:
    """The secret, the same in every process; created at first use."""
    while (secret := await find_secret(db)) is None:
        await db.write(lambda tx: store.insert_secret(tx, _NAME, secrets.token_hex(32)))
    return secret
