"""Run `masthead` with a clock that is ahead by the seconds in the file that CLOCK_FILE names.

A worker imports this module itself before it starts.
"""

import os
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import time_machine

from masthead.cli import main


def follow(path: Path) -> None:
    """Set the clock when the file changes."""
    before, travel = 0.0, None
    while True:
        ahead = float(path.read_text() or 0)
        if ahead != before:
            if travel is not None:
                travel.stop()
            travel = time_machine.travel(datetime.now(UTC) + timedelta(seconds=ahead))
            travel.start()
            before = ahead
        time.sleep(0.05)


threading.Thread(target=follow, args=(Path(os.environ["CLOCK_FILE"]),), daemon=True).start()

if __name__ == "__main__":
    main()
