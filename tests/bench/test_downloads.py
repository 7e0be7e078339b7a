"""The memory of downloads does not grow with their rows: every list of the desk, and the books."""

import asyncio
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench import data
from bench.clients import in_process
from bench.clients.in_process import Asker, asking
from bench.databases import Built, build
from bench.measure.pages import _prepare
from bench.servers.ready import ask_database
from masthead.web.downloads.lists import LISTS, SETTINGS_LISTS

DESK = "/desk/bench"
DAYS = "from=2026-01-01&to=2026-12-31"
FEW, MANY = 1_500, 7_500  # invoices, and as many copies
# A page of the largest rows, which few rows do not fill, and plans of statements that are kept
MOST = 3_000_000  # bytes by which the peak may differ
# All pairs are compared before the first is known
GROWING = {"duplicates"}


def addresses(built: Built) -> Iterator[str]:
    """Each list that has many rows, as CSV and as XLSX, and the files of the books."""

    def one(sql: str) -> str:
        row = ask_database(built.url, sql, account_id=built.account_id)
        assert row is not None
        return str(row["id"])

    batch = one(
        "SELECT batch_id AS id FROM renewal_letter WHERE account_id = :account_id"
        " GROUP BY batch_id ORDER BY count(*) DESC LIMIT 1"
    )
    statement = one("SELECT id FROM revenue_statement WHERE account_id = :account_id LIMIT 1")
    asked = {
        "copies": f"issue={built.issues[data.DESK.issues - data.WAITING_ISSUES]}",
        "orders": "from=2015-01&to=2026-12",
        "refunds": "from=2015-01&to=2026-12",
        "statement-figures": f"statement={statement}",
        "statement-orders": f"statement={statement}&currency=EUR",
        "letters": f"batch={batch}",
        "ended-with-issue": "issue=20",
    }
    for folder, lists in (("", LISTS), ("/settings", SETTINGS_LISTS)):
        for name in lists.keys() - GROWING:
            for ending in ("csv", "xlsx"):
                yield f"{DESK}{folder}/downloads/{name}/{ending}/?{asked.get(name, '')}"
    for name in ("open/csv", "open/documents/csv", "bookkeeping/journal/csv"):
        yield f"{DESK}/money/{name}/?{DAYS}"


async def peak_of(asker: Asker, address: str, cookie: str) -> tuple[int, int]:
    """The bytes that a download takes at most beyond what was there, and the bytes it has."""
    tracemalloc.reset_peak()
    before, _peak = tracemalloc.get_traced_memory()
    answer = await asker.get(address, cookie)
    assert answer.status == 200, (address, answer.body[:2000])
    return tracemalloc.get_traced_memory()[1] - before, answer.sent


async def measure(built: Built, cookie: str, asked: list[str]) -> dict[str, tuple[int, int]]:
    """The peak and the size of each download."""
    async with asking(built.url, None) as asker:
        for address in asked:  # what is loaded once
            await asker.get(address, cookie)
        tracemalloc.start()
        try:
            return {
                address.partition("?")[0]: await peak_of(asker, address, cookie)
                for address in asked
            }
        finally:
            tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_memory_of_a_download_is_the_same_for_five_times_as_many_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_process, "KEPT", 2_000)
    monkeypatch.setattr(in_process, "MOST", 1 << 40)
    found = []
    for copies in (FEW, MANY):
        url = f"sqlite:///{tmp_path}/{copies}.db"
        built = build(url, data.DESK, data.DESK.rows_for(copies))
        (cookie, _my_cookie), _seconds = asyncio.run(_prepare(built))
        found.append(asyncio.run(measure(built, cookie, list(addresses(built)))))
    few, many = found
    assert len([name for name in few if many[name][1] > 3 * few[name][1]]) > 15
    grown = {name: many[name][0] - few[name][0] for name in few}
    assert {name: more for name, more in grown.items() if more > MOST} == {}
