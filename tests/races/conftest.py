"""Two workers that the races of a session share; each race has its own account."""

from collections.abc import AsyncIterator, Callable

import pytest

from tests.conftest import Cast
from tests.races.test_races import Workers, account_on, open_workers
from tests.support.protections import PROTECTIONS


@pytest.fixture(scope="session")
def races_url(migrated_database: Callable[[], str]) -> str:
    """The database of the races."""
    return migrated_database()


@pytest.fixture(scope="session")
async def workers(races_url: str) -> AsyncIterator[Workers]:
    """Two workers of one database."""
    async with open_workers(races_url) as opened:
        yield opened


@pytest.fixture
async def pair(workers: Workers) -> tuple[Cast, Cast]:
    """An account through either of the workers."""
    return await account_on(workers)


@pytest.fixture
def unlocked_url(scratch_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A database for one test, in which nothing locks what the races change."""
    for replacement in PROTECTIONS["locks"]:
        monkeypatch.setattr(*replacement)
    return scratch_url
