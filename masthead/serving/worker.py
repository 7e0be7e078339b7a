"""A worker: how its process begins, and how it answers what has arrived before it stops.

The server itself closes all connections that have no request at that moment, even if the request
is on its way. So the worker first tells its clients to close their connections, with the responses
that it still sends. See decision 0053.
"""

import asyncio
import faulthandler
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import structlog
from granian import _signals
from granian._granian import WorkerSignal
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from masthead.model.errors import MastheadError
from masthead.serving.connections import DESCRIPTORS, list_connections, stop_listening
from masthead.store.engine.interface import DatabaseError
from masthead.supervision import follow_supervisor
from masthead.temporary_files import use_own_folder

STOP_SECONDS = 7  # to finish current requests after that; then the process is killed
DRAIN_SECONDS = 3.0  # the longest time
DUMP_SECONDS = DRAIN_SECONDS + STOP_SECONDS - 2  # until a process logs where its threads are
QUIET_SECONDS = 1.0  # for clients to send a request on an open connection, or to close it
CHECK_SECONDS = 0.02
SWITCH_SECONDS = 0.0001  # interpreter switch interval; a short one helps reads beside pages
SERVER_LOGGER = "_granian"
HAS_DESCRIPTORS = Path(DESCRIPTORS).is_dir()  # only Linux tells which connections there are

log = structlog.get_logger()


def begin_worker() -> Callable[[], None]:
    """Prepare this process, which `masthead serve` has started; returns what stops its server.

    Until its application has started, SIGTERM ends it at once: it has no requests yet. The
    supervisor sends SIGTERM after SIGINT, too, which a terminal sends to all processes.
    """
    for ignored in (signal.SIGHUP, signal.SIGINT):
        signal.signal(ignored, signal.SIG_IGN)
    follow_supervisor()
    use_own_folder()
    sys.setswitchinterval(SWITCH_SECONDS)
    stop = WorkerSignal()
    _signals.set_loop_signals = lambda _loop: stop
    return stop.set


async def run_lifespan(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Start an application, and end it with the server.

    If it fails, one line of the log says why; the server would print tracebacks.
    """

    async def send_without_traceback(message: Message) -> None:
        if message["type"].endswith(".failed"):
            logging.getLogger(SERVER_LOGGER).disabled = True  # it would only add that it failed
            message = {"type": message["type"]}
        await send(message)

    try:
        await app(scope, receive, send_without_traceback)
    except (DatabaseError, MastheadError) as reason:
        log.error("worker cannot start", reason=str(reason))
    except Exception:
        log.exception("worker failed")


def drain_on_sigterm(announce: Callable[[], None], stop: Callable[[], None]) -> None:
    """Let SIGTERM drain this process and then stop its server, once, however often it comes.

    A process that does not end in time, and so is killed, first logs where its threads are.
    The handler is Python's own: that of uvloop misses a signal that comes while no loop runs, as
    between the start of the application and that of the server, and may call its handler twice.
    announce: lets each response say that its connection will be closed. stop: stops the server,
    and blocks this process if it is called again.
    """
    loop, tasks = asyncio.get_running_loop(), set[asyncio.Task[None]]()

    def start() -> None:
        if not tasks:
            tasks.add(loop.create_task(drain(announce, stop)))

    def handle(*_frame: object) -> None:
        faulthandler.dump_traceback_later(DUMP_SECONDS, file=sys.__stderr__ or sys.stderr)
        loop.call_soon_threadsafe(start)

    signal.signal(signal.SIGTERM, handle)


async def drain(announce: Callable[[], None], stop: Callable[[], None]) -> None:
    """Wait until all clients have disconnected or send nothing, and then stop the server.

    Where the system does not tell which connections there are, it does not wait.
    """
    loop = asyncio.get_running_loop()
    began = loop.time()
    try:
        announce()
        if HAS_DESCRIPTORS:
            ports = stop_listening()
            while _may_send(ports, loop.time() - began):  # noqa: ASYNC110 - the kernel tells no end
                await asyncio.sleep(CHECK_SECONDS)
    finally:
        stop()


def _may_send(ports: Iterable[int], seconds: float) -> bool:
    """Whether a client may still send a request. seconds: since the first one was told to close."""
    clients = list_connections(map(int, os.listdir(DESCRIPTORS)), ports)
    if not clients or seconds > DRAIN_SECONDS:
        return False
    quiet = time.monotonic() - max(each.written for each in clients)
    return min(quiet, seconds) < QUIET_SECONDS
