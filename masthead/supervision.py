"""End a worker process when its supervisor has ended."""

import os
import threading
import time

SUPERVISOR = "MASTHEAD_SUPERVISOR_PID"  # set by `masthead serve` for its workers
CHECK_SECONDS = 0.2


def follow_supervisor() -> None:
    """Start a thread that ends this process when its parent is no longer the supervisor.

    A supervisor that is killed cannot stop its workers; they would continue to serve next to those
    of a new supervisor. Nothing is lost: writes are acknowledged only after their commit.
    """
    supervisor = int(os.environ.get(SUPERVISOR, "0"))

    def watch() -> None:
        while os.getppid() == supervisor:
            time.sleep(CHECK_SECONDS)
        os._exit(1)

    if supervisor:
        threading.Thread(target=watch, name="supervision", daemon=True).start()
