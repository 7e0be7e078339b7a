"""The programs in the README of the client in Python do what the page says."""

import asyncio
import datetime
import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

import masthead_client
from masthead.model.webhooks.signatures import new_keys, sign
from masthead_client import ApiError, AsyncMasthead, Gone, Masthead, Unreachable
from tests.clients.test_generated import OPERATIONS
from tests.conftest import Cast
from tests.support.bridge import Bridge
from tests.support.factories import make_issues
from tools.clients.files import ROOT

README = (ROOT / "clients/python/README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


class Threaded(httpx.AsyncBaseTransport):
    """For a program whose event loop is not that of the API."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The response of the API."""
        return await asyncio.to_thread(self._bridge.handle_request, request)


async def test_the_programs_run_from_the_first_to_the_last(
    acme: Cast, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await make_issues(acme, 1, 4)
    bridge = Bridge(acme, asyncio.get_running_loop())

    def connect(address: str, key: str) -> Masthead:
        return Masthead(address, key, transport=bridge)

    class Async(AsyncMasthead):
        def __init__(self, address: str, key: str) -> None:
            super().__init__(address, key, transport=Threaded(bridge))

    monkeypatch.setattr(masthead_client, "Masthead", connect)
    monkeypatch.setattr(masthead_client, "AsyncMasthead", Async)
    monkeypatch.setenv("MASTHEAD_URL", "http://test")
    monkeypatch.setenv("MASTHEAD_KEY", acme.key)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}

    def run() -> None:
        for block in BLOCK.findall(README):
            exec(block, names)  # noqa: S102 - our own page

    await asyncio.to_thread(run)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == acme.name
    assert printed[1:3] == ["Active", "1"]
    assert f"{names['subscription']['id']} London" in printed
    assert any(line.startswith("400 duplicate_issue_number number") for line in printed)
    assert names["moment"]
    assert (tmp_path / "cursor.txt").read_text()
    assert any("subscription.created" in line for line in printed)
    keys = new_keys()
    body = json.dumps({"type": "issue.created"}).encode()
    headers = dict(sign([keys], "m", datetime.datetime.now(datetime.UTC), body))
    assert names["receive"](body, headers, keys.secret) == 204
    assert names["receive"](body, headers, new_keys().secret) == 400


def test_the_table_has_every_method() -> None:
    rows = re.findall(r"^\| `([a-z_]+)` \| (.+) \|$", README, re.MULTILINE)
    listed = {
        (name, method) for name, methods in rows for method in re.findall(r"`(\w+)`", methods)
    }
    assert listed == {(each.resource, each.name) for each in OPERATIONS}


def test_the_page_has_the_version() -> None:
    assert f"this is {masthead_client.__version__}." in README


def test_the_table_of_exceptions_is_complete() -> None:
    listed = re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`[A-Z]\w+`[^|]*) \|", README, re.M)))
    kinds = [*ApiError.__subclasses__(), *Gone.__subclasses__(), Unreachable]
    assert {*listed} == {each.__name__ for each in kinds}
