"""A worker goes when its supervisor is gone, however that went."""

import os
import threading
import time

SUPERVISOR = "MASTHEAD_SUPERVISOR_PID"  # set by `masthead serve` for its workers
LOOK_SECONDS = 0.2


def follow_supervisor() -> None:
    """End this process as soon as its parent is not the supervisor any more.

    A supervisor that is killed cannot tell its workers; they would go on serving, and a new one
    could not be told from them. Nothing is lost: what is not committed was not answered.
    """
    supervisor = int(os.environ.get(SUPERVISOR, "0"))

    def watch() -> None:
        while os.getppid() == supervisor:
            time.sleep(LOOK_SECONDS)
        os._exit(1)

    if supervisor:
        threading.Thread(target=watch, name="supervision", daemon=True).start()
