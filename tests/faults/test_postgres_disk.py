"""PostgreSQL with a full disk: a real server on a small file system, which needs root."""

import asyncio
import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.conftest import desk
from tests.faults.test_postgres_connections import order, recovers
from tests.support.databases import migrated
from tests.support.expect import refused
from tests.support.factories import made
from tests.support.postgres import PLACE, OwnCluster, _give, _login

pytestmark = pytest.mark.faults

MOST_ORDERS = 2_000  # writes that fit into the free space of existing pages on a full disk


@contextlib.contextmanager
def small_disk() -> Iterator[Path]:
    """A file system of 48 MB that belongs to PostgreSQL's user."""
    folder = Path(tempfile.mkdtemp(prefix="masthead-disk-", dir=PLACE))
    mount: list[str | Path] = ["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", folder]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
        folder.rmdir()
        pytest.skip("no file system can be mounted here")
    try:
        space = folder / "space"
        space.mkdir()
        folder.chmod(0o755)
        _give(space, _login())
        yield space
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)
        folder.rmdir()


async def test_a_full_disk_causes_a_503_for_writes_until_space_is_free(server: OwnCluster) -> None:
    with small_disk() as space:
        await asyncio.to_thread(server.execute, f"CREATE TABLESPACE small LOCATION '{space}'")
        url = await asyncio.to_thread(server.create_database)
        name = url.rpartition("/")[2]
        await asyncio.to_thread(server.execute, f'ALTER DATABASE "{name}" SET TABLESPACE small')
        await asyncio.to_thread(migrated, url)
        async with desk(url) as cast:
            kept = [made(await order(cast))["id"]]
            ballast = space.parent / "ballast"
            with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
                while file.write(bytes(4096)):
                    pass
            answer = await order(cast)
            for _ in range(MOST_ORDERS):
                if answer.status_code != 201:
                    break
                kept.append(answer.json()["id"])
                answer = await order(cast)
            refused(answer, "unavailable", status=503)
            assert (await cast.get(f"/v1/subscriptions/{kept[-1]}/")).status_code == 200
            ballast.unlink()
            await recovers(cast)
            for id in kept:
                assert (await cast.get(f"/v1/subscriptions/{id}/")).status_code == 200
        await asyncio.to_thread(server.drop_databases)
        await asyncio.to_thread(server.execute, "DROP TABLESPACE small")


def test_databases_can_be_created_after_all_are_dropped(server: OwnCluster) -> None:
    for _ in range(2):
        server.create_migrated_database()
        server.drop_databases()
