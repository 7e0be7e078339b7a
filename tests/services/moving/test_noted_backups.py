"""A verified backup is noted in the database, for `/metrics` and `masthead status`."""

from datetime import datetime
from pathlib import Path

import pytest

from masthead.model.clock import now
from masthead.services.monitoring.state import read_state
from masthead.services.moving.backups import Backup, make_backup, read_backup
from masthead.services.moving.verify import note_verification, verify_backup
from masthead.store.engine.migrate import migrate
from masthead.store.engine.moving.snapshots import connect_for_moving
from tests.support.databases import opened


async def test_the_database_knows_when_its_newest_sound_backup_was_made(
    scratch_url: str, tmp_path: Path
) -> None:
    failures = []

    async def note(made: Backup) -> datetime | None:
        """Verify and note a backup; the moment that the database knows then."""
        await verify_backup(made, scratch_url, migrate=migrate, version="1.0")
        assert await note_verification(read_backup(made.path), scratch_url)
        async with opened(scratch_url) as db:
            state = await read_state(db)
        failures.append(state.failed_backup)
        return state.verified_backup

    old = await make_backup(scratch_url, tmp_path, version="1.0")
    new = await make_backup(scratch_url, tmp_path, version="1.0")
    assert await note(old) == old.manifest.made_at
    assert await note(new) == new.manifest.made_at <= now()
    new.data.write_bytes(b"rotten")
    assert failures == [None, None]
    assert await note(new) == old.manifest.made_at
    assert new.manifest.made_at < (failures[-1] or new.manifest.made_at) <= now()
    old.data.write_bytes(b"rotten")
    assert await note(old) is None


async def test_a_database_that_cannot_be_written_to_is_no_reason_to_fail(
    scratch_url: str, tmp_path: Path
) -> None:
    made = await make_backup(scratch_url, tmp_path, version="1.0")
    assert not await note_verification(made, f"sqlite:///{tmp_path / 'nothing.db'}")


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
    assert not await note_verification(made, scratch_url.replace("masthead@", "viewer@", 1))
