"""The database of any moment, from what Litestream has copied: `restore --at` on SQLite."""

import asyncio
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
import yaml

from masthead.model.clock import now
from masthead.services.moving.moments import restore_moment
from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.migrate import migrate
from masthead.store.engine.moving import litestream
from tests.conftest import BY
from tests.services.moving.conftest import filled
from tests.services.moving.test_litestream import PROGRAM, run
from tests.services.moving.test_moments import names_in
from tests.support.factories import PLACEHOLDER_DOMAIN, make_subscription
from tests.support.ports import reserved_port
from tests.support.serving import ROOT
from tests.support.waiting import PATIENCE
from tools.on_day import clock_variables

BESIDE = Path(sys.executable).parent
STORAGE = shutil.which("rclone", path=BESIDE)  # Debian's is too old to serve S3
SHIPPED = ROOT / "ops/litestream.yml"
SECOND = timedelta(seconds=1)
needs_program = pytest.mark.skipif(
    PROGRAM is None or bool(clock_variables()),
    reason="needs the program `litestream`, which always has the clock of the machine",
)


@pytest.fixture
def only_sqlite(backend: str) -> None:
    """PostgreSQL has an archive of its own."""
    if backend != "sqlite":
        pytest.skip("Litestream is for SQLite")


def answers(port: int) -> bool:
    """Whether something listens on a port."""
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionRefusedError:
        return False
    return True


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URL of a folder of a bucket, on a server that speaks the protocol of S3."""
    assert STORAGE is not None
    (tmp_path / "buckets/acme-backups").mkdir(parents=True)
    key, secret = "litestream-key", "litestream-secret"
    monkeypatch.setenv("LITESTREAM_ACCESS_KEY_ID", key)
    monkeypatch.setenv("LITESTREAM_SECRET_ACCESS_KEY", secret)
    monkeypatch.delenv("AWS_CA_BUNDLE", raising=False)  # Litestream cannot use it
    with reserved_port() as port:
        address = f"127.0.0.1:{port}"
        command = [STORAGE, "serve", "s3", "--addr", address, "--auth-key", f"{key},{secret}"]
        with subprocess.Popen([*command, str(tmp_path / "buckets")]) as process:
            try:
                deadline = time.monotonic() + PATIENCE
                while not answers(port):
                    assert time.monotonic() < deadline
                    time.sleep(0.02)
                yield f"s3://acme-backups/masthead?endpoint=http://{address}&force-path-style=true"
            finally:
                process.kill()


@contextmanager
def replicating(url: str, folder: Path, to: str = "") -> Iterator[Callable[[], None]]:
    """Litestream runs with our file for the block. Gives what waits until it has copied all.

    to: a URL to copy to, instead of the folder `replica`.
    """
    assert PROGRAM is not None
    control, config = folder / "socket", folder / "litestream.yml"
    settings = yaml.safe_load(SHIPPED.read_text())
    path = url.removeprefix("sqlite:///")
    settings["dbs"][0]["path"] = path
    replica = settings["dbs"][0]["replica"]
    if to:
        del replica["type"], replica["path"]
        replica["url"] = to
    else:
        replica["path"] = str(folder / "replica")
    config.write_text(
        yaml.safe_dump({**settings, "socket": {"enabled": True, "path": str(control)}})
    )
    log = folder / "litestream.log"
    command = [PROGRAM, "replicate", "-config", str(config)]
    with log.open("wb") as out, subprocess.Popen(command, stdout=out, stderr=out) as process:
        try:
            deadline = time.monotonic() + PATIENCE
            while not control.exists():
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.02)
            yield lambda: run("sync", "-wait", "-socket", str(control), path)
        finally:
            process.kill()


async def restore(replica: Path | str, at: datetime, target: Path, **options: bool) -> datetime:
    """Restore the database of a moment into a file; the moment that it is of."""
    done = await restore_moment(
        str(replica),
        at,
        f"sqlite:///{target}",
        version="1.0",
        may_replace=options.get("may_replace", False),
        migrate=migrate,
        placeholder_domain=PLACEHOLDER_DOMAIN,
        by=BY,
    )
    assert done.broken_rule == ""
    return done.moment


@pytest.mark.slow
@needs_program
@pytest.mark.skipif(STORAGE is None, reason="the program `rclone` is missing")
@pytest.mark.usefixtures("only_sqlite")
async def test_a_moment_is_restored_from_s3(
    scratch_url: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    bucket = request.getfixturevalue("bucket")
    async with filled(scratch_url, subscriptions=0) as cast:
        with replicating(scratch_url, tmp_path, bucket) as sync:
            moments = []
            for name in ("Ada", "Bea", "Cleo"):
                await asyncio.to_thread(sync)
                await make_subscription(cast, last_name=name)
                moments.append(now())
                await asyncio.to_thread(sync)
    target = tmp_path / "restored.db"
    moment = await restore(bucket, moments[1], target)
    assert moment >= moments[1].replace(microsecond=0)
    assert await names_in(f"sqlite:///{target}") == ["Ada", "Bea"]
    with pytest.raises(DatabaseError, match="has nothing that Litestream has written"):
        await restore(bucket.replace("masthead?", "other?"), moments[1], tmp_path / "other.db")


@needs_program
@pytest.mark.usefixtures("only_sqlite")
async def test_nothing_that_was_acknowledged_before_the_moment_is_missing(
    scratch_url: str, tmp_path: Path
) -> None:
    async with filled(scratch_url, subscriptions=0) as cast:
        with replicating(scratch_url, tmp_path) as sync:
            moments = []
            for name in ("Ada", "Bea", "Cleo"):
                await asyncio.to_thread(sync)
                await make_subscription(cast, last_name=name)
                moments.append(now())
                await asyncio.to_thread(sync)
            figures = cast.db.figures()
            read_at = figures["masthead_sqlite_litestream_timestamp_seconds"]
            assert abs(read_at - now().timestamp()) < PATIENCE
        file = Path(scratch_url.removeprefix("sqlite:///"))
        with pytest.raises(DatabaseError, match="is in use"):
            await restore(tmp_path / "replica", moments[1], file, may_replace=True)
    target = tmp_path / "restored.db"
    moment = await restore(tmp_path / "replica", moments[1], target)
    assert moment >= moments[1].replace(microsecond=0)
    assert await names_in(f"sqlite:///{target}") == ["Ada", "Bea"]
    with pytest.raises(DatabaseError, match=r"begins at 20.*Z: nothing before that"):
        await restore(tmp_path / "replica", moments[0] - timedelta(days=1), tmp_path / "other.db")
    with pytest.raises(DatabaseError, match=r"ends at 20.*Z: give that moment, or"):
        await restore(tmp_path / "replica", now() + timedelta(days=1), tmp_path / "other.db")
    with pytest.raises(DatabaseError, match="has nothing that Litestream has written"):
        await restore(tmp_path, moments[1], tmp_path / "other.db")


@pytest.mark.slow
@needs_program
@pytest.mark.usefixtures("only_sqlite")
async def test_any_second_of_a_run_of_writes_is_restored(
    scratch_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        litestream, "GAP", timedelta(seconds=PATIENCE)
    )  # a busy machine may be late
    acknowledged = []
    async with filled(scratch_url, subscriptions=0) as cast:
        with replicating(scratch_url, tmp_path) as sync:
            await asyncio.to_thread(sync)
            began = now()
            for number in range(80):
                name = f"Name {number:02}"
                await make_subscription(cast, last_name=name)
                acknowledged.append((now(), name))
                await asyncio.sleep(0.1)
            ended = now()
            await asyncio.to_thread(sync)
    for number in range(8):
        at = began + (ended - began) * number / 8
        target = tmp_path / f"{number}.db"
        moment = await restore(tmp_path / "replica", at, target)
        names = await names_in(f"sqlite:///{target}")
        before = [name for when, name in acknowledged if when <= at]
        copied = [name for when, name in acknowledged if when <= moment + SECOND]
        assert names[: len(before)] == before
        assert len(names) <= len(copied) + 1  # one may not have been acknowledged yet


def listed(*moments: str, first: int = 1) -> bytes:
    """What `litestream ltx` says of files of some moments."""
    files = [
        {"max_txid": f"{number:016x}", "timestamp": moment}
        for number, moment in enumerate(moments, first)
    ]
    return msgspec.json.encode(files)


async def restore_from(
    monkeypatch: pytest.MonkeyPatch, folder: Path, files: bytes, before: int, at: datetime
) -> datetime:
    """Restore a moment from files that Litestream says it has. before: the last one before it."""

    async def said(program: Path, *words: str) -> bytes:
        if words[0] == "version":
            return b"0.5.17"
        return files if words[0] == "ltx" else msgspec.json.encode({"max_txid": f"{before:016x}"})

    monkeypatch.setattr(litestream, "_output", said)
    monkeypatch.setattr(shutil, "which", lambda *_, **__: "/bin/litestream")
    return await litestream.restore_moment("s3://acme/masthead", at, folder / "restored.db")


@pytest.mark.parametrize(
    "before,problem",
    [
        (
            2,
            "has nothing between 2026-11-27T10:00:02Z and 2026-11-27T10:01:23Z. .*"
            "`--at 2026-11-27T10:00:02Z` restores what was written before that, and "
            "`--at 2026-11-27T10:01:23Z` also all that was written in between.",
        ),
        (1, "nothing between 2026-11-27T10:00:01Z and 2026-11-27T10:00:02Z"),
    ],
)
async def test_a_hole_is_named_with_the_moments_around_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: int, problem: str
) -> None:
    files = listed("2026-11-27T10:00:01Z", "2026-11-27T10:00:02Z", "2026-11-27T10:01:23Z")
    at = datetime(2026, 11, 27, 10, 0, 25, tzinfo=UTC)
    with pytest.raises(DatabaseError, match=problem):
        await restore_from(monkeypatch, tmp_path, files, before, at)


async def test_a_moment_is_at_most_half_a_minute_later_and_ends_with_its_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = listed("2026-11-27T10:00:01Z", "2026-11-27T10:00:31Z")
    minute = datetime(2026, 11, 27, 10, 0, tzinfo=UTC)
    for second in (1, 2, 31):  # Litestream names no fractions: the last file has those of 31.0-31.9
        at = minute + timedelta(seconds=second)
        moment = await restore_from(monkeypatch, tmp_path, files, 1, at)
        assert moment == minute + timedelta(seconds=31.999)
    at = minute + timedelta(seconds=1, microseconds=-1)
    with pytest.raises(DatabaseError, match="nothing between"):
        await restore_from(monkeypatch, tmp_path, files, 1, at)


async def test_a_program_that_is_missing_old_or_fails_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def restore() -> None:
        await litestream.restore_moment(str(tmp_path), now(), tmp_path / "restored.db")

    program = tmp_path / "litestream"
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(DatabaseError, match=r"no program `litestream`. Install 0.5.17"):
        await restore()
    monkeypatch.setattr(shutil, "which", lambda *_, **__: str(program))
    script = "#!/bin/sh\ncase $1 in version) echo {};; ltx) echo '{}';; *) exit 3;; esac\n"
    program.write_text(script.format("v0.3.13", ""))
    program.chmod(0o755)
    with pytest.raises(DatabaseError, match=r"has version v0\.3\.13, which is not safe"):
        await restore()
    program.write_text(script.format("0.6.0", listed("2026-11-27T10:00:01Z").decode()))
    with pytest.raises(DatabaseError, match="`litestream` failed: exit code 3"):
        await restore()


def test_the_shipped_configuration_and_unit_belong_together() -> None:
    settings = yaml.safe_load(SHIPPED.read_text())
    (database,) = settings["dbs"]
    unit = (ROOT / "ops/masthead-litestream.service").read_text()
    (writable,) = [line for line in unit.splitlines() if line.startswith("ReadWritePaths=")]
    paths = writable.removeprefix("ReadWritePaths=").split()
    assert str(Path(database["path"]).parent) in paths
    assert f"-{database['replica']['path']}" in paths  # with S3, it does not exist
    assert "Before=masthead.service" in unit


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd-analyze")
def test_the_unit_is_valid(tmp_path: Path) -> None:
    unit = tmp_path / "masthead-litestream.service"
    text = (ROOT / "ops/masthead-litestream.service").read_text()
    unit.write_text(text.replace("/usr/local/bin/litestream", sys.executable))
    command = ["systemd-analyze", "verify", str(unit)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
