"""Repeated `kill -9` of supervisor and workers under load: acknowledged writes survive."""

import asyncio
import contextlib
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from masthead.services.check.accounts import check
from tests.conftest import Cast, Client
from tests.support.events import list_events
from tests.support.factories import fresh_order_id, make_issues, manual
from tests.support.rounds import rounds
from tests.support.serving import Server, account_at, launch
from tests.support.waiting import PATIENCE
from tests.support.walk import walk

pytestmark = pytest.mark.crash

WRITERS = 8
ROUNDS = 1  # in a campaign more
SEEN = ("subscription.created", "subscription.updated", "subscription.cancelled")
CONTROL_ROUNDS = (
    10  # rounds in which a server that responds too early is detected; usually the first
)


@dataclass
class Ledger:
    """The requests of the writers, and those that were acknowledged."""

    asked: set[str] = field(default_factory=set)  # order ids
    orders: dict[str, str] = field(default_factory=dict)  # subscription by order id
    notes: set[str] = field(default_factory=set)  # subscriptions whose notes are their id
    sent: set[str] = field(default_factory=set)  # subscriptions whose copies were sent
    cancelled: set[str] = field(default_factory=set)


async def write_on(cast: Cast, ledger: Ledger, has_begun: asyncio.Event) -> None:
    """Create orders, and change the one before each, until the server is killed."""
    before = ""
    with contextlib.suppress(httpx.TransportError):
        while True:
            order_id = fresh_order_id()
            ledger.asked.add(order_id)
            body = manual(cast, order_id=order_id, length=2)
            created = await _post(cast, "/v1/subscriptions/", body)
            ledger.orders[order_id] = created["id"]
            if before:
                await see_to(cast, ledger, before)
                has_begun.set()
            before = created["id"]


async def see_to(cast: Cast, ledger: Ledger, id: str) -> None:
    """Mark the copies of a subscription as sent, change its notes, and cancel it."""
    copies = (await cast.get("/v1/copies/", subscription=id)).json()["items"]
    await _post(cast, "/v1/copies/mark-sent/", {"ids": [copy["id"] for copy in copies]})
    ledger.sent.add(id)
    answer = await cast.patch(f"/v1/subscriptions/{id}/", {"notes": id})
    assert answer.status_code == 200, answer.text
    ledger.notes.add(id)
    await _post(cast, f"/v1/subscriptions/{id}/cancel/", {"mode": "cancel"})
    ledger.cancelled.add(id)


async def _post(cast: Cast, path: str, body: object) -> dict[str, Any]:
    answer = await cast.post(path, body)
    assert answer.is_success, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def audit(cast: Cast, ledger: Ledger) -> None:
    """Acknowledged writes are stored; all others are stored completely or not at all."""
    listed = await walk(cast, "/v1/subscriptions/", 200)
    found = {each["id"]: each for each in listed}
    assert set(ledger.orders.values()) <= set(found), "an order that was answered is gone"
    assert len(found) <= len(ledger.asked)
    for id in ledger.notes:
        assert found[id]["notes"] == id, "a change that was answered is gone"
    for id in ledger.cancelled:
        assert found[id]["status"] == "Cancelled", "an end that was answered is gone"
    copies: dict[str, list[str]] = {id: [] for id in found}
    for copy in await walk(cast, "/v1/copies/", 200):
        copies[copy["subscription_id"]].append(copy["status"])
    assert await events_agree(cast, listed), "an event has no write, or a write no event"
    for id, both in copies.items():
        assert both in (["Sent", "Sent"], ["Not sent", "Not sent"]), "half a request was done"
        assert both[0] == "Sent" or id not in ledger.sent, "a copy that was answered is gone"
    assert [fault async for fault in check(cast.db)] == []


async def events_agree(cast: Cast, subscriptions: list[dict[str, Any]]) -> bool:
    """Whether the events say what the writers have stored, no more and no less."""
    events = await list_events(cast)
    about = {
        type: {each["record"]["id"] for each in events if each["type"] == type} for type in SEEN
    }
    sent = [id for each in events if each["type"] == "copy.sent" for id in each["data"]["ids"]]
    stored = await walk(cast, "/v1/copies/", 200)
    return (
        about["subscription.created"] == {each["id"] for each in subscriptions}
        and about["subscription.updated"] == {each["id"] for each in subscriptions if each["notes"]}
        and about["subscription.cancelled"]
        == {each["id"] for each in subscriptions if each["status"] == "Cancelled"}
        and sorted(sent) == sorted(each["id"] for each in stored if each["status"] == "Sent")
    )


async def wait_for_all(events: list[asyncio.Event]) -> None:
    """Return when all of it has happened."""
    for event in events:
        await event.wait()


async def kill_under_load(server: Server, cast: Cast, ledger: Ledger) -> None:
    """Run writers, and kill the whole process group while they write."""
    begun = [asyncio.Event() for _ in range(WRITERS)]
    writers = [asyncio.create_task(write_on(cast, ledger, each)) for each in begun]
    busy = asyncio.create_task(wait_for_all(begun))
    await asyncio.wait([busy, *writers], timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
    await asyncio.sleep(random.uniform(0, 0.1))
    await asyncio.to_thread(server.kill)
    await asyncio.gather(*writers)  # raises the errors of the writers
    assert busy.done(), f"the writers did not get going: {server.log.read_text()}"


async def survive(url: str, log: Path, *, times: int, without: str | None = None) -> list[float]:
    """Kill and restart the server; returns the seconds that each start took."""
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


async def test_acknowledged_writes_survive_kill_9(
    scratch_url: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    took = await survive(scratch_url, tmp_path / "log", times=rounds(ROUNDS))
    record_property("client", f"connections cut; no acknowledged write lost in {len(took)} kills")
    record_property("recovery", f"ready {min(took):.1f} to {max(took):.1f} s after the start")


@pytest.mark.slow
async def test_the_test_detects_a_server_that_responds_before_it_commits(
    scratch_url: str, tmp_path: Path
) -> None:
    with pytest.raises(AssertionError, match="that was answered is gone"):
        await survive(
            scratch_url, tmp_path / "log", times=CONTROL_ROUNDS, without="commit before answer"
        )


@pytest.mark.slow
async def test_the_test_detects_events_that_are_written_after_their_change(
    scratch_url: str, tmp_path: Path
) -> None:
    with pytest.raises(AssertionError, match="a write no event"):
        await survive(
            scratch_url,
            tmp_path / "log",
            times=CONTROL_ROUNDS,
            without="events in their transaction",
        )
