"""The last uses of keys are kept in memory until the database can store them."""

from contextlib import closing
from datetime import datetime
from pathlib import Path

import apsw
import pytest

from masthead.model.errors import Unavailable
from masthead.model.identity.api_keys import Principal
from masthead.model.types.enums import Scope
from masthead.services import accounts, keys
from masthead.services.key_usage import KeyUsage
from masthead.store.engine.database import connect
from masthead.store.engine.interface import Database
from masthead.store.engine.sqlite import connection as sqlite_connection
from masthead.store.keys import list_keys
from tests.conftest import BY
from tests.support.databases import migrated


async def last_used(db: Database, account_id: int) -> datetime | None:
    async with db.read() as connection:
        (key,) = await list_keys(connection, account_id)
    return key.last_used_at


async def test_the_use_of_a_key_is_kept_while_the_database_is_busy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_connection, "BUSY_MILLISECONDS", 50)
    db = await connect(migrated(f"sqlite:///{tmp_path}/masthead.db"))
    account = await accounts.create_account(
        db, name="Acme", subdomain="acme", currency="EUR", owner="ann@acme.test", by=BY
    )
    id, _ = await keys.create_key(
        db, account.id, user="ann@acme.test", scope=Scope.READ_ONLY, by=BY
    )
    usage = KeyUsage()
    usage.note(
        Principal(
            account.id, id, Scope.READ_ONLY, "ann@acme.test", "Acme", "acme", "EUR", True, None
        )
    )
    with closing(apsw.Connection(str(tmp_path / "masthead.db"))) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable):
            await usage.flush(db)
    assert await last_used(db, account.id) is None
    await usage.flush(db)
    assert await last_used(db, account.id) is not None
    await db.close()
