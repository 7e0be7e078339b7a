"""The API reference lists each type of event, and its loop handles each event once."""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from masthead.model.events.types import PublicEventType
from tests.documentation.test_docs import API
from tests.support.factories import make_issues
from tests.support.serving import account_at, serve
from tests.support.waiting import PATIENCE

CHAPTER = API.partition("\n## Events\n")[2].partition("\n## ")[0]


def test_each_type_is_documented() -> None:
    rows = [f"| `{each}` | `{each.record_type}` | {each.description} |" for each in PublicEventType]
    assert re.findall(r"^\| `.*$", CHAPTER, re.MULTILINE)[1:] == rows


def documented_loop() -> Callable[..., None]:
    """The function `follow` of the chapter on events."""
    [code] = re.findall(r"^```python\n(.*?)^```$", CHAPTER, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - our own page
    follow: Callable[..., None] = names["follow"]
    return follow


async def test_the_documented_loop_handles_each_event_once(
    scratch_url: str, tmp_path: Path
) -> None:
    follow = documented_loop()
    kept: list[str | None] = [None]
    handled: list[dict[str, Any]] = []
    with serve(scratch_url, tmp_path / "log") as server:
        async with account_at(server, scratch_url) as cast:

            def run() -> list[int]:
                handled.clear()
                key = {"Authorization": f"Bearer {cast.key}"}
                with httpx.Client(
                    base_url=server.url, headers=key, timeout=PATIENCE, trust_env=False
                ) as client:
                    follow(client, lambda: kept[-1], kept.append, handled.append)
                return [each["number"] for each in handled]

            await make_issues(cast, 1, 201)
            assert await asyncio.to_thread(run) == list(range(1, 202))
            assert len(kept) == 3  # two pages
            assert await asyncio.to_thread(run) == []
            await make_issues(cast, 202, 203)
            assert await asyncio.to_thread(run) == [202, 203]
