"""The nightly files for the mailing house have each copy once, also after a crash."""

import asyncio
import csv
import datetime
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import mailing_house
import pytest

from masthead_client import Masthead
from tests.conftest import Cast
from tests.support.bridge import Bridge
from tests.support.factories import copies_of, make_issue, make_subscription

TODAY = datetime.date(2026, 3, 10)


@pytest.fixture
async def desk(acme: Cast) -> AsyncIterator[Masthead]:
    """A client for threads, with three subscriptions from issue 1 on; issue 2 is not out yet."""
    await make_issue(acme, release_date_actual="2026-03-01")
    await make_issue(acme, number=2, release_date_actual="2026-06-01")
    for name in ("Ada", "Grace", "Émilie"):
        await make_subscription(acme, first_name=name, postcode="01234", city="Köln")
    await make_subscription(acme, first_name="Online", medium="Digital")
    transport = Bridge(acme, asyncio.get_running_loop())
    with Masthead("http://test", acme.key, transport=transport) as client:
        yield client


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


async def run(desk: Masthead, folder: Path) -> list[Path]:
    return await asyncio.to_thread(mailing_house.export, desk, folder, TODAY)


async def test_each_night_has_the_copies_that_are_new(
    acme: Cast, desk: Masthead, tmp_path: Path
) -> None:
    [first] = await run(desk, tmp_path)
    assert first.name == "issue-1-run-1.csv"
    assert sorted(row["name"] for row in rows(first)) == ["Ada", "Grace", "Émilie"]
    assert {row["postcode"] for row in rows(first)} == {"01234"}
    assert len({row["key"] for row in rows(first)}) == 3
    assert await run(desk, tmp_path) == []
    late = await make_subscription(acme, first_name="Late")
    [second] = await run(desk, tmp_path)
    assert (second.name, [row["name"] for row in rows(second)]) == ("issue-1-run-2.csv", ["Late"])
    [copy] = [each for each in await copies_of(acme, late["id"]) if each["issue"]["number"] == 1]
    assert (copy["status"], copy["date_sent"]) == ("Sent", "2026-03-10")
    assert sorted(os.listdir(tmp_path)) == [first.name, second.name]


@pytest.mark.parametrize("place", ["create", "get", "list_lines", "mark_sent", "after"])
async def test_after_a_crash_it_goes_on_with_the_same_run(
    acme: Cast, desk: Masthead, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """Once before the request, once when it is done and its answer is lost."""
    real: Any = getattr(desk.dispatches, "mark_sent" if place == "after" else place)

    def crash(*ids: Any, **fields: Any) -> None:
        if place in {"create", "after"}:
            real(*ids, **fields)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(desk.dispatches, real.__name__, crash)
        with pytest.raises(KeyboardInterrupt):
            await asyncio.to_thread(mailing_house.export, desk, tmp_path, TODAY)
    await make_subscription(acme, first_name="Late")
    [path] = await run(desk, tmp_path)
    assert sorted(row["name"] for row in rows(path)) == ["Ada", "Grace", "Émilie"]
    [late] = await run(desk, tmp_path)
    assert [row["name"] for row in rows(late)] == ["Late"]
    runs = (await acme.get("/v1/dispatches/")).json()["items"]
    assert [each["status"] for each in runs] == ["marked", "marked"]
