"""`GET /metrics`: the numbers of all workers and the state of the work, for Prometheus."""

import asyncio
import hmac
import time
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from masthead.metrics.job_failures import job_failures
from masthead.metrics.memory import WorkerCells
from masthead.metrics.process import BUILD, build_samples, process_figures
from masthead.metrics.requests import REQUESTS, RequestMetrics
from masthead.metrics.text import CONTENT_TYPE, Metric, Samples, write_text
from masthead.metrics.worker_figures import WorkerFigures
from masthead.model.clock import now
from masthead.model.errors import Unavailable
from masthead.services.monitoring.state import State, read_state
from masthead.services.monitoring.state_metrics import UP, state_samples
from masthead.serving.requests import ActiveRequests
from masthead.store.engine.interface import Database

NOTE_SECONDS = 1.0  # between two notes of the numbers of this worker
STATE_SECONDS = 5.0  # for which a state is used again, so that scrapes cost the database little
WAIT_SECONDS = 2.0  # for the state; after that, the last one is used
STALE_SECONDS = 60.0  # for this time; then the database counts as down
PLAIN = {"content-type": CONTENT_TYPE}


async def show_metrics(request: Request) -> Response:
    """The metrics as text, with the token of the settings; 401 without it."""
    metrics: Metrics = request.app.state.metrics
    if not metrics.accepts(request.headers.get("authorization", "")):
        return Response(status_code=401, headers={"www-authenticate": "Bearer"})
    return Response(await metrics.text(), headers=PLAIN)


class Metrics:
    """The numbers of this worker, and the text with those of all.

    operations: of the API and the pages. memory: the path of the memory that the workers share.
    """

    def __init__(
        self, token: str, operations: Sequence[str], active: ActiveRequests, memory: str
    ) -> None:
        self._token, self._active = f"Bearer {token}".encode(), active
        self._workers = WorkerCells(memory)
        self.requests = RequestMetrics(self._workers.own, operations)
        self._figures = WorkerFigures(self._workers.own)
        self._db: Database | None = None
        self._reading: asyncio.Task[None] | None = None
        self._state: State | None = None
        self._began = self._read_at = float("-inf")

    def accepts(self, authorization: str) -> bool:
        """Whether this is the token, compared in a time that tells nothing about it."""
        return hmac.compare_digest(authorization.encode(), self._token)

    def open(self, db: Database) -> None:
        """Begin to tell the numbers of a database."""
        self._db = db

    async def watch(self) -> None:
        """Note the numbers of this worker until cancelled."""
        try:
            while True:
                self._note()
                await asyncio.sleep(NOTE_SECONDS)
        finally:
            if self._reading is not None:
                self._reading.cancel()

    def _note(self) -> None:
        assert self._db is not None
        active = len(self._active.peers)
        self._figures.note(
            {
                "masthead_workers": 1,
                "masthead_requests_active": active,
                **process_figures(),
                **job_failures(),
                **self._db.figures(),
            }
        )

    async def text(self) -> str:
        """All metrics."""
        assert self._db is not None
        self._note()
        workers = self._workers.all()
        return write_text(
            [
                (BUILD, build_samples(self._db.dialect)),
                *await self._state_samples(),
                *self._figures.samples(workers),
                (REQUESTS, self.requests.samples(workers)),
            ]
        )

    async def _state_samples(self) -> list[tuple[Metric, Samples]]:
        """The state of the work, not older than some seconds; scrapes share the queries.

        While the database is too busy to answer in time, it is the last one, but not for long.
        """
        began = time.monotonic()
        if self._reading is None or (self._reading.done() and began - self._began >= STATE_SECONDS):
            self._began, self._reading = began, asyncio.create_task(self._read())
        await asyncio.wait({self._reading}, timeout=WAIT_SECONDS)
        if self._state is None or time.monotonic() - self._read_at > STALE_SECONDS:
            return [(UP, {UP.name: 0})]
        return state_samples(self._state, now())

    async def _read(self) -> None:
        """Read the state; there is none if the database does not answer."""
        assert self._db is not None
        try:
            self._state = await read_state(self._db)
            self._read_at = time.monotonic()
        except Unavailable:
            self._state = None
