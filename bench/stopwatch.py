"""What a part of a measurement takes: seconds by the clock, and of processors."""

import resource
import time
from pathlib import Path

from bench.servers.processes import TICKS, family


class Stopwatch:
    """Measures the block in which it is entered.

    server: the process id of PostgreSQL, whose processor time counts too; None for none.
    seconds: by the clock. cpu: of this process, of those that it started, which have ended, and of
    the server. Unlike the clock, it hardly depends on what else the machine does.
    """

    def __init__(self, server: int | None = None) -> None:
        self._server = server
        self.seconds, self.cpu = 0.0, 0.0

    def __enter__(self) -> None:
        self._used, self._began = self._processor_seconds(), time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.seconds = time.perf_counter() - self._began
        self.cpu = self._processor_seconds() - self._used

    def _processor_seconds(self) -> float:
        own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        seconds = sum(each.ru_utime + each.ru_stime for each in own)
        return seconds + (_server_seconds(self._server) if self._server is not None else 0.0)


def _server_seconds(pid: int) -> float:
    """The processor time of PostgreSQL, whose processes have one thread each.

    Of running processes in nanoseconds, and of those that have ended in ticks of 10 ms.
    """
    spent = 0.0
    for each in family(pid):
        place = Path(f"/proc/{each}")
        try:
            spent += int((place / "schedstat").read_text().split()[0]) / 1e9
            ended = (place / "stat").read_text().rpartition(")")[2].split()[13:15]
        except OSError:  # it has ended since
            continue
        spent += sum(map(int, ended)) / TICKS
    return spent
