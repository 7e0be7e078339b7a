"""A year of a publisher: what its staff, its subscribers and the background work do, day by day.

The clock of masthead shows the simulated time, so that everything happens on its day. This process
is the worker: it answers requests without a network and does the background work. Commands run in
processes of their own.
"""

import asyncio
import json
import os
import time
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import time_machine
from msgspec import Struct

from bench.data import Cells, write_file
from bench.databases import BY
from bench.progress import say
from bench.rounds import quantile
from bench.servers.processes import resident_bytes
from bench.within import measured
from bench.year import letters
from bench.year.account import ACCOUNT, Opened, open_account, serving
from bench.year.publisher import ISSUES, Publisher
from bench.year.sizes import TableSize, table_sizes, total_bytes
from masthead.model.ids import LAST_ID
from masthead.services.background.daily import run_daily_pass
from masthead.services.background.read_model import refresh_read_model
from masthead.services.background.trends import refresh_trend

MOVED, CANCELLED = 0.01, 0.003  # of the subscriptions, a month
CLAIMED = 0.002  # of the copies of an issue
RENEWAL_DAY, ISSUE_DAY, ORDER_DAY, RUN_DAY, LETTER_DAY, CLAIM_DAY = 2, 10, 15, 18, 22, 26
LISTS = {
    "subscriptions": "/v1/subscriptions/",
    "subscribers": "/v1/subscribers/",
    "copies not sent": "/v1/copies/?status=Not+sent",
    "runs": "/v1/dispatches/",
    "search": "/v1/subscribers/?search=quinn+porto",
}
READS = 100  # of each list
Seconds = dict[str, list[float]]


class Month(Struct, frozen=True):
    """What was measured in a month. number: 0 for the day before the year.

    seconds: of each step, the longest one of the month; median: of the steps of every day.
    reads, slow_reads: p50 and p99 of each list in ms. worker: resident bytes of the process at the
    end. peaks: the peak memory of commands in bytes. disk: bytes of the files.
    """

    number: int
    seconds: dict[str, float]
    median: dict[str, float]
    reads: dict[str, float]
    slow_reads: dict[str, float]
    worker: int
    peaks: dict[str, int]
    disk: dict[str, int]


