"""`python -m bench.import_cost`: the processor time of an import, by phase and by statement.

Processor time hardly depends on what else the machine does. A large file is read by a process of
its own while its rows are placed, and PostgreSQL works between the statements.
"""

import asyncio
import gc
import io
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar, Unpack

from cyclopts import App
from msgspec import Struct
from opentelemetry.trace import NoOpTracer

from bench import data
from bench.databases import BY, Built, Databases, build
from bench.options import PRESETS
from bench.servers.processes import cpu_seconds
from masthead.model.imports.mapping import ImportMapping
from masthead.model.imports.plan import ImportPlan
from masthead.model.orders.order import OrderDefaults
from masthead.services.imports.facts import load_facts
from masthead.services.imports.reading import survey_table
from masthead.services.imports.table import open_table
from masthead.services.imports.work.leases import new_holder
from masthead.services.imports.work.reader_process import send_rows, task_of
from masthead.services.imports.work.run_batch import begin_run, run_batch
from masthead.store.engine.database import open_database
from masthead.store.engine.interface import Connection, Database, Transaction, Work, WriteOptions
from masthead.store.engine.traced import TracedTransaction
from masthead.store.engine.wrapped import WrappedDatabase

T = TypeVar("T")

KIND = data.Kind("more", issues=1, length=1, has_history=False)
BACKENDS = ("sqlite", "postgres")
app = App(name="python -m bench.import_cost", help_format="plaintext")


class Cost(Struct):
    """Seconds of processor time. survey: the first pass over the file. reading: preparing its rows.

    work: of this process while rows are placed; server: of PostgreSQL meanwhile.
    statements: of the database, by statement, within `work` on SQLite.
    """

    statements: dict[str, float]
    survey: float = 0.0
    reading: float = 0.0
    work: float = 0.0
    server: float = 0.0


class _TimedTransaction(TracedTransaction):
    """A transaction that adds up what its statements cost. server: the process that runs them."""

    def __init__(self, tx: Transaction, seconds: dict[str, float], server: int | None) -> None:
        super().__init__(tx, NoOpTracer())
        self._seconds, self._server = seconds, server

    def _now(self) -> float:
        if self._server is None:
            return time.thread_time()
        return int(Path(f"/proc/{self._server}/schedstat").read_text().split()[0]) / 1e9

    @contextmanager
    def _span(self, sql: str) -> Iterator[None]:
        began = self._now()
        yield
        self._seconds[" ".join(sql.split())] += self._now() - began


class _TimedDatabase(WrappedDatabase):
    """A database whose writes are timed."""

    def __init__(self, db: Database, seconds: dict[str, float]) -> None:
        super().__init__(db)
        self._seconds = seconds

    async def write(self, work: Work[T], **options: Unpack[WriteOptions]) -> T:
        """The result of `work`, after its commit."""

        async def timed(tx: Transaction) -> T:
            return await work(_TimedTransaction(tx, self._seconds, await _server_of(tx)))

        return await self._db.write(timed, **options)


async def _server_of(db: Connection) -> int | None:
    """The process of PostgreSQL that runs the statements of a connection."""
    if db.dialect == "sqlite":
        return None
    row = await db.fetch_one("SELECT pg_backend_pid() AS pid", {})
    assert row is not None
    return int(row["pid"])


async def _import(built: Built, path: Path, server: int | None) -> Cost:
    """Import a file as the command does, and add up what it costs."""
    cost, account_id = Cost(statements=defaultdict(float)), built.account_id
    async with open_database(built.url) as opened:
        db = _TimedDatabase(opened, cost.statements)
        facts = await load_facts(db, account_id, OrderDefaults("EUR", "bench.test"))
        began = time.process_time()
        table = open_table(path, name=path.name)
        reading = survey_table(table, ImportPlan(mapping=ImportMapping()), facts)
        cost.survey = time.process_time() - began
        began = time.process_time()
        send_rows(task_of(reading, skip=0), io.BytesIO())
        cost.reading = time.process_time() - began
        holder = new_holder()
        batch = await begin_run(
            db,
            account_id,
            reading,
            sha256="",
            size=0,
            source_id=built.sources["Fairs"],
            holder=holder,
            by=BY,
        )
        began, served = time.process_time(), cpu_seconds(server) if server else 0.0
        done = await run_batch(db, account_id, batch, reading, holder=holder)
        cost.work = time.process_time() - began
        cost.server = cpu_seconds(server) - served if server else 0.0
        assert done.counts.imported == reading.survey.rows, done.reasons
    return cost


@app.default
def main(
    *, rows: int = 20_000, rounds: int = 3, backends: tuple[str, ...] = BACKENDS, most: int = 0
) -> None:
    """Print microseconds for a row: the round that cost least, of imports into a new account.

    most: how many statements are listed.
    """
    gc.set_threshold(50_000)  # as the command does
    with ExitStack() as stack:
        databases = Databases(PRESETS["smoke"], stack)
        path = Path(stack.enter_context(TemporaryDirectory())) / "orders.csv"
        data.write_file(path, data.rows(KIND, rows))
        for backend in backends:
            found = []
            for _ in range(rounds):
                with databases.empty(backend) as url:
                    server = databases.cluster.pid if backend == "postgres" else None
                    built = build(url, KIND, 0)
                    found.append(asyncio.run(_import(built, path, server)))
            _print(backend, min(found, key=lambda each: each.work + each.server), rows, most)


def _print(backend: str, cost: Cost, rows: int, most: int) -> None:
    """The table of a backend."""
    micro = 1e6 / rows
    stated = sum(cost.statements.values()) * micro
    work = cost.work * micro
    print(f"{backend}: µs of processor time for each of {rows:,} rows")
    print(f"{cost.survey * micro:8.1f}  first pass over the file")
    print(f"{cost.reading * micro:8.1f}  reading, in a process of its own")
    if backend == "sqlite":
        print(f"{work:8.1f}  placing, of which statements {stated:.1f}")
    else:
        print(f"{work:8.1f}  placing, in Python")
        print(f"{cost.server * micro:8.1f}  PostgreSQL, of which statements {stated:.1f}")
    ranked = sorted(cost.statements.items(), key=itemgetter(1), reverse=True)
    for sql, seconds in ranked[:most]:
        print(f"{seconds * micro:12.1f}  {sql[:110]}")


if __name__ == "__main__":
    app()
