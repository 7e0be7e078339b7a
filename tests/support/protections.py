"""The protections against races and failures, and how a test switches each of them off.

A positive control switches a protection off, in its own process or in a server that it starts, and
expects the same test to fail. masthead itself has no such switches.
"""

import asyncio
import contextlib
import os
import random
import subprocess
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import apsw
from granian.constants import HTTPModes
from granian.server.mp import MPServer

from masthead import app
from masthead.api import authentication, router
from masthead.api.http import request as http_request
from masthead.background import emails
from masthead.background.webhooks import job as webhooks
from masthead.background.webhooks.job import SendTask
from masthead.model.errors import Unavailable
from masthead.model.identity.api_keys import Principal
from masthead.model.types import email_addresses, text
from masthead.services import sources
from masthead.services.identity import memberships, one_time_links, sessions, sign_in
from masthead.services.issues import records as issues
from masthead.services.orders import place
from masthead.services.subscriptions import cancel, status_updates, update
from masthead.serving import supervisor, worker
from masthead.store import accounts, idempotency, keys
from masthead.store.accounts import Account
from masthead.store.engine.at_end import AtEnd, run_to_end
from masthead.store.engine.interface import Connection, Parameters, Transaction
from masthead.store.engine.postgres import database as postgres
from masthead.store.engine.postgres.connection import PostgresConnection
from masthead.store.engine.sqlite import files, writer
from masthead.store.engine.sqlite.connection import SQLiteConnection
from masthead.store.identity import people
from masthead.supervision import start_task
from masthead.web.kit import forms

# What a control of "locks" expects: SQLite itself may notice that two writes meet, and refuse one
REFUSED_OR_BROKEN = (AssertionError, Unavailable)
PAUSE_SECONDS = 0.02  # time in which another write can interfere
MEETING_SECONDS = 1.0  # for another write, which may be hashing a password, to come to a place


async def read_without_lock(tx: Transaction, account_id: int) -> Account:
    """Read an account without locking it, and give others time to do the same."""
    all_accounts = {account.id: account for account in await accounts.list_accounts(tx)}
    if isinstance(tx, SQLiteConnection):
        time.sleep(PAUSE_SECONDS)  # noqa: ASYNC251 - in the writer thread, where nothing may suspend
    else:
        await asyncio.sleep(PAUSE_SECONDS)
    return all_accounts[account_id]


async def read_person_without_lock(tx: Transaction, id: str) -> people.Person:
    """Read a person without locking them, and give others time to do the same."""
    person = await people.get_person(tx, id)
    if isinstance(tx, SQLiteConnection):
        time.sleep(PAUSE_SECONDS)  # noqa: ASYNC251 - as above
    else:
        await meet_another()
    return person


async def meet_another() -> None:
    """Wait until another write is here too, but not for long, because there may be none."""
    if _meetings:
        _meetings.pop().set()
        return
    met = asyncio.Event()
    _meetings.append(met)
    try:
        async with asyncio.timeout(MEETING_SECONDS):
            await met.wait()
    except TimeoutError:
        if met in _meetings:
            _meetings.remove(met)


async def pause_sometimes() -> None:
    """Wait at one of four places, so that repeated races interfere at each place."""
    if random.random() < 1 / 4:
        await asyncio.sleep(PAUSE_SECONDS)


async def pause_and_execute(self: Any, sql: str, parameters: Parameters) -> int:
    """Like a statement on PostgreSQL, but other writes may have time to interfere before it."""
    await pause_sometimes()
    return await EXECUTE(self, sql, parameters)


async def attempt_with_pause(
    self: Any, work: Callable[[Any], Awaitable[Any]], account_id: int | None, **options: bool
) -> Any:
    """Like a write to PostgreSQL, but others may have time to interfere before the commit."""

    async def work_and_pause(tx: Any) -> Any:
        result = await work(tx)
        await pause_sometimes()
        return result

    return await ATTEMPT(self, work_and_pause, account_id, **options)


EXECUTE, ATTEMPT = PostgresConnection.execute, postgres.PostgresDatabase._attempt
_meetings: list[asyncio.Event] = []  # of the write that waits for another one
_cached_principals: dict[str, Principal | None] = {}


async def find_cached_principal(db: Connection, account_id: int, key: str) -> Principal | None:
    """Look up a key once and keep the result for ever."""
    if key not in _cached_principals:
        _cached_principals[key] = await FIND_PRINCIPAL(db, account_id, key)
    return _cached_principals[key]


FIND_PRINCIPAL = keys.find_principal


def answer_and_commit(self: Any, batch: list[Any]) -> None:
    """Like SQLite's writer, but answers before the commit."""
    self._connection.execute("BEGIN IMMEDIATE")
    for job, outcome in [(job, self._attempt(job, is_alone=False)) for job in batch]:
        job.settle(*outcome)
    time.sleep(PAUSE_SECONDS)
    self._connection.execute("COMMIT")


async def stop_at_once(_announce: Callable[[], None], stop: Callable[[], None]) -> None:
    """Stop the server without waiting for clients."""
    stop()


def ignore_errors_of_the_commit(self: Any, batch: list[Any]) -> None:
    """Like SQLite's writer, but the answer to a write does not depend on the commit."""
    for job in batch:
        outcome = (None, Unavailable())
        with contextlib.suppress(apsw.Error, Unavailable):
            self._connection.execute("BEGIN IMMEDIATE")
            outcome = self._attempt(job, is_alone=True)
            self._connection.execute("COMMIT")
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
        job.settle(*outcome)


_committing = set[asyncio.Task[None]]()


