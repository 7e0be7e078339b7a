"""`masthead serve` and `masthead migrate`."""

import asyncio
import multiprocessing
import os
import socket
from importlib import import_module
from ipaddress import ip_address

import structlog

from masthead.cli.command import VERSION, CommandError, format_examples
from masthead.cli.output import print_message
from masthead.cli.workers import run_workers
from masthead.connections import allowed_limit
from masthead.settings import Settings, from_env
from masthead.store.engine.database import connect, list_exposed_files, require_version
from masthead.store.engine.interface import sqlite_path
from masthead.store.engine.sqlite.files import is_missing, leave_marker, require_new
from masthead.supervision import SUPERVISOR

log = structlog.get_logger()

LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - how to reach a server on all addresses


def migrate() -> None:
    """Upgrade the database to this version of masthead, if it is older."""
    before, after = _migrate(from_env().database_url)
    print_message(f"The database {'already' if before == after else 'now'} has version {after}.")


def _migrate(url: str) -> tuple[str | None, str]:
    """Upgrade a database to this version. Alembic loads slowly, so it is imported only here."""
    versions: tuple[str | None, str] = import_module("masthead.store.engine.migrate").migrate(url)
    return versions


def serve(*, host: str = "127.0.0.1", port: int = 8000, workers: int = 1) -> None:
    """Serve the API and the pages until SIGTERM or Ctrl-C.

    Parameters
    ----------
    host
        IP address to listen on; 0.0.0.0 for all
    port
        port to listen on; 0 for a free one
    workers
        number of processes that answer requests
    """
    settings = from_env()
    prepare(settings)
    start(settings, host=host, port=port, workers=workers)


def prepare(settings: Settings, *, may_replace: bool = False) -> None:
    """Make sure that workers can open the database. Raises: DatabaseError.

    A SQLite database is created if there has never been one at its path; otherwise
    `masthead migrate` is needed. may_replace: create it even if there was one before.
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
    """The given port, or a free one for 0. Raises: CommandError if it cannot be used."""
    try:
        ip_address(host)
    except ValueError as reason:
        raise CommandError(
            f"`--host` is `{host}`; expected an IP address, such as 127.0.0.1."
        ) from reason
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as reason:
            raise CommandError(f"Cannot listen on {host}:{port}: {reason}.") from reason
        return int(probe.getsockname()[1])


def address_of(host: str, port: int) -> str:
    """The URL of a server."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def start(settings: Settings, *, host: str, port: int, workers: int) -> None:
    """Run the workers until a signal stops them."""
    if workers < 1:
        raise CommandError(f"`--workers` is {workers}; at least 1 is needed.")
    port = usable_port(host, port)
    multiprocessing.set_start_method("spawn", force=True)
    os.environ[SUPERVISOR] = str(os.getpid())
    if settings.public_url == Settings().public_url:  # not set
        os.environ["MASTHEAD_PUBLIC_URL"] = address_of(LOOPBACK.get(host, host), port)
    limit = allowed_limit(settings.max_connections)
    os.environ["MASTHEAD_MAX_CONNECTIONS"] = str(limit)
    print_message(f"masthead {VERSION}")
    print_message(
        f"masthead listens on {address_of(host, port)} with {workers} worker(s); Ctrl-C stops it."
    )
    run_workers(host=host, port=port, workers=workers, limit=limit, access_log=settings.access_log)


COMMANDS = {"serve": serve, "migrate": migrate}
EXAMPLES = {
    "serve": format_examples(
        "masthead serve", "masthead serve --host 0.0.0.0 --port 8000 --workers 2"
    ),
    "migrate": format_examples("masthead migrate"),
}
