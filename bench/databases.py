"""Databases for measurements: created by masthead's importer and kept for later runs.

The cache has them by kind, size and a fingerprint of schema and rows; if either changes, new ones
are created. Measurements that write use a copy.
"""

import asyncio
import contextlib
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import msgspec
from msgspec import Struct

from bench import data, large
from bench.data import Kind
from bench.large.build import fill
from bench.options import ROOT, Options
from bench.progress import say
from bench.servers.ready import make_documents
from bench.within import measured
from masthead.model.actors import Actor
from masthead.model.ids import first_copy_id
from masthead.model.inputs import IssueCreate
from masthead.model.types.enums import Scope, SourceType
from masthead.services import accounts, keys, sources
from masthead.services.issues import records as issues
from masthead.store.engine.database import connect
from masthead.store.engine.migrate import migrate
from masthead.store.engine.sqlite.files import companions, marker_of
from tests.support.postgres import OwnCluster, open_own_cluster

BY = Actor(kind="command", id="bench")
POSTGRES_SETTINGS = (
    "shared_buffers=1GB",
    "effective_cache_size=4GB",
    "maintenance_work_mem=256MB",
    "max_wal_size=4GB",
    "checkpoint_timeout=30min",  # so that none happens during a round
)


class Built(Struct, frozen=True):
    """A database with one account. sources, issues: ids by name and number.

    rows, seconds, peak_bytes: of its import, and its peak memory.
    is_ready: whether all JSON is stored.
    """

    url: str
    account_id: int
    key: str
    sources: dict[str, str]
    issues: dict[int, str]
    rows: int
    seconds: float
    peak_bytes: int
    is_ready: bool = False

    @property
    def first_copy(self) -> int:
        """The id of the first copy; the others follow, one by one."""
        return first_copy_id(self.account_id) + 1


def fingerprint() -> str:
    """A fingerprint that differs for databases that are created differently."""
    steps = ROOT / "masthead" / "store" / "engine" / "migrations" / "versions"
    own = sorted(Path(large.__file__).parent.glob("*.py"))
    parts = [*sorted(steps.glob("*.py")), Path(data.__file__), *own]
    return hashlib.sha256(b"".join(path.read_bytes() for path in parts)).hexdigest()[:10]


class Databases:
    """The cache, and the PostgreSQL server of its databases, which starts when it is needed."""

    def __init__(self, options: Options, stack: contextlib.ExitStack) -> None:
        self._folder = options.cache / fingerprint()
        self._cluster: OwnCluster | None = None
        self._stack = stack

    @property
    def cluster(self) -> OwnCluster:
        """The server, with durable commits."""
        if self._cluster is None:
            home = self._folder / "postgres"
            home.mkdir(parents=True, exist_ok=True)
            opened = open_own_cluster(home, POSTGRES_SETTINGS)
            self._cluster = self._stack.enter_context(opened)
        return self._cluster

    def get(self, backend: str, kind: Kind, count: int) -> Built:
        """The database with `count` rows and all JSON stored; created if it does not exist."""
        told = self._folder / backend / f"{kind.name}_{count}.json"
        if told.exists():
            built = msgspec.json.decode(told.read_bytes(), type=Built)
            url = self._url(backend, told.stem)  # PostgreSQL's port changes
            built = msgspec.structs.replace(built, url=url)
        else:
            built = self.build(backend, kind, count)
        if not built.is_ready:
            make_documents(built.url, built.account_id)
            self._settle(backend, built.url)
            built = msgspec.structs.replace(built, is_ready=True)
            told.write_bytes(msgspec.json.encode(built))
        return built

    def build(self, backend: str, kind: Kind, count: int) -> Built:
        """Import the rows into a new database, without the stored JSON."""
        told = self._folder / backend / f"{kind.name}_{count}.json"
        told.unlink(missing_ok=True)
        told.parent.mkdir(parents=True, exist_ok=True)
        say(f"building {backend} {kind.name} with {count:,} rows …")
        built = build(self._empty(backend, told.stem), kind, count)
        told.write_bytes(msgspec.json.encode(built))
        rate = built.rows / built.seconds
        say(f"{backend} {kind.name}: {built.seconds:.0f} s of import, {rate:,.0f} rows/s")
        return built

    @contextlib.contextmanager
    def copy(self, backend: str, built: Built) -> Iterator[Built]:
        """A copy to write to, deleted afterwards."""
        name = _scratch_name()
        origin = built.url.rpartition("/")[2]
        url = self._url(backend, name)
        if backend == "sqlite":
            shutil.copyfile(self._path(origin.removesuffix(".db")), self._path(name))
            os.sync()  # so that the copying does not slow the measurement
        else:
            self.cluster.execute(f'CREATE DATABASE "{name}" TEMPLATE "{origin}" STRATEGY FILE_COPY')
        try:
            yield msgspec.structs.replace(built, url=url)
        finally:
            self._drop(backend, name)

    @contextlib.contextmanager
    def empty(self, backend: str) -> Iterator[str]:
        """The URL of a database without tables, deleted afterwards."""
        name = _scratch_name()
        (self._folder / backend).mkdir(parents=True, exist_ok=True)
        try:
            yield self._empty(backend, name)
        finally:
            self._drop(backend, name)

    def _path(self, name: str) -> Path:
        return self._folder / "sqlite" / f"{name}.db"

    def _url(self, backend: str, name: str) -> str:
        return f"sqlite:///{self._path(name)}" if backend == "sqlite" else self.cluster.url_of(name)

    def _empty(self, backend: str, name: str) -> str:
        self._drop(backend, name)
        if backend == "postgres":
            self.cluster.execute(f'CREATE DATABASE "{name}" TEMPLATE template0 ENCODING UTF8')
        return self._url(backend, name)

    def _drop(self, backend: str, name: str) -> None:
        if backend == "postgres":
            self.cluster.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
            return
        path = self._path(name)
        for file in (path, marker_of(path), *companions(path).values()):
            file.unlink(missing_ok=True)

    def _settle(self, backend: str, url: str) -> None:
        """Collect the statistics that PostgreSQL collects by itself within some minutes."""
        if backend == "postgres":
            self.cluster.execute("VACUUM (ANALYZE)", url.rpartition("/")[2])
            self.cluster.execute("CHECKPOINT")


