"""Run `masthead` with a clock that is ahead by the seconds in the file that CLOCK_FILE names.

Each process follows the file, also a worker, which is a fork without the threads of its parent.
"""

import os
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import time_machine

from masthead.cli import main

FILE = Path(os.environ["CLOCK_FILE"])


class Clock:
    """The clock of this process. It is set when the file changes."""

    def __init__(self) -> None:
        self._ahead = 0.0
        self._travel: time_machine.travel | None = None

    def begin(self) -> None:
        """Follow the file from now on."""
        threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self) -> None:
        while True:
            ahead = float(FILE.read_text() or 0)
            if ahead != self._ahead:
                self._set(ahead)
            time.sleep(0.05)

    def _set(self, ahead: float) -> None:
        if self._travel is not None:
            self._travel.stop()
        self._travel = time_machine.travel(datetime.now(UTC) + timedelta(seconds=ahead))
        self._travel.start()
        self._ahead = ahead


clock = Clock()
clock.begin()
os.register_at_fork(after_in_child=clock.begin)

if __name__ == "__main__":
    main()
