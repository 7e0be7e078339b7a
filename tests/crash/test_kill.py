"""`kill -9` of supervisor and workers under load, again and again: what was answered is there."""

import asyncio
import random
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from masthead.services.check import check
from tests.conftest import Cast, Client
from tests.factories import fresh_order_id, make_issues, manual
from tests.rounds import rounds
from tests.serving import PATIENCE, Server, account_at, launch
from tests.walk import walk

pytestmark = [pytest.mark.crash, pytest.mark.slow]

WRITERS = 8
READY_SECONDS = 3.0
ROUNDS = {"sqlite": 20, "postgres": 8}  # on PostgreSQL it is only the clients that die
CONTROL_ROUNDS = (
    10  # within which a server that answers too early is caught; mostly it is the first
)


@dataclass
class Ledger:
    """What the writers asked for, and which of it was answered."""

    asked: set[str] = field(default_factory=set)  # order ids
    orders: dict[str, str] = field(default_factory=dict)  # subscription by order id
    notes: dict[str, str] = field(default_factory=dict)  # by subscription
    sent: set[str] = field(default_factory=set)  # subscriptions whose copies went out
    cancelled: set[str] = field(default_factory=set)


async def write_on(cast: Cast, ledger: Ledger, has_begun: asyncio.Event) -> None:
    """Order, send, note and cancel until the server is gone."""
    while True:
        order_id = fresh_order_id()
        ledger.asked.add(order_id)
        try:
            created = await _post(
                cast, "/v1/subscriptions/", manual(cast, order_id=order_id, length=2)
            )
            path = f"/v1/subscriptions/{created['id']}/"
            ledger.orders[order_id] = created["id"]
            copies = (await cast.get("/v1/copies/", subscription=created["id"])).json()["items"]
            await _post(cast, "/v1/copies/mark-sent/", {"ids": [copy["id"] for copy in copies]})
            ledger.sent.add(created["id"])
            answer = await cast.patch(path, {"notes": order_id})
            assert answer.status_code == 200, answer.text
            ledger.notes[created["id"]] = order_id
            await _post(cast, path + "cancel/", {"mode": "cancel"})
            ledger.cancelled.add(created["id"])
            has_begun.set()
        except httpx.TransportError:
            return


async def _post(cast: Cast, path: str, body: object) -> dict[str, Any]:
    answer = await cast.post(path, body)
    assert answer.is_success, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def audit(cast: Cast, ledger: Ledger) -> None:
    """What was answered is there; what was not is there as a whole, or not at all."""
    listed = await walk(cast, "/v1/subscriptions/", 200)
    found = {each["id"]: each for each in listed}
    assert set(ledger.orders.values()) <= set(found), "an order that was answered is gone"
    assert len(found) <= len(ledger.asked)
    assert {id: found[id]["notes"] for id in ledger.notes} == ledger.notes
    statuses = {id: found[id]["status"] for id in ledger.cancelled}
    assert set(statuses.values()) <= {"Cancelled"}
    copies: dict[str, list[str]] = {id: [] for id in found}
    for copy in await walk(cast, "/v1/copies/", 200):
        copies[copy["subscription_id"]].append(copy["status"])
    for id, both in copies.items():
        assert both in (["Sent", "Sent"], ["Not sent", "Not sent"]), "half a request was done"
        assert both[0] == "Sent" or id not in ledger.sent
    assert [fault async for fault in check(cast.db)] == []


async def kill_under_load(server: Server, cast: Cast, ledger: Ledger) -> None:
    """Let writers write, and end the whole process group while they do."""
    begun = [asyncio.Event() for _ in range(WRITERS)]
    writers = [asyncio.create_task(write_on(cast, ledger, each)) for each in begun]
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*(each.wait() for each in begun))
    await asyncio.sleep(random.uniform(0, 0.1))
    await asyncio.to_thread(server.kill)
    await asyncio.gather(*writers)


async def survive(url: str, log: Path, *, times: int, without: str | None = None) -> list[float]:
    """Kill the server and start it again so many times; seconds that each start took."""
    ledger, took = Ledger(), []
    with launch(url, log, workers=2, without=without) as server:
        server.wait("/ready")
        async with account_at(server, url) as cast:
            await make_issues(cast, 1, 2)
            await kill_under_load(server, cast, ledger)
            for number in range(1, times + 1):
                with launch(url, log, workers=2, without=without) as again:
                    took.append(again.wait("/ready"))
                    async with httpx.AsyncClient(
                        base_url=again.url, timeout=PATIENCE, trust_env=False
                    ) as http:
                        here = replace(cast, client=Client(http))
                        await audit(here, ledger)
                        if number < times:
                            await kill_under_load(again, here, ledger)
    return took


async def test_what_was_answered_outlasts_kill_9(
    backend: str, scratch_url: str, tmp_path: Path
) -> None:
    took = await survive(scratch_url, tmp_path / "log", times=rounds(ROUNDS[backend]))
    assert min(took) < READY_SECONDS  # whatever else the machine has to do meanwhile


async def test_a_server_that_answers_before_it_commits_is_caught(
    scratch_url: str, tmp_path: Path
) -> None:
    with pytest.raises(AssertionError):
        await survive(
            scratch_url, tmp_path / "log", times=CONTROL_ROUNDS, without="commit before answer"
        )
