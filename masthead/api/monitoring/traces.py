"""Traces of OpenTelemetry: a span for each request, and one for each of its statements.

Loaded only if traces are on. The variables `OTEL_*` of the SDK say where spans go, and how many.
"""

import asyncio
import threading
from collections.abc import Mapping
from contextlib import suppress

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.propagators.textmap import Getter
from opentelemetry.sdk.resources import (
    SERVICE_NAME,
    SERVICE_VERSION,
    OTELResourceDetector,
    Resource,
)
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode, get_current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from starlette.types import ASGIApp, Receive, Scope, Send

from masthead import __version__
from masthead.api.http.request import HttpRequest
from masthead.store.engine.interface import Database
from masthead.store.engine.traced import TracedDatabase

STOP_SECONDS = 1.0  # to send the last spans


class _Headers(Getter[Mapping[bytes, bytes]]):
    """Reads the headers of ASGI."""

    def get(self, carrier: Mapping[bytes, bytes], key: str) -> list[str] | None:
        """The values of a header."""
        value = carrier.get(key.encode())
        return None if value is None else [value.decode("latin-1")]

    def keys(self, carrier: Mapping[bytes, bytes]) -> list[str]:
        """The names of all headers."""
        return [key.decode("latin-1") for key in carrier]


class Tracing:
    """The traces of a worker. processor: where its spans go, by default to the collector."""

    def __init__(self, processor: SpanProcessor | None = None) -> None:
        named = Resource.create({SERVICE_NAME: "masthead", SERVICE_VERSION: __version__})
        resource = named.merge(OTELResourceDetector().detect())  # OTEL_SERVICE_NAME
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(processor or BatchSpanProcessor(OTLPSpanExporter()))
        self.tracer = self._provider.get_tracer("masthead", __version__)

    def traced(self, database: Database) -> Database:
        """The database, with a span for each statement of a request."""
        return TracedDatabase(database, self.tracer)

    async def stop(self) -> None:
        """Send the last spans, but do not wait for a collector that is gone.

        The thread is a daemon, because Python waits for those of `to_thread` when it ends.
        """
        loop, has_ended = asyncio.get_running_loop(), asyncio.Event()

        def shut_down() -> None:
            self._provider.shutdown()
            with suppress(RuntimeError):  # the loop has closed
                loop.call_soon_threadsafe(has_ended.set)

        threading.Thread(target=shut_down, name="traces", daemon=True).start()
        with suppress(TimeoutError):
            await asyncio.wait_for(has_ended.wait(), STOP_SECONDS)

    @staticmethod
    def describe(request: HttpRequest, _seconds: float) -> None:
        """Describe the span of a request that has been answered."""
        span = get_current_span()
        span.update_name(request.operation)
        span.set_attributes(
            {
                "http.request.method": request.method,
                "http.response.status_code": request.status,
                "url.path": request.path_for_log,
                "masthead.operation": request.operation,
                "masthead.account": request.account,
                "masthead.request_id": request.id,
            }
        )
        if request.status >= 500:
            span.set_status(Status(StatusCode.ERROR))


class TracingMiddleware:
    """A span for each request, in the trace that the client names in `traceparent`."""

    def __init__(self, app: ASGIApp, tracing: Tracing) -> None:
        self._app, self._tracer = app, tracing.tracer
        self._propagator = TraceContextTextMapPropagator()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request within a span."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        parent = self._propagator.extract(dict(scope["headers"]), getter=_Headers())
        with self._tracer.start_as_current_span(
            scope["method"],
            context=parent,
            kind=SpanKind.SERVER,
            record_exception=False,  # its text may contain values
            set_status_on_exception=False,
        ) as span:
            scope["trace_id"] = f"{span.get_span_context().trace_id:032x}"
            await self._app(scope, receive, send)