def _scratch_name() -> str:
    return f"scratch_{os.getpid()}_{time.monotonic_ns()}"


def build(url: str, kind: Kind, count: int) -> Built:
    """Migrate, create the account and its issues, and import the rows of each source."""
    migrate(url)
    built = asyncio.run(_open_account(url, kind, count))
    with tempfile.TemporaryDirectory() as folder:
        files = data.write_files(Path(folder), data.rows(kind, count))
        began, peak = time.perf_counter(), 0
        for name, path in files.items():
            peak = max(peak, import_file(url, built.sources[name], path))
        seconds = time.perf_counter() - began
    if kind.has_billing:
        say("adding invoices, letters, claims and runs …")
        asyncio.run(
            fill(
                url,
                built.account_id,
                invoices=kind.copies_for(count),
                issues=built.issues,
                newest_sent=kind.issues - data.WAITING_ISSUES,
                by=BY,
            )
        )
    return msgspec.structs.replace(built, seconds=seconds, peak_bytes=peak)


async def _open_account(url: str, kind: Kind, count: int) -> Built:
    db = await connect(url)
    try:
        account = await accounts.create_account(
            db, name="Bench", subdomain="bench", currency="EUR", owner="owner@bench.test", by=BY
        )
        _, key = await keys.create_key(
            db, account.id, user="owner@bench.test", scope=Scope.READ_WRITE, by=BY
        )
        made = {}
        for name in (*(name for name, _ in data.SOURCES), data.RARE_SOURCE):
            source = await sources.create_source(
                db, account.id, name=name, type=SourceType.IMPORT, by=BY
            )
            made[name] = source.id
        numbered = {}
        for number in range(1, kind.issues + 1):
            day: date = data.release_date(number)
            starts = day if kind.is_spread else None
            body = IssueCreate(number=number, release_date_actual=day, date_as_start_issue=starts)
            numbered[number] = (await issues.create_issue(db, account.id, body, by=BY)).id
    finally:
        await db.close()
    return Built(url, account.id, key, made, numbered, count, 0.0, 0)


def import_words(source: str, path: Path) -> list[str]:
    """The words of the importer's command line."""
    words = ["import", "--account", "bench", "--source", source]
    return [*words, "--create-issues", str(path), "--json"]


def import_file(url: str, source: str, path: Path) -> int:
    """Import a file in a separate process; return its peak memory in bytes."""
    told, peak = measured(url, *import_words(source, path))
    if told["rejected"]:
        raise RuntimeError(f"the import of {path.name} did not go through: {told}")
    return peak
