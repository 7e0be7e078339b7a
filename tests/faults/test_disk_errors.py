"""A disk that fails or is full at the n-th call, for every n."""

import contextlib
import itertools
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from masthead.services.check.accounts import check
from masthead.settings import Settings
from masthead.store.engine.database import connect
from masthead.store.engine.interface import Database, DatabaseError
from masthead.store.engine.migrate import migrate
from masthead.store.engine.sqlite import checkpoints
from tests.conftest import Cast, make_account, serving
from tests.faults.support.disk import watched_disk
from tests.faults.support.failing import FULL, IO_ERRORS, Failing
from tests.support.expect import refused
from tests.support.factories import make_issues, manual
from tests.support.protections import PROTECTIONS
from tests.support.rounds import rounds

pytestmark = pytest.mark.faults

IS_LONG = rounds(0) > 0
STEP = 1 if IS_LONG else 5  # from one n to the next


@dataclass
class OwnService:
    """A service whose disk can fail."""

    failing: Failing
    cast: Cast
    db: Database

    async def count(self) -> int:
        """How many subscriptions there are."""
        row = await self.db.fetch_one("SELECT count(*) AS n FROM subscription", {})
        assert row is not None
        return int(row["n"])


@contextlib.asynccontextmanager
async def failing_service(folder: Path) -> AsyncIterator[OwnService]:
    """A service with an account and issues; nothing fails yet."""
    url = f"sqlite:///{folder / 'masthead.db'}"
    migrate(url)
    failing = Failing()
    with watched_disk(folder, failing):
        async with serving(Settings(database_url=url)) as (app, client):
            cast = await make_account(client, app.state.db, "Acme")
            await make_issues(cast, 1, 2)
            yield OwnService(failing, cast, app.state.db)


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable checkpoints, so that only the calls of the request are counted."""
    monkeypatch.setattr(checkpoints, "DELAY_SECONDS", 1_000.0)


async def subscribe(cast: Cast, order_id: str) -> httpx.Response:
    """Create a subscription."""
    return await cast.post("/v1/subscriptions/", manual(cast, order_id=order_id, length=2))


async def walk(own: OwnService, errors: dict[str, int], *, is_lasting: bool) -> int:
    """Make each call of a request fail, one per round; the number of calls that failed."""
    expected = await own.count()
    for number in itertools.count(1, STEP):
        order_id = f"ORDER-{number}"
        own.failing.fail(number, errors, errors.keys(), is_lasting=is_lasting)
        response = await subscribe(own.cast, order_id)
        failed = own.failing.repair()
        if not failed:
            assert response.status_code == 201, response.text
            return number - 1
        refused(response, "unavailable", status=503)
        assert await own.count() == expected, "half of a request was done"
        again = await subscribe(own.cast, order_id)
        assert again.status_code == 201, again.text
        expected += 1
    raise AssertionError("never reached")


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("is_lasting", [False, True], ids=["once", "lasting"])
@pytest.mark.parametrize("errors", [IO_ERRORS, FULL], ids=["input or output", "full"])
async def test_a_disk_error_refuses_only_the_current_request(
    tmp_path: Path,
    errors: dict[str, int],
    is_lasting: bool,
    record_property: Callable[[str, object], None],
) -> None:
    async with failing_service(tmp_path) as own:
        calls = await walk(own, errors, is_lasting=is_lasting)
        assert calls > 10
        assert [fault async for fault in check(own.db)] == []
    record_property("client", f"503 for each of {calls} calls that failed")
    record_property("recovery", "the next request works")


@pytest.mark.usefixtures("quiet")
async def test_the_test_detects_a_writer_that_ignores_errors_of_the_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for owner, name, instead in PROTECTIONS["errors of the commit"]:
        monkeypatch.setattr(owner, name, instead)
    async with failing_service(tmp_path) as own:
        with pytest.raises(AssertionError):
            await walk(own, FULL, is_lasting=False)


async def test_a_disk_error_refuses_a_read_and_the_next_one_works(tmp_path: Path) -> None:
    async with failing_service(tmp_path) as own:
        await subscribe(own.cast, "ORDER-1")
        key = own.cast.key
    url, failing = f"sqlite:///{tmp_path / 'masthead.db'}", Failing()
    with watched_disk(tmp_path, failing):
        for number in itertools.count(1, STEP):
            async with serving(Settings(database_url=url)) as (_, client):  # with empty caches
                failing.fail(number, IO_ERRORS, ["open", "read"], is_lasting=False)
                response = await client.get("/v1/subscriptions/", key=key)
                if not failing.repair():
                    break
                refused(response, "unavailable", status=503)
                assert (await client.get("/v1/subscriptions/", key=key)).status_code == 200
    assert number > 10


async def is_opened(url: str) -> bool:
    """Whether a database can be opened."""
    try:
        db = await connect(url)
    except DatabaseError:
        return False
    await db.close()
    return True


async def test_a_disk_error_while_opening_the_database_refuses_it(tmp_path: Path) -> None:
    url, failing = f"sqlite:///{tmp_path / 'masthead.db'}", Failing()
    migrate(url)
    with watched_disk(tmp_path, failing):
        for number in itertools.count(1):
            failing.fail(number, IO_ERRORS, ["open", "read"], is_lasting=False)
            was_opened = await is_opened(url)
            if not failing.repair():
                break
            assert not was_opened or number > 3
            assert await is_opened(url)
    assert number > 3


@pytest.mark.parametrize("errors", [IO_ERRORS, FULL], ids=["input or output", "full"])
async def test_a_failed_checkpoint_is_repeated_later(
    tmp_path: Path, errors: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "DELAY_SECONDS", 0.01)
    async with failing_service(tmp_path) as own:
        own.failing.fail(1, errors, ["write"], is_lasting=True)
        for number in range(3):
            await subscribe(own.cast, f"ORDER-{number}")
        assert own.failing.repair()
        assert (await subscribe(own.cast, "ORDER-9")).status_code == 201
        assert [fault async for fault in check(own.db)] == []
