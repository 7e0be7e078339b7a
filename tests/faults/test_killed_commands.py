"""Commands that are killed while they run."""

import asyncio
import csv
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from masthead.services.check.accounts import check
from masthead.settings import Settings
from masthead.store.engine.interface import Database
from tests.conftest import Cast, Client, make_account, serving
from tests.support.factories import make_issue
from tests.support.replica import settings_of
from tests.support.rounds import rounds
from tests.support.serving import ROOT
from tests.support.waiting import PATIENCE

pytestmark = [pytest.mark.faults, pytest.mark.slow]

ORDERS = 4_000  # several transactions of an import
Record = Callable[[str, object], None]


def start(url: str, *words: str, without: str | None = None) -> subprocess.Popen[bytes]:
    """A `masthead` command in a separate process group."""
    variables = settings_of(url) | ({"WITHOUT": without} if without else {})
    program = "tests.support.serve_unprotected" if without else "masthead"
    return subprocess.Popen(
        [sys.executable, "-m", program, *words],
        cwd=ROOT,
        env=os.environ | variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


async def finish(process: subprocess.Popen[bytes]) -> None:
    """Wait for a command that must succeed."""
    _, errors = await asyncio.to_thread(process.communicate, timeout=PATIENCE * 4)
    assert process.returncode == 0, errors.decode()


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a command, unless it has ended by itself."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=PATIENCE)


def write_orders(path: Path, count: int) -> None:
    """A CSV file of that many orders, a few of them memberships that end."""
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(
            "order_id first_name country order_date price start_issue length "
            "type interval_months period_start period_end".split()
        )
        for number in range(count):
            order = [f"OLD{number}", "Ada", "DE", "2026-01-15", "42"]
            if number % 4:
                rows.writerow([*order, 1, 4, "", "", "", ""])
            else:
                rows.writerow([*order, "", "", "membership", 12, "2090-01-01", "2090-12-31"])


async def count_orders(db: Database, account_id: int) -> int:
    """How many orders an account has."""
    row = await db.fetch_one(
        "SELECT count(*) AS orders FROM period WHERE account_id = :account_id",
        {"account_id": account_id},
    )
    assert row is not None
    return int(row["orders"])


async def more_orders(
    db: Database, account_id: int, *, than: int, by: subprocess.Popen[bytes]
) -> None:
    """Return once a command has committed orders, or has ended."""
    while by.poll() is None and await count_orders(db, account_id) == than:
        time.sleep(0.005)  # noqa: ASYNC251 - nothing else runs in this process


async def incomplete_orders(db: Database, account_id: int, by: subprocess.Popen[bytes]) -> None:
    """Return once a command has committed subscriptions without their orders, or has ended."""
    counts = """
        SELECT (SELECT count(*) FROM subscription WHERE account_id = :account_id) AS subscriptions,
            (SELECT count(*) FROM period WHERE account_id = :account_id) AS orders
    """
    while by.poll() is None:
        row = await db.fetch_one(counts, {"account_id": account_id})
        if row is not None and row["subscriptions"] != row["orders"]:
            return


async def prepare(client: Client, db: Database) -> Cast:
    """An account with the issue that the orders start with."""
    acme = await make_account(client, db, "Acme")
    await make_issue(acme, 1)
    return acme


def importing(acme: Cast, file: Path) -> list[str]:
    """The arguments of the command that imports a file."""
    return ["import", "--account", acme.subdomain, "--source", acme.imported, str(file)]


async def kill_imports(
    url: str, file: Path, *, times: int, without: str | None = None
) -> tuple[int, int]:
    """Kill the import of a file a number of times, then finish it; the orders before and after.

    without: the protection that is off; the command is then killed between two of its statements.
    """
    async with serving(Settings(database_url=url)) as (app, client):
        db: Database = app.state.db
        acme = await prepare(client, db)
        before = 0
        for _ in range(times):
            process = start(url, *importing(acme, file), without=without)
            if without:
                await incomplete_orders(db, acme.account_id, process)
            else:
                await more_orders(db, acme.account_id, than=before, by=process)
                await asyncio.sleep(random.uniform(0, 0.3))
            kill(process)
            assert [fault async for fault in check(db)] == [], "half an order is there"
            before = await count_orders(db, acme.account_id)
        await finish(start(url, *importing(acme, file)))
        assert [fault async for fault in check(db)] == []
        return before, await count_orders(db, acme.account_id)


async def test_a_killed_import_leaves_only_complete_orders_and_can_be_repeated(
    scratch_url: str, tmp_path: Path, record_property: Record
) -> None:
    file = tmp_path / "orders.csv"
    write_orders(file, ORDERS)
    before, after = await kill_imports(scratch_url, file, times=min(rounds(2), 8))
    assert after == ORDERS
    record_property("client", f"{before:,} of {ORDERS:,} orders at the last kill, all complete")
    record_property("recovery", "the repeated import adds the others")


async def test_without_transactions_a_killed_import_leaves_incomplete_orders(
    scratch_url: str, tmp_path: Path
) -> None:
    file = tmp_path / "orders.csv"
    write_orders(file, ORDERS)
    with pytest.raises(AssertionError, match="half an order is there"):
        await kill_imports(scratch_url, file, times=5, without="transactions")


async def test_a_killed_daily_pass_leaves_each_account_consistent_with_one_date(
    scratch_url: str, tmp_path: Path, record_property: Record
) -> None:
    file = tmp_path / "orders.csv"
    write_orders(file, 400)
    async with serving(Settings(database_url=scratch_url)) as (app, client):
        db: Database = app.state.db
        for _ in range(4):
            acme = await prepare(client, db)
            await finish(start(scratch_url, *importing(acme, file)))
        for day in range(rounds(2)):
            process = start(scratch_url, "daily", "--date", f"2091-01-{1 + day % 28:02}")
            await asyncio.sleep(random.uniform(0.3, 1.5))
            kill(process)
            assert [fault async for fault in check(db)] == []
        await finish(start(scratch_url, "daily", "--date", "2091-02-01"))
        assert [fault async for fault in check(db)] == []
        statuses = await db.fetch_all(
            "SELECT status, count(*) AS number FROM subscription"
            " WHERE type = 'membership' GROUP BY status",
            {},
        )
    assert {row["status"]: row["number"] for row in statuses} == {"Complete": 400}
    record_property("client", "nothing")
    record_property("recovery", "the next daily pass continues")
