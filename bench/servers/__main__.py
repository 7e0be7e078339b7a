"""Serve another application just as `masthead serve` serves masthead.

Words: APPLICATION PORT WORKERS INTERFACE, of which the last is asgi or wsgi.
"""

import sys
from typing import Any

from granian.constants import Interfaces

from masthead.cli import server
from masthead.cli import workers as supervisor
from masthead.settings import from_env


def main(application: str, port: str, workers: str, interface: str) -> None:
    """The supervisor of `masthead serve`, whose workers load `application`."""

    own = supervisor.WorkerSupervisor

    def other(_own: str, **settings: Any) -> Any:
        return own(application, **{**settings, "interface": Interfaces(interface)})

    setattr(supervisor, "WorkerSupervisor", other)  # noqa: B010 - the type checker has no need to know
    server.start(from_env(), host="127.0.0.1", port=int(port), workers=int(workers))


if __name__ == "__main__":
    main(*sys.argv[1:])
