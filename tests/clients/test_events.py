"""`events()` yields each event, also after a restart."""

import asyncio
import itertools
from types import SimpleNamespace

import pytest

from masthead_client import AsyncMasthead, Masthead, event_feed, types
from tests.conftest import Cast
from tests.support.factories import make_issue, make_issues


class Place:
    """Where a program keeps its cursor."""

    def __init__(self) -> None:
        self.cursor: str | None = None

    def save(self, cursor: str) -> None:
        self.cursor = cursor

    async def save_later(self, cursor: str) -> None:
        self.cursor = cursor


class Stopped(Exception):
    """A program ends in the middle of its work."""


async def test_a_program_that_stops_goes_on_and_misses_nothing(acme: Cast, desk: Masthead) -> None:
    await make_issues(acme, 1, 7)
    place, handled = Place(), list[int]()

    def run(stop_after: int) -> None:
        """Handle events, two a page, and stop while one is handled."""
        for count, event in enumerate(desk.events(place.cursor, save=place.save, limit=2)):
            if count == stop_after:
                raise Stopped
            handled.append(event["number"])

    for stop_after in (0, 3, 1, 2):
        with pytest.raises(Stopped):
            await asyncio.to_thread(run, stop_after)
    await asyncio.to_thread(run, 99)
    in_order = list(dict.fromkeys(handled))
    assert in_order == list(range(1, in_order[-1] + 1))
    assert len(in_order) >= 7
    assert len(handled) > len(in_order), "the events of an interrupted page come again"
    before = len(handled)
    await asyncio.to_thread(run, 99)
    assert len(handled) == before, "the cursor is kept at the end, too"
    await make_issue(acme, number=8)
    await asyncio.to_thread(run, 99)
    assert len(handled) > before


async def test_a_program_with_asyncio_goes_on(acme: Cast, office: AsyncMasthead) -> None:
    await make_issues(acme, 1, 3)
    place, issue = Place(), await make_issue(acme, number=4)
    seen = [each async for each in office.events(save=place.save_later, type="issue.created")]
    assert [each["record"]["type"] for each in seen] == ["issue"] * len(seen)
    data = seen[-1]["data"]
    assert data
    assert data["id"] == issue["id"]
    created = office.events(place.cursor, type="issue.created")
    assert [each async for each in created] == []
    await office.issues.update(issue["id"], name="Spring")
    of_issue = [each["type"] async for each in office.events(record=issue["id"])]
    assert of_issue == ["issue.created", "issue.updated"]


async def test_a_program_can_wait_for_new_events(
    acme: Cast, desk: Masthead, office: AsyncMasthead, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_issue(acme)
    loop = asyncio.get_running_loop()
    numbers = itertools.count(2)
    waited: list[float] = []

    def arrive(seconds: float) -> None:
        waited.append(seconds)
        made = make_issue(acme, number=next(numbers))
        asyncio.run_coroutine_threadsafe(made, loop).result()

    async def arrive_later(seconds: float) -> None:
        waited.append(seconds)
        await make_issue(acme, number=next(numbers))

    def follow() -> list[types.Event]:
        feed = desk.events(type="issue.created", poll_seconds=30)
        return list(itertools.islice(feed, 3))

    with monkeypatch.context() as patched:
        patched.setattr(event_feed, "time", SimpleNamespace(sleep=arrive))
        events = await asyncio.to_thread(follow)
    assert [each["data"] and each["data"]["number"] for each in events] == [1, 2, 3]
    assert waited == [30, 30]
    feed = office.events(type="issue.created", poll_seconds=5)
    with monkeypatch.context() as patched:
        patched.setattr(event_feed, "asyncio", SimpleNamespace(sleep=arrive_later))
        found = [await anext(feed) for _ in range(4)]
    assert (found[-1]["data"] or {})["number"] == 4
    assert waited[-1] == 5
