"""PostgreSQL servers that copy others, and the suite behind one of them.

With `MASTHEAD_TEST_REPLICA=yes`, the server of the suite has a replica, and every masthead that the
tests start reads from it where `MASTHEAD_DATABASE_READ_URL` allows that.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from masthead.store.engine.postgres import replica
from tests.support.postgres import (
    FAST,
    PLACE,
    Cluster,
    OwnCluster,
    _give,
    _login,
    open_cluster,
    open_own_cluster,
)
from tests.support.waiting import PATIENCE

IS_WANTED = bool(os.environ.get("MASTHEAD_TEST_REPLICA"))
# Commits are flushed, as in production, but nothing waits for the disk
FLUSHED = ("synchronous_commit=on", "wal_writer_delay=10ms")
# How long a masthead waits for a replica
DEADLINES = {name: getattr(replica, name) for name in ("CONNECT_SECONDS", "REPLAY_SECONDS")}

_copies: dict[str, str] = {}  # the address of each database, and that of its copy


@contextmanager
def standby_of(primary: OwnCluster) -> Iterator[OwnCluster]:
    """A standby that copies another server."""
    home = Path(tempfile.mkdtemp(prefix="masthead-standby-", dir=PLACE))
    try:
        login = _login()
        _give(home, login)
        subprocess.run(
            [
                *(primary.bindir / "pg_basebackup", "--dbname", primary.address),
                *("--pgdata", home / "data", "--write-recovery-conf", "--checkpoint=fast"),
            ],
            check=True,
            cwd=home,
            capture_output=True,
            timeout=PATIENCE,
            **login,
        )
        with open_own_cluster(
            home, [*FAST, "shared_buffers=16MB", "hot_standby_feedback=on"]
        ) as standby:
            yield standby
    finally:
        shutil.rmtree(home, ignore_errors=True)


class CopiedCluster(Cluster):
    """A server whose databases a replica has too."""

    def __init__(self, primary: Cluster, standby: Cluster) -> None:
        super().__init__(primary.address)
        self._standby = standby

    def create_database(self, name: str = "masthead", *, template: str = "template0") -> str:
        """Create a database, wait until the replica has it, and return its URL."""
        url = super().create_database(name, template=template)
        name = url.rpartition("/")[2]
        self._standby.wait(PATIENCE, name)
        _copies[url] = self._standby.url_of(name)
        return url


@contextmanager
def open_with_standby(variable: str) -> Iterator[tuple[OwnCluster, OwnCluster]]:
    """Start the server of the suite with a standby, and stop both afterwards.

    variable: asks for it. Raises: PostgresMissing.
    """
    with open_cluster(settings=FLUSHED) as primary:
        if not isinstance(primary, OwnCluster):
            raise pytest.UsageError(f"{variable} needs a server that the tests start")
        with standby_of(primary) as standby:
            yield primary, standby


@contextmanager
def open_copied_cluster() -> Iterator[CopiedCluster]:
    """The server of the suite with a replica. Raises: PostgresMissing."""
    with (
        open_with_standby("MASTHEAD_TEST_REPLICA") as (primary, standby),
        pytest.MonkeyPatch.context() as patch,
    ):
        for name in DEADLINES:  # a busy machine may replay late
            patch.setattr(replica, name, PATIENCE)
        yield CopiedCluster(primary, standby)


def read_url_of(url: str) -> str:
    """The address of the replica of a database; empty if it has none."""
    return _copies.get(url, "")


def settings_of(url: str) -> dict[str, str]:
    """The variables that lead a masthead to a database, and to its replica if it has one."""
    variables = {"MASTHEAD_DATABASE_URL": url}
    if read_url := read_url_of(url):
        variables["MASTHEAD_DATABASE_READ_URL"] = read_url
    return variables