async def answer_and_commit_later(
    self: Any, work: Callable[[Any], Awaitable[Any]], account_id: int | None, **options: bool
) -> Any:
    """Like a write to PostgreSQL, but answers before the commit."""
    answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    async def write() -> None:
        async with self._writers.acquire() as connection, connection.transaction():
            try:
                tx = PostgresConnection(connection, None, account_id)
                answer.set_result(await run_to_end(work, tx))
            except Exception as raised:
                answer.set_exception(raised)
                raise
            await asyncio.sleep(PAUSE_SECONDS)

    task = asyncio.create_task(write())
    _committing.add(task)
    task.add_done_callback(_committing.discard)
    return await answer


async def write_without_transaction(
    self: Any, work: Callable[[Any], Awaitable[Any]], account_id: int | None, **options: bool
) -> Any:
    """Like a write to PostgreSQL, but each statement commits by itself."""
    async with self._writers.acquire() as connection:
        return await run_to_end(work, PostgresConnection(connection, None, account_id))


_left = list[AtEnd]()


async def end_with_the_next_write(work: Callable[[Any], Awaitable[Any]], tx: Any) -> Any:
    """Leave what a transaction does at its end to the transaction after it."""
    ending = AtEnd()
    while _left:
        for finish, (_, items) in _left.pop(0)._left.items():
            ending.add(tx, finish, items)
    tx.ending = later = AtEnd()
    result = await work(tx)
    await ending.run()
    _left.append(later)
    return result


def accept(field: str, text: str, limit: int = 0) -> str:
    """Accept a text of any length."""
    return text


async def forget(*_: object) -> None:
    """Record nothing."""


async def allow(*_: object) -> bool:
    """Allow everything."""
    return True


class NoInvalidation:
    """A read model whose outdated rows are not marked."""

    async def mark_outdated(self, *_: object, **__: object) -> None:
        """Mark nothing."""

    mark_new = mark_all_outdated = mark_outdated
    mark_outdated_by_source = mark_outdated_by_product = mark_outdated
    mark_outdated_by_start = mark_outdated_by_charge = mark_outdated


def start_unprotected_sender(task: SendTask) -> subprocess.Popen[bytes]:
    """Start a process that stores what became of messages before it sends them."""
    os.environ["PYTHONPATH"] = str(Path.cwd())
    return start_task("tests.support.send_unprotected", task)


PROTECTIONS: dict[str, tuple[tuple[object, str, object], ...]] = {
    "account lock": ((accounts, "lock_account", read_without_lock),),
    "locks": (
        (accounts, "lock_account", read_without_lock),
        (PostgresConnection, "execute", pause_and_execute),
        (postgres.PostgresDatabase, "_attempt", attempt_with_pause),
        (writer, "BEGIN_WRITE", "BEGIN"),
        (postgres, "RETRIED", ()),
    ),
    "shared rate limits": ((app, "LIMITS", ""),),
    "key look-ups": ((authentication, "find_principal", find_cached_principal),),
    "commit before answer": (
        (writer.Writer, "_commit_together", answer_and_commit),
        (postgres.PostgresDatabase, "_attempt", answer_and_commit_later),
    ),
    "events in their transaction": (
        (writer, "run_to_end", end_with_the_next_write),
        (postgres, "run_to_end", end_with_the_next_write),
    ),
    "transactions": (
        (writer, "BEGIN_WRITE", "SELECT 1"),
        (postgres.PostgresDatabase, "_attempt", write_without_transaction),
    ),
    **{
        f"changes noted by {service.__name__.rpartition('.')[2]}": (
            (service, "subscription_json", NoInvalidation()),
        )
        for service in (issues, sources, status_updates, cancel, update, place)
    },
    "errors of the commit": ((writer.Writer, "_commit_together", ignore_errors_of_the_commit),),
    "file identity": ((files.OpenFiles, "verify", lambda _files: None),),
    "draining": ((worker, "drain", stop_at_once),),
    "supervision": ((worker, "follow_supervisor", lambda: None),),
    # as in versions up to 0.3: HTTP/2, large headers, and connections that are never closed
    "connection limit": (
        (app, "enforce_limit", lambda *_: None),
        (supervisor, "accept_limit", lambda limit: limit),
        (supervisor, "HTTP_VERSION", HTTPModes.auto),
        (supervisor, "MAX_HEADER_BYTES", 417_792),
        (supervisor, "HEADER_MILLISECONDS", 3_600_000),
    ),
    "respawning": tuple(
        (supervisor.WorkerSupervisor, name, getattr(MPServer, name))
        for name in ("_serve_loop", "_spawn_worker")
    ),
    "cost of texts": (
        (text, "_with_marks_in_order", lambda form, text: text),
        (text, "_require_limit", lambda text: None),
        *((owner, "short_text", accept) for owner in (email_addresses, sign_in, forms)),
    ),
    "outcomes of webhooks": ((webhooks, "start_process", start_unprotected_sender),),
    "outcomes of emails": ((emails, "end_sent", forget),),
    "idempotency keys": (
        (idempotency, "lock_key", forget),
        (idempotency, "find_answer", forget),
        (idempotency, "insert_answer", forget),
        (idempotency, "take_key", forget),
        (idempotency, "update_result", forget),
    ),
    "person lock": (
        (people, "lock_person", read_person_without_lock),
        (writer, "BEGIN_WRITE", "BEGIN"),
    ),
    "open session": ((sessions, "is_open", allow),),
    "makers of links": ((one_time_links, "could_be_created_now", allow),),
    "links of users who join or leave": ((memberships, "end_links", forget),),
    "comparison of issues": ((issues, "_require_unchanged", lambda *_: None),),
    "patience": (
        (supervisor, "HEADER_MILLISECONDS", 1_000),
        (router, "read_body", partial(http_request.read_body, seconds=1.0)),
    ),
}
"""The attributes to replace, by the name of the protection that this switches off."""
