"""The start of the server: the granian that it needs, and the sockets that it listens on.

systemd keeps the sockets that it passes open while masthead restarts: clients that connect
meanwhile wait, and none is refused. See sd_listen_fds(3) and decision 0053.
"""

import os
import re
import socket
import stat
from collections.abc import Sequence
from importlib.metadata import version
from ipaddress import ip_address

GRANIAN = "2.8"  # the releases whose private parts are known
FIRST_DESCRIPTOR = 3  # the first one that systemd passes; the others follow
VARIABLES = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES")
INTERNET = (socket.AF_INET, socket.AF_INET6)


class StartError(Exception):
    """The server cannot start; the message says why and what to do."""


def check_granian() -> None:
    """Raises: StartError if another granian is installed than the one that masthead knows."""
    installed = version("granian")
    if not installed.startswith(f"{GRANIAN}."):
        raise StartError(
            f"granian {installed} is installed, but this masthead needs granian {GRANIAN}: run "
            f"`pip install 'granian~={GRANIAN}.0'`."
        )


def usable_port(host: str, port: int, *, reuse: bool = False) -> int:
    """The given port, or a free one for 0. Raises: StartError if it cannot be used.

    reuse: whether another masthead of the same user may listen on it too.
    """
    try:
        ip_address(host)
    except ValueError as reason:
        raise StartError(
            f"`--host` is `{host}`; expected an IP address, such as 127.0.0.1."
        ) from reason
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if reuse:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as reason:
            raise StartError(f"Cannot listen on {host}:{port}: {reason}.") from reason
        return int(probe.getsockname()[1])


def inherited_sockets() -> list[socket.socket]:
    """The TCP sockets that systemd passed to this process. Raises: StartError.

    It removes the variables that announce them, because they are not for child processes.
    """
    pid, count, _ = (os.environ.pop(name, "") for name in VARIABLES)
    if pid != str(os.getpid()):
        return []
    if not re.fullmatch("[0-9]{0,4}", count):
        raise StartError(f"`LISTEN_FDS` is `{count[:20]}`; expected the number of sockets.")
    descriptors = range(FIRST_DESCRIPTOR, FIRST_DESCRIPTOR + int(count or 0))
    return [_listening_socket(descriptor) for descriptor in descriptors]


def _listening_socket(descriptor: int) -> socket.socket:
    if not _is_socket(descriptor):
        raise StartError(f"systemd passed descriptor {descriptor}, which is no socket.")
    inherited = socket.socket(fileno=descriptor)
    is_listening = inherited.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    if inherited.family not in INTERNET or not is_listening:
        inherited.close()
        raise StartError(
            f"systemd passed descriptor {descriptor}, which is no listening TCP socket. "
            "Use `ListenStream=` with an IP address and a port, and `Accept=no`."
        )
    inherited.setblocking(False)
    return inherited


def _is_socket(descriptor: int) -> bool:
    try:
        return stat.S_ISSOCK(os.fstat(descriptor).st_mode)
    except OSError:  # it is not open
        return False


def check_workers(workers: int, sockets: Sequence[socket.socket]) -> None:
    """Each socket needs a worker, or its clients would wait forever. Raises: StartError."""
    if workers < 1:
        raise StartError(f"`--workers` is {workers}; at least 1 is needed.")
    if len(sockets) > workers:
        raise StartError(
            f"systemd passed {len(sockets)} sockets, and `--workers` is {workers}; each socket "
            "needs a worker."
        )
