"""The servers of the benchmark run the given application."""

from typing import Any

import pytest

from bench.servers.__main__ import main
from masthead.cli import server
from masthead.serving import supervisor


def test_the_given_application_is_served_instead_of_masthead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    served: list[str] = []

    class Recorder:
        def __init__(self, application: str, **_settings: Any) -> None:
            served.append(application)

        def serve(self) -> None:
            """Return at once."""

    def start(*_: Any, **__: Any) -> None:
        supervisor.run_workers(host="127.0.0.1", port=1, workers=1, sockets=[], limit=100)

    monkeypatch.setattr(supervisor, "WorkerSupervisor", Recorder)
    monkeypatch.setattr(server, "start", start)
    main("bench.servers.bare:create_app", "1", "1", "asgi")
    assert served == ["bench.servers.bare:create_app"]
