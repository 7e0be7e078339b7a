"""Traces: a span for each request, and one for each of its statements."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from masthead.api.monitoring import traces
from masthead.settings import Settings, SettingsError, from_env
from masthead.store.engine.interface import MissingTable, Transaction
from masthead.store.engine.traced import TracedDatabase, _describe
from tests.conftest import Cast, Client, make_account, serving
from tests.support.waiting import PATIENCE

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
TRACE_PARENT = {"traceparent": f"00-{TRACE}-{PARENT}-01"}


class Spans:
    """The spans that a service has sent."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()

    def all(self) -> Sequence[ReadableSpan]:
        return self.exporter.get_finished_spans()

    def request(self) -> ReadableSpan:
        """The span of the only request."""
        (span,) = (each for each in self.all() if each.kind is SpanKind.SERVER)
        return span

    def statements(self) -> list[ReadableSpan]:
        return [each for each in self.all() if each.kind is SpanKind.CLIENT]


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Spans:
    """The spans that would be sent to a collector."""
    sent = Spans()
    _describe.cache_clear()
    monkeypatch.setattr(traces, "BatchSpanProcessor", lambda _: SimpleSpanProcessor(sent.exporter))
    return sent


@pytest.fixture
async def traced(database_url: str, spans: Spans) -> AsyncIterator[tuple[Starlette, Client, Cast]]:
    """A service with traces, its client, and an account."""
    async with serving(Settings(database_url=database_url, traces=True)) as (app, client):
        cast = await make_account(client, app.state.db, "Acme")
        spans.exporter.clear()
        yield app, client, cast


def attributes_of(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


async def test_a_request_is_a_span_of_the_clients_trace_with_a_span_for_each_statement(
    traced: tuple[Starlette, Client, Cast], spans: Spans, backend: str
) -> None:
    _, client, cast = traced
    response = await client.get("/v1/issues/", key=cast.key, headers=TRACE_PARENT)
    span = spans.request()
    assert span.name == "list_issues"
    assert span.context is not None
    assert span.parent is not None
    assert f"{span.context.trace_id:032x}" == TRACE
    assert f"{span.parent.span_id:016x}" == PARENT
    assert attributes_of(span) == {
        "http.request.method": "GET",
        "http.response.status_code": 200,
        "url.path": "/v1/issues/",
        "masthead.operation": "list_issues",
        "masthead.account": cast.subdomain,
        "masthead.request_id": response.headers["X-Request-Id"],
    }
    statements = spans.statements()
    assert {each.name for each in statements} == {"SELECT api_key", "SELECT issue"}
    for statement in statements:
        assert statement.parent is not None
        assert statement.parent.span_id == span.context.span_id
        attributes = attributes_of(statement)
        assert attributes["db.system.name"] == backend.replace("postgres", "postgresql")
        assert attributes["db.query.text"].startswith("SELECT")
        assert "\n" not in attributes["db.query.text"]


async def test_the_statements_of_a_write_are_spans_and_contain_no_values(
    traced: tuple[Starlette, Client, Cast], spans: Spans
) -> None:
    _, _, cast = traced
    response = await cast.post("/v1/issues/", {"number": 7, "name": "A s3cret name"})
    assert response.status_code == 201
    (commit,) = (each for each in spans.statements() if each.name == "COMMIT")
    names = [each.name for each in spans.statements()]
    assert {"UPDATE account_state", "INSERT issue", "INSERT audit"} <= set(names)
    assert commit.parent is not None
    told = str([(each.name, attributes_of(each)) for each in spans.all()])
    assert "s3cret" not in told
    assert cast.key not in told


async def test_a_failed_statement_says_so_but_not_its_values(
    traced: tuple[Starlette, Client, Cast], spans: Spans
) -> None:
    app, _, _ = traced

    async def work(tx: Transaction) -> None:
        await tx.execute_many("SELECT s3cret FROM nowhere WHERE id = :id", [{"id": "s3cret"}])

    with app.state.db._tracer.start_as_current_span("test"), pytest.raises(MissingTable):
        await app.state.db.write(work)
    (failed,) = (each for each in spans.statements() if each.name == "SELECT nowhere")
    assert not failed.status.is_ok
    assert not failed.events
    assert attributes_of(failed)["error.type"]


async def test_pages_and_errors_are_spans_too(
    traced: tuple[Starlette, Client, Cast], spans: Spans, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, client, _ = traced
    await client.get("/link/s3cret-token/")
    span = spans.request()
    assert span.name == "GET /link/{token}/"
    assert "s3cret" not in str(attributes_of(span))
    spans.exporter.clear()
    monkeypatch.setattr(app.state, "router", None)
    assert (await client.get("/v1/issues/")).status_code == 500
    assert not spans.request().status.is_ok
    assert not spans.request().events


async def test_work_outside_of_requests_has_no_spans(
    traced: tuple[Starlette, Client, Cast], spans: Spans
) -> None:
    db: TracedDatabase = traced[0].state.db
    async with db.read() as connection:
        await connection.fetch_one("SELECT 1 AS one", {})
    await db.probe_write()
    assert await db.replica.lag() is None  # there is none
    assert await db.list_damaged() == []
    assert db.is_small()
    assert not db.is_shared()
    assert db.figures()["masthead_write_queue_length"] == 0
    await db.restore_statistics()
    await db.clean()
    assert spans.all() == ()


async def test_the_end_does_not_wait_for_a_collector_that_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    is_there = threading.Event()
    tracing = traces.Tracing(SimpleSpanProcessor(InMemorySpanExporter()))
    monkeypatch.setattr(traces, "STOP_SECONDS", 0.01)
    monkeypatch.setattr(TracerProvider, "shutdown", lambda _: is_there.wait())
    async with asyncio.timeout(PATIENCE):
        await tracing.stop()
    (thread,) = (each for each in threading.enumerate() if each.name == "traces")
    assert thread.daemon
    is_there.set()
    thread.join()


async def test_what_is_no_request_has_no_span(spans: Spans) -> None:
    passed: list[str] = []

    async def inner(scope: Scope, _receive: Receive, _send: Send) -> None:
        passed.append(scope["type"])

    async def nothing(*_: object) -> Any:
        raise AssertionError

    await traces.TracingMiddleware(inner, traces.Tracing())({"type": "lifespan"}, nothing, nothing)
    assert passed == ["lifespan"]
    assert spans.all() == ()
    assert traces._Headers().keys({b"traceparent": b"", b"host": b"x"}) == ["traceparent", "host"]


def test_traces_need_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MASTHEAD_TRACES", "true")
    assert from_env().traces
    for missing in ("masthead.nothing", "no_such_package.of.traces"):
        monkeypatch.setattr("masthead.settings.OTEL", missing)
        with pytest.raises(SettingsError, match=r"Install `masthead\[otel\]`"):
            from_env()
