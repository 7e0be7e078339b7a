"""Repeated `kill -9` while runs are frozen, marked and undone: each step is whole or absent."""

import asyncio
import contextlib
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest

from masthead.services.check.accounts import check
from masthead.store.dispatch import lines
from tests.conftest import Cast, Client
from tests.support.factories import make_issue, make_subscription
from tests.support.rounds import rounds
from tests.support.serving import Server, account_at, launch
from tests.support.waiting import PATIENCE
from tests.support.walk import walk

pytestmark = [pytest.mark.crash, pytest.mark.slow]

COPIES = 60
ROUNDS = {"sqlite": 5, "postgres": 3}
CONTROL_ROUNDS = 30  # at most: it ends with the first step that is half done
DAY = "2026-05-03"
NEXT = {"": "freeze", "frozen": "mark-sent", "marked": "undo"}  # the step after each state
AFTER = {"freeze": "frozen", "mark-sent": "marked", "undo": "frozen", "discard": ""}


@dataclass
class Progress:
    """The last state of the run that was answered, and the step that was asked for after it."""

    id: str = ""
    state: str = ""
    asked: str = ""
    times_undone: int = 0


async def step_on(cast: Cast, issue_id: str, now: Progress, has_begun: asyncio.Event) -> None:
    """Freeze, mark, undo and discard a run again and again, until the server is killed."""
    with contextlib.suppress(httpx.TransportError):
        while True:
            step = NEXT[now.state]
            if now.state == "frozen" and now.times_undone:
                step = "discard"
            now.asked = step
            path, body = f"/v1/dispatches/{now.id}/{step}/", None
            if step == "freeze":
                path, body = "/v1/dispatches/", {"issue": issue_id}
            elif step == "mark-sent":
                body = {"date": DAY}
            answer = await cast.post(path, body)
            assert answer.is_success, answer.text
            now.state, now.asked = AFTER[step], ""
            if step == "freeze":
                now.id, now.times_undone = answer.json()["id"], 0
            now.times_undone += step == "undo"
            has_begun.set()


async def audit(cast: Cast, now: Progress) -> None:
    """The run is in the state that was answered, or in the one that was asked for."""
    assert [fault async for fault in check(cast.db)] == []
    listed = await walk(cast, "/v1/dispatches/", 200)
    live = [each for each in listed if each["status"] != "discarded"]
    assert len(live) <= 1
    found = live[0]["status"] if live else ""
    expected = {now.state, AFTER.get(now.asked, now.state)}
    assert found in expected, "a step that was answered is gone"
    statuses = {each["status"] for each in await walk(cast, "/v1/copies/", 200)}
    assert statuses == {"Sent" if found == "marked" else "Not sent"}, "half a step was done"
    if live:
        now.id = live[0]["id"]
        counted = await lines.count_lines(cast.db, cast.account_id, now.id)
        assert sum(counted.values()) == COPIES
        assert len({status for _, _, status in counted}) == 1, "half a step was done"
    now.times_undone = int(found == "frozen" and now.times_undone > 0)
    now.state, now.asked = found, ""


async def kill_while_it_steps(server: Server, cast: Cast, issue_id: str, now: Progress) -> None:
    """Kill the whole process group during one of the steps."""
    has_begun = asyncio.Event()
    stepping = asyncio.create_task(step_on(cast, issue_id, now, has_begun))
    begun = asyncio.create_task(has_begun.wait())
    await asyncio.wait([begun, stepping], timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
    await asyncio.sleep(random.uniform(0, 0.1))
    await asyncio.to_thread(server.kill)
    await stepping  # raises its errors
    assert begun.done(), f"no step was answered: {server.log.read_text()}"


async def survive(url: str, log: Path, *, times: int, without: str | None = None) -> None:
    """Kill and restart the server during steps of a run."""
    now = Progress()
    with launch(url, log, without=without) as server:
        server.wait("/ready")
        async with account_at(server, url) as cast:
            issue_id = (await make_issue(cast))["id"]
            for _ in range(COPIES):
                await make_subscription(cast, length=1)
            await kill_while_it_steps(server, cast, issue_id, now)
            for number in range(1, times + 1):
                with launch(url, log, without=without) as again:
                    again.wait("/ready")
                    async with httpx.AsyncClient(
                        base_url=again.url, timeout=PATIENCE, trust_env=False
                    ) as http:
                        here = replace(cast, client=Client(http))
                        await audit(here, now)
                        if number < times:
                            await kill_while_it_steps(again, here, issue_id, now)


async def test_each_step_of_a_run_is_whole_or_absent_after_kill_9(
    backend: str, scratch_url: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    times = rounds(ROUNDS[backend])
    await survive(scratch_url, tmp_path / "log", times=times)
    record_property("client", f"connections cut; no step of a run was half done in {times} kills")


async def test_the_test_detects_steps_that_are_not_transactions(
    scratch_url: str, tmp_path: Path
) -> None:
    with pytest.raises(AssertionError):
        await survive(scratch_url, tmp_path / "log", times=CONTROL_ROUNDS, without="transactions")
