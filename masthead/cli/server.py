"""`masthead serve`, `masthead migrate` and `masthead demo`."""

import asyncio
import multiprocessing
import os
import socket
from importlib import import_module
from ipaddress import ip_address
from pathlib import Path

import structlog

from masthead.cli import demo_publication
from masthead.cli.output import VERSION, Stop, examples, say
from masthead.cli.workers import run_workers
from masthead.connections import fit_limit
from masthead.settings import Settings, from_env
from masthead.store.engine.database import connect, list_exposed_files, require_version
from masthead.store.engine.interface import sqlite_path
from masthead.store.engine.sqlite.files import is_missing, leave_marker, require_new
from masthead.supervision import SUPERVISOR

log = structlog.get_logger()

ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - how to call who listens everywhere


def migrate() -> None:
    """Bring the database to this version; harmless if it is there already."""
    before, after = _migrate(from_env().database_url)
    say(f"The database has version {after}" + (", as before." if before == after else " now."))


def _migrate(url: str) -> tuple[str | None, str]:
    """Bring a database to this version. Alembic, slow to load, is loaded only here."""
    versions: tuple[str | None, str] = import_module("masthead.store.engine.migrate").migrate(url)
    return versions


def serve(*, host: str = "127.0.0.1", port: int = 8000, workers: int = 1) -> None:
    """Serve the API until SIGTERM or Ctrl-C.

    Parameters
    ----------
    host
        IP address to listen at; 0.0.0.0 for all
    port
        port to listen at; 0 for a free one
    workers
        processes that answer
    """
    settings = from_env()
    prepare(settings)
    start(settings, host=host, port=port, workers=workers)


def prepare(settings: Settings, *, may_replace: bool = False) -> None:
    """Make sure that workers will find their database. Raises: DatabaseError.

    A SQLite database is created where there has never been one; otherwise `masthead migrate`
    is needed. may_replace: also create it where there was one before.
    """
    url = settings.database_url
    if url.startswith("sqlite:") and is_missing(path := sqlite_path(url)):
        if not may_replace:
            require_new(path)
        _migrate(url)

    async def check_version() -> None:
        db = await connect(url)
        try:
            await require_version(db)
        finally:
            await db.close()

    asyncio.run(check_version())
    if url.startswith("sqlite:"):
        leave_marker(sqlite_path(url))
    for file, mode in list_exposed_files(url):
        log.warning("database file open to others", file=str(file), mode=mode)


def usable_port(host: str, port: int) -> int:
    """The port itself, or a free one for 0. Raises: Stop if it cannot be listened at."""
    try:
        ip_address(host)
    except ValueError as reason:
        raise Stop(f"`--host` is `{host}`; expected an IP address, such as 127.0.0.1.") from reason
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as reason:
            raise Stop(f"{host}:{port} cannot be listened at: {reason}.") from reason
        return int(probe.getsockname()[1])


def address_of(host: str, port: int) -> str:
    """Where to call a server."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def start(settings: Settings, *, host: str, port: int, workers: int) -> None:
    """Run the workers until told to stop."""
    if workers < 1:
        raise Stop(f"`--workers` is {workers}; at least 1 is needed.")
    port = usable_port(host, port)
    multiprocessing.set_start_method("spawn", force=True)
    os.environ[SUPERVISOR] = str(os.getpid())
    if settings.public_url == Settings().public_url:  # not told otherwise, people call as we listen
        os.environ["MASTHEAD_PUBLIC_URL"] = address_of(ANY.get(host, host), port)
    limit = fit_limit(settings.max_connections)
    os.environ["MASTHEAD_MAX_CONNECTIONS"] = str(limit)
    say(f"masthead {VERSION}")
    say(f"masthead listens at {address_of(host, port)} with {workers} worker(s); Ctrl-C stops it.")
    run_workers(host=host, port=port, workers=workers, limit=limit, access_log=settings.access_log)


def demo(*, host: str = "127.0.0.1", port: int = 0, workers: int = 1) -> None:
    """Make a demo publication, unless it is there, and serve it.

    It lives in the file masthead-demo.db here, or in the database of MASTHEAD_DATABASE_URL.

    Parameters
    ----------
    port
        port to listen at; 0 for a free one
    """
    if "MASTHEAD_DATABASE_URL" not in os.environ:
        path = Path("masthead-demo.db").resolve()
        os.environ["MASTHEAD_DATABASE_URL"] = f"sqlite:///{path}"
    settings = from_env()
    prepare(settings, may_replace=True)
    key, token = demo_publication.make_publication(settings)
    port = usable_port(host, port)
    demo_publication.explain(address_of(host, port), key, token)
    start(settings, host=host, port=port, workers=workers)


COMMANDS = {"serve": serve, "migrate": migrate, "demo": demo}
EXAMPLES = {
    "serve": examples("masthead serve", "masthead serve --host 0.0.0.0 --port 8000 --workers 2"),
    "migrate": examples("masthead migrate"),
    "demo": examples("masthead demo", "masthead demo --port 8000"),
}
