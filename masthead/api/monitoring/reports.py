"""Counts each request for the metrics, and logs it if the settings say so."""

from collections.abc import Iterable, Mapping

import structlog
from starlette.routing import BaseRoute, Route

from masthead.api.http.middleware import Report
from masthead.api.http.request import HttpRequest
from masthead.api.monitoring.metrics import Metrics

log = structlog.get_logger()

SERVICE = {"/health": "health", "/ready": "ready", "/metrics": "metrics"}
DOCUMENTATION = "documentation"
STATIC_FILES = "static_files"


def name_endpoints(routes: Iterable[BaseRoute]) -> dict[tuple[object, str], str]:
    """The operation of each endpoint and method: for pages, the method and the path."""
    names = dict[tuple[object, str], str]()
    for route in [each for each in routes if isinstance(each, Route)]:
        for method in route.methods or ("GET",):
            names[route.endpoint, method] = _name(route.path, method)
    return names


def _name(path: str, method: str) -> str:
    if path in SERVICE:
        return SERVICE[path]
    if path == "/openapi.json" or path.startswith("/docs"):
        return DOCUMENTATION
    if path.startswith("/static/"):
        return STATIC_FILES
    return f"{'GET' if method == 'HEAD' else method} {path}"


class RequestReports:
    """Reports the requests of a worker.

    names: see `name_endpoints`. metrics: None if not kept. describe: of their traces, if there are
    any.
    """

    def __init__(
        self,
        names: Mapping[tuple[object, str], str],
        metrics: Metrics | None,
        *,
        is_logged: bool,
        describe: Report | None,
    ) -> None:
        self._names, self._is_logged, self._describe = names, is_logged, describe
        self._observe = metrics.requests.observe if metrics else None

    def report(self, request: HttpRequest, seconds: float) -> None:
        """Count a request that was answered, or whose client has disconnected."""
        if request.endpoint is not None:
            method = request.method
            request.operation = self._names.get((request.endpoint, method), request.operation)
        if self._observe is not None:
            self._observe(request.operation, request.status, seconds)
        if self._describe is not None:
            self._describe(request, seconds)
        if self._is_logged:
            log.info(
                "request",
                method=request.method,
                path=request.path_for_log,
                status=request.status,
                duration_ms=round(seconds * 1000, 3),
                address=request.peer,
            )
