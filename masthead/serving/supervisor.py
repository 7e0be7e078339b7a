"""The supervisor of the worker processes: granian's, changed to always replace dead workers."""

import gc
import multiprocessing
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any

import structlog
from granian._granian import SocketHolder
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server.mp import MPServer

from masthead.serving.connections import accept_limit
from masthead.serving.worker import DRAIN_SECONDS, SERVER_LOGGER, STOP_SECONDS

log = structlog.get_logger()

APPLICATION = "masthead.app:create_worker"
FORKS = sys.platform == "linux"  # elsewhere, system libraries do not work after a fork
STOPS = (signal.SIGTERM, signal.SIGINT)

HEADER_MILLISECONDS = 10_000  # to wait for the headers of the first or next request
HTTP_VERSION = HTTPModes.http1
MAX_HEADER_BYTES = 32_768  # the server answers 431 to larger headers
CHECK_SECONDS = 0.1  # between two checks for dead workers and signals
BACKLOG = 1024  # connections that wait for a worker, on sockets of systemd
STABLE_SECONDS = 10.0  # a worker that ran this long is replaced at once
MAX_PAUSE_SECONDS = 8.0  # the longest wait before a worker is replaced
# What granian logs goes where everything else is logged
LOGGING = {"formatters": {}, "handlers": {}, "loggers": {SERVER_LOGGER: {"propagate": True}}}


class WorkerSupervisor(MPServer):
    """granian's supervisor, which by itself gives up if a worker dies again within 5.5 seconds.

    sockets: listening sockets to share among the workers; without any, each worker opens its own.
    announce: called once, as soon as the server accepts connections.
    """

    def __init__(
        self,
        *args: Any,
        sockets: Sequence[socket.socket] = (),
        announce: Callable[[], None] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self._sockets, self._announce = sockets, announce
        self._pauses: dict[int, float] = {}  # seconds to wait, by the index of a worker
        self._due: dict[int, float] = {}  # when a dead worker is replaced

    def signal_handler_interrupt(self, *_args: object, **_options: object) -> None:
        """Note SIGTERM or SIGINT. Do nothing else here: any lock may already be held."""
        self.interrupt_signal = True

    def signal_handler_reload(self, *_args: object, **_options: object) -> None:
        """Note SIGHUP."""
        self.reload_signal = True

    def _init_shared_socket(self) -> None:
        """Open a socket, unless there are inherited ones."""
        self._sso: socket.socket | None = None
        if not self._sockets:
            super()._init_shared_socket()  # type: ignore[no-untyped-call]

    def _spawn_worker(  # type: ignore[override]  # as granian's own supervisor of processes
        self, idx: int, target: Any, callback_loader: Any
    ) -> Any:
        """Start a worker. `_ssp`, `_shd` and `_sso` are granian's names for its socket."""
        if self._sockets:
            self._sso = self._sockets[idx % len(self._sockets)]
            held = (self._sso.fileno(), False, BACKLOG)  # granian's stub knows no arguments
            self._ssp, self._shd = None, SocketHolder(*held)  # type: ignore[call-arg, assignment]
        worker = super()._spawn_worker(idx, target, callback_loader)
        worker.interrupt_by_parent = True  # so only `_serve_loop` logs its end
        return worker

    def _serve_loop(
        self, spawn_target: Callable[..., None], target_loader: Callable[..., Any]
    ) -> None:
        """Replace workers that die, until a signal ends the service."""
        while True:
            time.sleep(CHECK_SECONDS)
            if self.interrupt_signal:
                break  # then granian sends SIGTERM to the workers
            if self._announce and accepts(self.bind_addr, self.bind_port):
                self._announce()
                self._announce = None
            workers: list[Any] = list(self.wrks)
            for index, worker in enumerate(workers):
                if not worker.is_alive() and self._is_due(index, worker):
                    self._respawn_workers([index], spawn_target, target_loader)
            if self.reload_signal:
                log.warning("SIGHUP ignored", hint="restart masthead to apply new settings")
                self.reload_signal = False

    def _is_due(self, index: int, worker: Any) -> bool:
        """Whether it is time to replace a dead worker."""
        now = time.monotonic()
        if index not in self._due:
            pause = self._pauses.get(index, 0.0)
            if now - worker.birth > STABLE_SECONDS + pause:
                pause = 0.0
            self._due[index] = now + pause
            self._pauses[index] = min(max(pause * 2, 0.5), MAX_PAUSE_SECONDS)
            log.error("worker died", worker=index + 1, exit=worker.inner.exitcode, pause=pause)
        if now < self._due[index]:
            return False
        del self._due[index]
        return True


def accepts(host: str, port: int) -> bool:
    """Whether a server on this machine accepts connections at an address."""
    with suppress(OSError), socket.create_connection((host, port), timeout=CHECK_SECONDS):
        return True
    return False


def prepare_forks(application: str) -> None:
    """Import what workers need, so that each begins with it: they share its memory.

    SIGTERM must also end a worker that has just been forked, which has the handlers of the
    supervisor until it has its own.
    """
    gc.disable()  # almost nothing of it is garbage: searching takes a tenth of the time
    import_module(application.partition(":")[0])
    gc.enable()
    gc.collect()
    gc.freeze()  # a collection of a worker would copy the shared memory

    def begin() -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the supervisor then sends SIGTERM
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)

    os.register_at_fork(
        before=partial(signal.pthread_sigmask, signal.SIG_BLOCK, STOPS),
        after_in_parent=partial(signal.pthread_sigmask, signal.SIG_UNBLOCK, STOPS),
        after_in_child=begin,
    )


def run_workers(
    host: str,
    port: int,
    *,
    workers: int,
    limit: int,
    sockets: Sequence[socket.socket],
    announce: Callable[[], None] | None = None,
) -> None:
    """Serve until a signal arrives. limit: the maximum connections of a worker.

    announce: called once, as soon as the server accepts connections.
    """
    multiprocessing.set_start_method("fork" if FORKS else "spawn", force=True)
    if FORKS:
        prepare_forks(APPLICATION)
    WorkerSupervisor(
        APPLICATION,
        factory=True,
        address=host,
        port=port,
        interface=Interfaces.ASGI,
        workers=workers,
        http=HTTP_VERSION,
        websockets=False,
        backpressure=accept_limit(limit),
        http1_settings=HTTP1Settings(
            header_read_timeout=HEADER_MILLISECONDS, max_buffer_size=MAX_HEADER_BYTES
        ),
        workers_kill_timeout=STOP_SECONDS + DRAIN_SECONDS,
        respawn_failed_workers=True,
        log_level=LogLevels.warning,
        log_dictconfig=LOGGING,
        sockets=sockets,
        announce=announce,
    ).serve()
