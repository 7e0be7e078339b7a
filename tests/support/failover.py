"""The suite on two PostgreSQL servers with synchronous replication, of which it loses the first.

With `MASTHEAD_TEST_FAILOVER=yes`, each process of tests kills its primary between two tests and
promotes the standby. What was written before must be there, and everything goes on.
"""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from masthead.store.engine.postgres.pool import Pool
from tests.support.postgres import Cluster, OwnCluster
from tests.support.replica import open_with_standby
from tests.support.waiting import PATIENCE

IS_WANTED = bool(os.environ.get("MASTHEAD_TEST_FAILOVER"))
TESTS_BEFORE = 20  # of a process, after which it loses its primary


class SynchronousPair(Cluster):
    """A primary and a standby, which has each commit before it is acknowledged.

    address: names both servers.
    """

    def __init__(self, primary: OwnCluster, standby: OwnCluster) -> None:
        netlocs = [urlsplit(server.address).netloc for server in (primary, standby)]
        both = ",".join([netlocs[0], netlocs[1].rpartition("@")[2]])
        super().__init__(urlsplit(primary.address)._replace(netloc=both).geturl())
        self._primary, self._standby, self._tests = primary, standby, 0
        primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        primary.execute("SELECT pg_reload_conf()")

    def fail_over(self) -> None:
        """Lose the primary, and let the standby take its place."""
        self._primary.kill()
        self._standby.execute("SELECT pg_promote()")
        self._standby.wait(PATIENCE)
        for found in gc.get_objects():
            if isinstance(found, Pool):
                _drop_idle(found)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        """Fail over before one of the tests."""
        self._tests += 1
        if self._tests == TESTS_BEFORE:
            self.fail_over()


def _drop_idle(pool: Pool) -> None:
    """Close the idle connections, as a pool itself does after the first request that fails."""
    pool.generation += 1
    while pool._idle:
        pool._idle.pop().terminate()


@contextmanager
def open_synchronous_pair(manager: pytest.PytestPluginManager) -> Iterator[SynchronousPair]:
    """The server of the suite with a standby.

    manager: calls the pair before each test. Raises: PostgresMissing.
    """
    with open_with_standby("MASTHEAD_TEST_FAILOVER") as (primary, standby):
        pair = SynchronousPair(primary, standby)
        manager.register(pair)
        try:
            yield pair
        finally:
            manager.unregister(pair)
