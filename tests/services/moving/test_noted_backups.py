"""A verified backup is noted in the database, for `/metrics` and `masthead status`."""

from pathlib import Path

import pytest

from masthead.model.clock import now
from masthead.services.monitoring.state import read_state
from masthead.services.moving.backups import make_backup
from masthead.services.moving.verify import note_verified
from masthead.store.engine.moving.snapshots import connect_for_moving
from tests.support.databases import opened


async def test_the_database_knows_when_its_newest_verified_backup_was_made(
    scratch_url: str, tmp_path: Path
) -> None:
    made = await make_backup(scratch_url, tmp_path, version="1.0")
    assert await note_verified(made, scratch_url)
    async with opened(scratch_url) as db:
        assert (await read_state(db)).verified_backup == made.manifest.made_at
    assert made.manifest.made_at <= now()


async def test_a_database_that_cannot_be_written_to_is_no_reason_to_fail(
    scratch_url: str, tmp_path: Path
) -> None:
    made = await make_backup(scratch_url, tmp_path, version="1.0")
    assert not await note_verified(made, f"sqlite:///{tmp_path / 'nothing.db'}")


async def test_a_role_that_may_only_read_cannot_note_a_backup(
    scratch_url: str, backend: str, tmp_path: Path
) -> None:
    if backend != "postgres":
        pytest.skip("only on PostgreSQL")
    made = await make_backup(scratch_url, tmp_path, version="1.0")
    connection = await connect_for_moving(scratch_url)
    await connection.execute(
        "DROP ROLE IF EXISTS viewer; CREATE ROLE viewer LOGIN; GRANT pg_read_all_data TO viewer"
    )
    await connection.close()
    assert not await note_verified(made, scratch_url.replace("masthead@", "viewer@", 1))
