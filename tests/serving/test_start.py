"""The sockets that `masthead serve` listens on, and the private parts of granian that it uses."""

import os
import re
import socket
from inspect import getsource
from pathlib import Path

import pytest
from granian._granian import SocketHolder
from granian.server.common import AbstractWorker
from granian.server.mp import MPServer

from masthead import serving
from masthead.serving import start
from masthead.serving.start import StartError, check_workers, inherited_sockets, usable_port
from masthead.serving.supervisor import BACKLOG, WorkerSupervisor


def test_port_0_selects_a_free_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = usable_port("127.0.0.1", 0)
        assert port not in (0, taken.getsockname()[1])
    assert usable_port("127.0.0.1", port) == port


def test_a_port_can_be_shared_on_purpose() -> None:
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert usable_port("127.0.0.1", port, reuse=True) == port
        with pytest.raises(StartError, match="Cannot listen"):
            usable_port("127.0.0.1", port)


def pass_descriptors(
    monkeypatch: pytest.MonkeyPatch, first: int, count: int | str = 1, pid: int | None = None
) -> None:
    """Do as systemd does before it starts a service."""
    monkeypatch.setattr(start, "FIRST_DESCRIPTOR", first)
    monkeypatch.setenv("LISTEN_PID", str(pid or os.getpid()))
    monkeypatch.setenv("LISTEN_FDS", str(count))
    monkeypatch.setenv("LISTEN_FDNAMES", "masthead.socket")


def test_sockets_of_systemd_are_taken_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        pass_descriptors(monkeypatch, os.dup(listener.fileno()))
        (inherited,) = inherited_sockets()
        with inherited:
            assert inherited.getsockname() == listener.getsockname()
        assert inherited_sockets() == []
        assert not [name for name in os.environ if name.startswith("LISTEN_")]


def test_sockets_of_another_process_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    pass_descriptors(monkeypatch, 3, pid=os.getppid())
    assert inherited_sockets() == []


def test_only_listening_tcp_sockets_are_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    with (tmp_path / "file").open() as file:
        pass_descriptors(monkeypatch, file.fileno())
        with pytest.raises(StartError, match=r"descriptor \d+, which is no socket"):
            inherited_sockets()
    with socket.socket() as closed, socket.socket(socket.AF_UNIX) as local:
        local.bind(str(tmp_path / "socket"))
        local.listen()
        for each in (closed, local):
            pass_descriptors(monkeypatch, os.dup(each.fileno()))
            with pytest.raises(StartError, match="no listening TCP socket"):
                inherited_sockets()


def test_descriptors_that_are_not_there_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for count in ("x", "-1", "1.5", "9" * 9, "٣"):
        pass_descriptors(monkeypatch, 3, count)
        with pytest.raises(StartError, match=f"`LISTEN_FDS` is `{count}`"):
            inherited_sockets()
    pass_descriptors(monkeypatch, 1_000_000)
    with pytest.raises(StartError, match="descriptor 1000000, which is no socket"):
        inherited_sockets()


def test_each_socket_of_systemd_needs_a_worker() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        check_workers(2, [listener, listener])
        with pytest.raises(StartError, match="passed 2 sockets, and `--workers` is 1"):
            check_workers(1, [listener, listener])


def test_every_private_part_of_granian_that_is_used_exists() -> None:
    server = MPServer("masthead.app:create_worker")
    names = set(re.findall(r"`(_\w+)`", serving.__doc__ or ""))
    own = {name for name in vars(WorkerSupervisor) if not name.startswith("__")}
    names |= own - {"_is_due"} | {"wrks", "interrupt_signal", "reload_signal"}
    assert len(names) > 10
    server._init_shared_socket()  # type: ignore[no-untyped-call]
    server._drop_shared_socket()  # type: ignore[no-untyped-call]
    assert [name for name in names if not hasattr(server, name)] == []
    assert "((self._ssp, self._shd), self._sso)" in getsource(MPServer._spawn_worker)
    assert "if not self.interrupt_by_parent:" in getsource(AbstractWorker._watcher)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        held = (listener.fileno(), False, BACKLOG)
        assert SocketHolder(*held).get_fd() == listener.fileno()  # type: ignore[call-arg]
