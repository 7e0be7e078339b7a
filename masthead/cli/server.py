"""`masthead serve` and `masthead migrate`."""

import asyncio
import os
import socket
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Annotated

import structlog
from cyclopts import Parameter

from masthead.cli.command import format_examples, version_on
from masthead.cli.output import print_message
from masthead.metrics import memory as metrics
from masthead.serving import shared_times
from masthead.serving.connections import allowed_limit
from masthead.serving.shared_memory import shared_memory
from masthead.serving.start import check_granian, check_workers, inherited_sockets, usable_port
from masthead.settings import Settings, from_env
from masthead.store.engine.database import (
    SCHEMA_VERSION,
    connect,
    list_exposed_files,
    require_version,
)
from masthead.store.engine.interface import sqlite_path
from masthead.store.engine.migrate import migrate as upgrade
from masthead.store.engine.sqlite.files import is_missing, leave_marker, require_new
from masthead.supervision import SUPERVISOR

log = structlog.get_logger()

LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - how to reach a server on all addresses


def migrate(*, remove: Annotated[bool, Parameter(negative="")] = False) -> None:
    """Upgrade the database to this version of masthead, if it is older.

    An older masthead can run meanwhile. So what only it uses stays, until `--remove` is given. If
    others block a table on PostgreSQL, the command tries again for ten minutes.

    Parameters
    ----------
    remove
        also remove what only older versions of masthead use; stop them before
    """
    before, after = upgrade(from_env().database_url, may_remove=remove, tell=print_message)
    print_message(f"The database {'already' if before == after else 'now'} has version {after}.")
    if after < SCHEMA_VERSION:
        print_message(
            f"Version {SCHEMA_VERSION} only removes what older versions of masthead use. "
            "When they are stopped, run `masthead migrate --remove`."
        )
    elif after > SCHEMA_VERSION:
        print_message(f"It is from a newer masthead, but this one ({SCHEMA_VERSION}) can use it.")


def serve(
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    workers: int = 1,
    reuse_port: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Serve the API and the pages until SIGTERM or Ctrl-C.

    If systemd passes sockets, masthead listens on them and ignores `--host` and `--port`.

    Parameters
    ----------
    host
        IP address to listen on; 0.0.0.0 for all
    port
        port to listen on; 0 for a free one
    workers
        number of processes that answer requests
    reuse_port
        listen on the port even if another masthead of the same user does
    """
    sockets = inherited_sockets()
    settings = from_env()
    prepare(settings)
    start(settings, host=host, port=port, workers=workers, reuse_port=reuse_port, sockets=sockets)


def prepare(settings: Settings, *, may_replace: bool = False) -> None:
    """Make sure that workers can open the database. Raises: DatabaseError.

    A SQLite database is created if there has never been one at its path; otherwise
    `masthead migrate` is needed. may_replace: create it even if there was one before.
    """
    url = settings.database_url
    if url.startswith("sqlite:") and is_missing(path := sqlite_path(url)):
        if not may_replace:
            require_new(path)
        upgrade(url, tell=print_message)

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


def address_of(host: str, port: int) -> str:
    """The URL of a server."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def start(
    settings: Settings,
    *,
    host: str,
    port: int,
    workers: int,
    reuse_port: bool = False,
    sockets: Sequence[socket.socket] = (),
    announce: Callable[[], None] = lambda: None,
) -> None:
    """Run the workers until a signal stops them. sockets: those that systemd opened.

    announce: called once, as soon as the server accepts connections.
    """
    check_granian()
    check_workers(workers, sockets)
    if sockets:
        host, port = sockets[0].getsockname()[:2]
    else:
        port = usable_port(host, port, reuse=reuse_port)
    os.environ[SUPERVISOR] = str(os.getpid())
    if settings.public_url == Settings().public_url:  # not set
        os.environ["MASTHEAD_PUBLIC_URL"] = address_of(LOOPBACK.get(host, host), port)
    limit = allowed_limit(settings.max_connections)
    os.environ["MASTHEAD_MAX_CONNECTIONS"] = str(limit)
    print_message(f"masthead {version_on(settings.database_url)}")
    listens = f"masthead listens on {address_of(host, port)} with {workers} worker(s)"

    def say_that_it_listens() -> None:
        print_message(f"{listens}; Ctrl-C stops it.")
        announce()

    with (
        shared_memory(metrics.MEMORY, metrics.bytes_for(workers), without=metrics.ALONE),
        shared_memory(shared_times.MEMORY, shared_times.BYTES, without=shared_times.ALONE),
    ):
        supervisor = import_module("masthead.serving.supervisor")  # it needs this granian
        supervisor.run_workers(
            host,
            port,
            workers=workers,
            limit=limit,
            sockets=sockets,
            announce=say_that_it_listens,
        )


COMMANDS = {"serve": serve, "migrate": migrate}
EXAMPLES = {
    "serve": format_examples(
        "masthead serve", "masthead serve --host 0.0.0.0 --port 8000 --workers 2"
    ),
    "migrate": format_examples("masthead migrate", "masthead migrate --remove"),
}
