"""The listening sockets that systemd opens and passes to `masthead serve`.

systemd keeps them open while masthead restarts: clients that connect meanwhile wait, and none is
refused. See sd_listen_fds(3) and decision 0053.
"""

import os
import re
import socket
import stat
from collections.abc import Sequence

from masthead.cli.command import CommandError

FIRST_DESCRIPTOR = 3  # the first one that systemd passes; the others follow
VARIABLES = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES")
INTERNET = (socket.AF_INET, socket.AF_INET6)


def inherited_sockets() -> list[socket.socket]:
    """The TCP sockets that systemd passed to this process. Raises: CommandError.

    It removes the variables that announce them, because they are not for child processes.
    """
    pid, count, _ = (os.environ.pop(name, "") for name in VARIABLES)
    if pid != str(os.getpid()):
        return []
    if not re.fullmatch("[0-9]{0,4}", count):
        raise CommandError(f"`LISTEN_FDS` is `{count[:20]}`; expected the number of sockets.")
    descriptors = range(FIRST_DESCRIPTOR, FIRST_DESCRIPTOR + int(count or 0))
    return [_listening_socket(descriptor) for descriptor in descriptors]


def _listening_socket(descriptor: int) -> socket.socket:
    if not _is_socket(descriptor):
        raise CommandError(f"systemd passed descriptor {descriptor}, which is no socket.")
    inherited = socket.socket(fileno=descriptor)
    is_listening = inherited.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    if inherited.family not in INTERNET or not is_listening:
        inherited.close()
        raise CommandError(
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


def check_number(sockets: Sequence[socket.socket], workers: int) -> None:
    """Each socket needs a worker, or its clients would wait forever. Raises: CommandError."""
    if len(sockets) > workers:
        raise CommandError(
            f"systemd passed {len(sockets)} sockets, and `--workers` is {workers}; each socket "
            "needs a worker."
        )
