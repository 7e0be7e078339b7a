"""Send what is due to all webhooks, each in a loop of its own, so that none delays another.

What became of a message is stored after its answer: if this process is killed before that, the
message is sent again.
"""

import asyncio
import random
import time
from collections.abc import Iterator, Sequence
from functools import partial

import structlog

from masthead.background.failures import read_present
from masthead.background.lease import RENEW_SECONDS, HeldLease
from masthead.background.webhooks.client import OutboundClient
from masthead.background.webhooks.job import IDLE_SECONDS
from masthead.model.clock import now
from masthead.model.emails import Site
from masthead.model.errors import Unavailable
from masthead.model.ids import RowKey
from masthead.model.webhooks.messages import Answer, Message, NoAnswer
from masthead.model.webhooks.signatures import SigningKeys, in_force, sign
from masthead.services.webhooks.outcomes import Round, outcome_of, read_round, record_round
from masthead.store.engine.interface import Database
from masthead.store.webhooks.endpoints import list_due_endpoints
from masthead.store.webhooks.messages import StoredMessage

POLL_SECONDS = 0.2
AT_ONCE = 20  # requests to a webhook
AT_ONCE_FAILING = 2  # to one that accepted none of the last ones
RETRIES, EVENTS = 100, 500  # messages of a round
ROUND_SECONDS = 5.0  # after which a round begins no further requests
DELETED = "The event was deleted before it could be sent."

log = structlog.get_logger()


class WebhookSender:
    """Sends messages while it holds the lease.

    client: an open one.
    """

    def __init__(
        self, db: Database, lease: HeldLease, client: OutboundClient, site: Site | None
    ) -> None:
        self._db, self._lease, self._client, self._site = db, lease, client, site
        self._loops: dict[RowKey, asyncio.Task[None]] = {}
        self._is_ending = False

    def end(self) -> None:
        """Let `run` return soon."""
        self._is_ending = True

    async def run(self, *, idle_seconds: float = IDLE_SECONDS) -> None:
        """Send until nothing has been due for a while, or the lease is lost."""
        renew_at, idle_at = 0.0, time.monotonic() + idle_seconds
        try:
            while not self._is_ending:
                if time.monotonic() >= renew_at:
                    renew_at = time.monotonic() + RENEW_SECONDS
                    if not await self._lease.renew():
                        return
                await self._start_loops()
                if self._loops:
                    idle_at = time.monotonic() + idle_seconds
                elif time.monotonic() >= idle_at:
                    return
                await asyncio.sleep(POLL_SECONDS)
        finally:
            await self._stop()

    async def _start_loops(self) -> None:
        """Start a loop for each webhook that has something to send."""
        due, _is_whole = await read_present(self._db, list_due_endpoints)
        for name in due:
            if name not in self._loops:
                sending = self._send_due(name.account_id, name.id)
                task = self._loops[name] = asyncio.create_task(sending)
                task.add_done_callback(partial(self._forget, name))

    def _forget(self, name: RowKey, task: asyncio.Task[None]) -> None:
        del self._loops[name]

    async def _stop(self) -> None:
        """Begin no further requests; wait for those under way, at most 10 s, and store them."""
        self._lease.drop()
        if self._loops:
            await asyncio.wait(list(self._loops.values()))
        await self._lease.release()

    async def _send_due(self, account_id: int, id: str) -> None:
        """Send all that is due for a webhook."""
        try:
            while self._lease.is_held:
                due = await read_round(self._db, account_id, id, retries=RETRIES, events=EVENTS)
                if due is None:
                    return
                await self._send_round(due)
        except Unavailable as reason:
            log.warning("webhook waits", webhook=id, reason=str(reason))
        except Exception:
            log.exception("webhook not sent", webhook=id)
            await asyncio.sleep(RENEW_SECONDS)

    async def _send_round(self, due: Round) -> None:
        """Send the messages of a round, in their order, and store what became of them."""
        keys = in_force(due.endpoint.signing_keys, now())
        waiting, outcomes = iter(due.messages), list[StoredMessage]()
        is_failing = due.endpoint.failing_at is not None
        until = time.monotonic() + ROUND_SECONDS

        def begin() -> Iterator[Message]:
            while time.monotonic() < until and self._lease.is_held:
                message = next(waiting, None)
                if message is None:
                    return
                yield message

        async def send() -> None:
            for message in begin():
                outcomes.append(await self._send(due.endpoint.url, keys, message))

        await asyncio.gather(*(send() for _ in range(AT_ONCE_FAILING if is_failing else AT_ONCE)))
        rest = next(waiting, None)
        while rest is not None and rest.number <= due.endpoint.last_number:
            rest = next(waiting, None)  # they are tried again later anyway
        last_number = due.last_number if rest is None else rest.number - 1
        await record_round(self._db, due, outcomes, last_number=last_number, site=self._site)

    async def _send(self, url: str, keys: Sequence[SigningKeys], message: Message) -> StoredMessage:
        """Send a message; returns what became of it.

        An unexpected error is an outcome too: if it ended the round, the other messages would be
        sent again.
        """
        moment = now()
        if message.body is None:
            answer = Answer(None, "", DELETED, None, 0)
        else:
            try:
                headers = sign(keys, message.id, moment, message.body)
                answer = await self._client.post(url, message.body, headers)
            except Exception:
                log.exception("webhook message not sent", message=message.id)
                answer = Answer(None, "", NoAnswer.INTERNAL, None, 0)
        return outcome_of(message, answer, attempted_at=moment, chance=random.random())  # noqa: S311
