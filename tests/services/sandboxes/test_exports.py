"""The export of a sandbox says so, and does not become an account with real time."""

from pathlib import Path

import pytest

from masthead.model.errors import Invalid
from masthead.services.exports.load import load_export
from masthead.services.exports.write import export_account
from masthead.store.accounts import get_account
from masthead.store.engine.interface import Database
from tests.conftest import BY, Cast, Client
from tests.support.factories import make_issue
from tests.support.sandboxes import SITE, make_sandbox


async def test_an_account_with_real_time_does_not_take_the_export_of_a_sandbox(
    client: Client, db: Database, acme: Cast, rival: Cast, tmp_path: Path
) -> None:
    async def load(account_id: int, folder: Path) -> int:
        loaded = await load_export(
            db, account_id, folder, placeholder_domain=SITE.domain, by=BY, is_rehearsal=True
        )
        return loaded.rows

    sandbox = await make_sandbox(client, db)
    await export_account(db, sandbox.account, tmp_path / "sandbox", by=BY)
    with pytest.raises(Invalid, match="The export is one of a sandbox"):
        await load(rival.account_id, tmp_path / "sandbox")

    copied = await get_account(db, acme.account_id)
    empty = await make_sandbox(client, db, copied)
    assert await load(empty.account.id, tmp_path / "sandbox")

    await make_issue(acme)
    await export_account(db, await get_account(db, acme.account_id), tmp_path / "live", by=BY)
    assert await load(rival.account_id, tmp_path / "live")
