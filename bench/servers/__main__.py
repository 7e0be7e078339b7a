"""Serve another application in the same way as `masthead serve`.

Words: APPLICATION PORT WORKERS INTERFACE, of which the last is asgi or wsgi.
"""

import sys
from typing import Any

from granian.constants import Interfaces

from masthead.cli import server
from masthead.serving import supervisor
from masthead.settings import from_env


def main(application: str, port: str, workers: str, interface: str) -> None:
    """Run the supervisor of `masthead serve` with another application."""

    own = supervisor.WorkerSupervisor

    def other(_own: str, **settings: Any) -> Any:
        return own(application, **{**settings, "interface": Interfaces(interface)})

    setattr(supervisor, "WorkerSupervisor", other)  # noqa: B010 - the type checker has no need to know
    server.start(from_env(), host="127.0.0.1", port=int(port), workers=int(workers))


if __name__ == "__main__":
    main(*sys.argv[1:])
