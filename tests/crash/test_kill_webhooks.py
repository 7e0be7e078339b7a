"""`kill -9` while events are sent to a webhook, with two workers: each is sent at least once."""

import contextlib
import os
import signal
from pathlib import Path

import pytest
from aiohttp import web

from tests.support.events import list_events
from tests.support.factories import make_issues
from tests.support.rounds import rounds
from tests.support.serving import Server, account_at, read_process_file, serve
from tests.support.webhooks import expire_leases, receiving, until_sent

pytestmark = pytest.mark.crash

KILLS = rounds(2)
EVENTS = 15 * KILLS
# The numbers of requests
KILLS_AT = {15 * kill + 1: ("sender", "worker")[kill % 2] for kill in range(KILLS)}
ALLOW = {"MASTHEAD_WEBHOOK_ALLOW_PRIVATE": "true"}
SENDERS = (b"masthead.background.webhooks.process", b"tests.support.send_unprotected")


def senders_of(server: Server) -> dict[int, int]:
    """The processes that send, and the worker that started each."""
    found = {}
    for worker in server.workers():
        for children in Path(f"/proc/{worker}/task").glob("*/children"):
            for pid in map(int, read_process_file(children).split()):
                line = read_process_file(Path(f"/proc/{pid}/cmdline"))
                if any(name in line for name in SENDERS):
                    found[pid] = worker
    return found


async def send_and_kill(url: str, log: Path, *, without: str | None = None) -> None:
    """Send events, kill what sends them several times, and check that each was accepted."""
    accepted = set[int]()
    async with receiving() as receiver:
        with serve(url, log, workers=2, without=without, environment=ALLOW) as server:
            async with account_at(server, url) as cast:

                async def answer(request: web.Request) -> web.StreamResponse:
                    what = KILLS_AT.get(len(receiver.requests))
                    if what is None:
                        accepted.add(int(request.headers["webhook-id"]))
                        return web.Response(status=204)
                    for sender, worker in senders_of(server).items():
                        for pid in (sender, worker) if what == "worker" else (sender,):
                            with contextlib.suppress(ProcessLookupError):
                                os.kill(pid, signal.SIGKILL)
                    await expire_leases(cast)
                    return web.Response(status=500)

                receiver.answer = answer
                made = (await cast.post("/v1/webhooks/", {"url": receiver.url})).json()
                path = f"/v1/webhooks/{made['id']}/"
                await cast.patch(path, {"status": "disabled"})
                await make_issues(cast, 1, EVENTS)
                expected = {each["id"] for each in await list_events(cast)}
                await cast.patch(path, {"status": "enabled"})
                await until_sent(cast, path, max(expected))
    assert len(expected) == EVENTS
    assert accepted == expected
    assert set(map(int, receiver.ids)) == expected


async def test_each_event_is_sent_although_processes_are_killed(
    scratch_url: str, tmp_path: Path
) -> None:
    await send_and_kill(scratch_url, tmp_path / "log")


@pytest.mark.slow
async def test_events_are_lost_if_outcomes_are_stored_before_the_answers(
    scratch_url: str, tmp_path: Path
) -> None:
    with pytest.raises(AssertionError):
        await send_and_kill(scratch_url, tmp_path / "log", without="outcomes of webhooks")
