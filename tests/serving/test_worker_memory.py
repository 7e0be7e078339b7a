"""The memory of a worker after its start and 2,000 requests, also in a first start."""

import asyncio
from pathlib import Path

import pytest

from masthead.store.engine.migrate import migrate
from tests.support.factories import make_issue, make_subscription
from tests.support.serving import account_at, serve

pytestmark = pytest.mark.slow  # a server starts and answers 2,000 requests, one by one

MEBIBYTE = 2**20
ROUNDS, SUBSCRIPTIONS = 250, 20
PATHS = (
    *("me/", "sources/", "issues/", "subscribers/", "subscribers/?search=Ada", "copies/"),
    *("subscriptions/", "subscriptions/?limit=200&is_gift=false"),
)
# All that it holds, of which the supervisor has more than half, too; and what it alone holds
MOST, MOST_OF_ITS_OWN = 110 * MEBIBYTE, 40 * MEBIBYTE
MOST_IN_FAIR_SHARES = 80 * MEBIBYTE  # each page is shared out among those who hold it


def memory_of(pid: int) -> dict[str, int]:
    """The bytes of a process, by their kind."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    sizes = (line.replace(":", "").split() for line in lines)
    return {name: int(size) * 1024 for name, size, _unit in sizes}


async def test_a_worker_needs_little_memory_after_many_requests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shared").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "shared"))  # in which no template is compiled yet
    url = f"sqlite:///{tmp_path / 'masthead.db'}"
    migrate(url)
    with serve(url, tmp_path / "log") as server:
        async with account_at(server, url) as cast:
            await make_issue(cast, 1)
            for _ in range(SUBSCRIPTIONS):
                await make_subscription(cast)
            for _ in range(ROUNDS):
                answers = await asyncio.gather(*(cast.get(f"/v1/{path}") for path in PATHS))
                assert {answer.status_code for answer in answers} == {200}
            [worker] = server.workers()
            found = memory_of(worker)
    own = found["Private_Clean"] + found["Private_Dirty"]
    assert found["Pss"] < MOST_IN_FAIR_SHARES, found
    assert own < MOST_OF_ITS_OWN, found
    assert found["Rss"] < MOST, found