class Year:
    """The simulation of one publisher on one database. folder: for files that are imported.

    before, after: the size of each table at the start and at the end.
    """

    def __init__(self, url: str, publisher: Publisher, folder: Path) -> None:
        self._url, self._publisher, self._folder = url, publisher, folder
        self._seconds: Seconds = defaultdict(list)
        self._peaks: dict[str, int] = {}
        self._cursor = ""
        self._owed = 0.0
        self._cancelled: set[int] = set()  # numbers of orders, which are not renewed
        self.before: dict[str, TableSize] = {}
        self.after: dict[str, TableSize] = {}

    async def run(self, months: int) -> list[Month]:
        """Simulate some months; what was measured in each."""
        start = self._publisher.first_day - timedelta(days=1)
        with travelled(start):
            opened = await open_account(self._url, self._publisher)
            await self._import("first import", opened, self._publisher.known_orders(), start)
        measured_months = []
        async with serving(self._url, opened) as (app, http):
            self._db, self._http, self._opened = app.state.db, http, opened
            with travelled(start):
                await self._refresh(start)
                measured_months.append(await self._measure(0))
            self.before = await asyncio.to_thread(table_sizes, self._url)
            for number in range(1, months + 1):
                await self._live(number)
                with travelled(self._publisher.month(number + 1) - timedelta(days=1), hour=20):
                    measured_months.append(await self._measure(number))
        today = datetime.now(UTC).date()  # the real one, since `check` also compares the clocks
        await self._command("last daily pass", None, "daily", "--date", str(today))
        await self._command("check", None, "check")
        self.after = await asyncio.to_thread(table_sizes, self._url)
        last = measured_months[-1]
        last.seconds["check"], last.peaks["check"] = self._seconds["check"][0], self._peaks["check"]
        return measured_months

    async def _live(self, number: int) -> None:
        """Every day of a month."""
        day, end = self._publisher.month(number), self._publisher.month(number + 1)
        issue = ""
        while day < end:
            with travelled(day):
                await self._pass(day)
                if day.day == RENEWAL_DAY:
                    rows = self._publisher.renewals(number, without=self._cancelled)
                    await self._import("import renewals", self._opened, rows, day)
                elif day.day == ISSUE_DAY:
                    issue = await self._create_issue(number)
                elif day.day == ORDER_DAY:
                    rows = self._publisher.new_orders(number)
                    await self._import("import orders", self._opened, rows, day)
                elif day.day == RUN_DAY:
                    await self._send(issue, day)
                elif day.day == LETTER_DAY:
                    await self._send_letters()
                elif day.day == CLAIM_DAY:
                    await self._claim(issue)
                await self._change_some((end - self._publisher.month(number)).days)
                await self._refresh(day)
            day += timedelta(days=1)

    async def _pass(self, day: date) -> None:
        began = time.perf_counter()
        await run_daily_pass(self._db, self._opened.account_id, day, by=BY)
        self._note("daily pass", began)

    async def _refresh(self, day: date) -> None:
        """The background work after the writes of a day."""
        began, last = time.perf_counter(), LAST_ID
        while last := await refresh_read_model(self._db, self._opened.account_id, last) or "":
            pass
        self._note("read model", began)
        began = time.perf_counter()
        await refresh_trend(self._db, self._opened.account_id)
        self._note("trend", began)

    async def _create_issue(self, number: int) -> str:
        released = self._publisher.release(ISSUES + number)
        body = {"number": ISSUES + number, "release_date_actual": str(released)}
        id: str = (await self._ask("create issue", "POST", "/v1/issues/", body))["id"]
        return id

    async def _send(self, issue: str, day: date) -> None:
        """Freeze a run of all copies, write its file, and mark it as sent."""
        runs = "/v1/dispatches/"
        run = await self._ask("freeze run", "POST", runs, {"issue": issue})
        words = ["dispatch", "export", run["id"], "--account", ACCOUNT, "--format", "csv"]
        path = self._folder / "run.csv"
        await self._command("export run", day, *words, "--output", str(path), "--json")
        path.unlink()
        await self._ask("mark run", "POST", f"{runs}{run['id']}/mark-sent/", {"date": str(day)})

    async def _send_letters(self) -> None:
        """Ask subscribers to renew whose last issue is out, by email."""
        began = time.perf_counter()
        await letters.write(self._db, self._opened.account_id)
        self._note("write letters", began)
        began = time.perf_counter()
        await letters.send(self._db)
        self._note("send letters", began)

    async def _claim(self, issue: str) -> None:
        """Some copies of an issue did not arrive: the newest ones."""
        left, cursor = round(self._publisher.subscribers * CLAIMED), ""
        while left:
            limit = min(left, 200)
            path = f"/v1/copies/?issue={issue}&status=Sent&limit={limit}{cursor}"
            page = await self._ask("list", "GET", path)
            for copy in page["items"]:
                body = {"copy": copy["id"], "reason": "never_arrived"}
                await self._ask("claim", "POST", "/v1/claims/", body)
            cursor, left = f"&cursor={page['cursor']}", left - limit

    async def _change_some(self, days: int) -> None:
        """Some subscribers move and some cancel: the next ones in the list, round and round."""
        self._owed += self._publisher.subscribers * (MOVED + CANCELLED) / days
        while self._owed >= 1:
            limit = min(int(self._owed), 200)
            path = f"/v1/subscriptions/?limit={limit}{self._cursor}"
            page = await self._ask("list", "GET", path)
            self._cursor = f"&cursor={page['cursor']}" if page["has_more"] else ""
            for place, each in enumerate(page["items"]):
                path = f"/v1/subscriptions/{each['id']}/"
                if place % 13 < 3 and each["status"] != "Cancelled":
                    await self._ask("cancel", "POST", f"{path}cancel/", {"mode": "cancel"})
                    self._cancelled.add(Publisher.number_of(each["subscriber"]["email"]))
                else:
                    body = {"address1": f"{place} New Street", "city": "Berlin", "country": "DE"}
                    await self._ask("change of address", "PATCH", path, body)
            self._owed -= limit

    async def _import(self, name: str, opened: Opened, rows: Iterable[Cells], day: date) -> None:
        file = self._folder / "orders.csv"
        write_file(file, (("", row) for row in rows))
        words = ["import", "--account", ACCOUNT, "--source", opened.source, str(file), "--json"]
        words += ["--sent-through", "none"]
        done = await self._command(name, day, *words)
        if done["rejected"]:
            raise RuntimeError(f"the import of {day} did not go through: {done}")

    async def _command(self, name: str, day: date | None, *words: str) -> Any:
        """What a command prints as JSON. It runs at noon of a day, or now."""
        moment = datetime(day.year, day.month, day.day, 12, tzinfo=UTC) if day else None
        began = time.perf_counter()
        done, peak = await asyncio.to_thread(measured, self._url, *words, moment=moment)
        self._note(name, began)
        self._peaks[name] = max(peak, self._peaks.get(name, 0))
        return done

    async def _ask(self, name: str, method: str, path: str, body: object = None) -> Any:
        began = time.perf_counter()
        answer = await self._http.request(method, path, json=body)
        self._note(name, began)
        if not answer.is_success:
            raise RuntimeError(f"{method} {path}: {answer.status_code} {answer.text[:500]}")
        return json.loads(answer.content)

    def _note(self, name: str, began: float) -> None:
        self._seconds[name].append(time.perf_counter() - began)

    async def _measure(self, number: int) -> Month:
        """Read every list, and look at the memory and the files."""
        seconds, self._seconds = self._seconds, defaultdict(list)
        peaks, self._peaks = self._peaks, {}
        reads, slow_reads = {}, {}
        for name, path in LISTS.items():
            for _ in range(READS):
                await self._ask(name, "GET", path)
            taken = self._seconds.pop(name)
            reads[name], slow_reads[name] = (quantile(taken, each) * 1e3 for each in (0.5, 0.99))
        month = Month(
            number=number,
            seconds={name: max(values) for name, values in seconds.items()},
            median={name: quantile(values, 0.5) for name, values in seconds.items()},
            reads=reads,
            slow_reads=slow_reads,
            worker=_own_memory(),
            peaks=peaks,
            disk=await asyncio.to_thread(total_bytes, self._url),
        )
        megabytes = sum(month.disk.values()) / 1e6
        say(f"month {number}: {megabytes:,.0f} MB on disk, {month.worker / 1e6:,.0f} MB in memory")
        return month


def travelled(day: date, *, hour: int = 9) -> time_machine.travel:
    """Let the clock show the morning of a day, or another hour, and go on from there."""
    return time_machine.travel(datetime(day.year, day.month, day.day, hour, tzinfo=UTC), tick=True)


def _own_memory() -> int:
    return resident_bytes(os.getpid())
