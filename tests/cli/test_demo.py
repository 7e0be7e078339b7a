"""`masthead demo` for a new user: an address, an API key, and a request to try."""

import asyncio
import contextlib
import csv
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from masthead import demo
from masthead.cli import run
from masthead.cli.demo import create_publication
from masthead.settings import from_env
from masthead.store.accounts import Account, get_account
from tests.support.databases import opened
from tests.support.logs import reset_logs
from tests.support.serving import ROOT, Server
from tests.support.waiting import PATIENCE

with demo.SUBSCRIPTIONS_CSV.open(encoding="utf-8", newline="") as _file:
    ORDERS = sum(1 for _ in csv.DictReader(_file))


async def only_account(url: str) -> Account:
    async with opened(url) as db:
        return await get_account(db, 1)


def environment(folder: Path) -> dict[str, str]:
    """The environment of a machine without settings of masthead."""
    others = {name: text for name, text in os.environ.items() if "MASTHEAD" not in name}
    return {**others, "PYTHONPATH": str(ROOT), "HOME": str(folder), "PYTHONUNBUFFERED": "1"}


class Demo:
    """A running demo. output: what it printed to stdout before it serves."""

    def __init__(self, server: Server, output: str) -> None:
        self.server, self.output = server, output
        (self.key,) = re.findall(r"^key +(\S+)", output, re.MULTILINE)

    def get(self, path: str) -> httpx.Response:
        """Send a request with the key that the demo printed."""
        headers = {"Authorization": f"Bearer {self.key}"}
        url = self.server.url + path
        return httpx.get(url, headers=headers, timeout=PATIENCE, trust_env=False)


@contextlib.contextmanager
def running(folder: Path) -> Iterator[Demo]:
    """The demo in a folder, until SIGTERM ends it."""
    stdout, stderr = folder / "stdout", folder / "stderr"
    with stdout.open("w") as out, stderr.open("w") as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "masthead", "demo"],
            cwd=folder,
            env=environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
    server = Server(process, 0, stderr)
    try:
        output = wait_for_instructions(server, stdout)
        (port,) = re.findall(r"^address +http://127\.0\.0\.1:(\d+)$", output, re.MULTILINE)
        server = Server(process, int(port), stderr)
        yield Demo(server, output)  # which can be used at once
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
    finally:
        server.kill()


def wait_for_instructions(server: Server, stdout: Path) -> str:
    """What the demo prints once its data is complete: several lines, and an empty one."""
    deadline = time.monotonic() + PATIENCE
    while not (output := stdout.read_text()).endswith("}\n\n"):
        said = f"{output}\n{server.log.read_text()}"
        assert server.process.poll() is None, f"the demo has ended: {said}"
        assert time.monotonic() < deadline, f"the demo does not say how to use it: {said}"
        time.sleep(0.05)
    return output


def words_after(output: str, mark: str) -> str:
    """The line after the one with a given text."""
    lines = output.splitlines()
    (place,) = (number for number, line in enumerate(lines) if mark in line)
    return lines[place + 1].strip()


@pytest.mark.slow
def test_the_demo_prints_an_address_a_key_and_a_request_that_works(tmp_path: Path) -> None:
    with running(tmp_path) as first:
        command = words_after(first.output, "run:")
        expected = words_after(first.output, "response:")
        program, flag, header, url = shlex.split(command)
        assert (program, flag) == ("curl", "-H")
        name, _, value = header.partition(": ")
        answer = httpx.get(url, headers={name: value}, timeout=PATIENCE, trust_env=False)
        assert answer.text == expected
        assert json.loads(expected)["scope"] == "read_only"
        page = first.get("/v1/subscriptions/?limit=200").json()
        assert len(page["items"]) == 200
        assert page["has_more"] is True
        assert first.get("/docs").is_success
        (first.key,) = re.findall(r"^writes +(\S+)", first.output, re.MULTILINE)
        assert first.get("/v1/me/").json()["scope"] == "read_write"
    assert first.server.process.returncode == 0
    assert f"{ORDERS} orders imported, 0 skipped" in (tmp_path / "stderr").read_text()

    with running(tmp_path) as second:
        assert second.key != first.key
        assert second.get("/v1/subscriptions/?limit=200").json() == page
        second.key = value.removeprefix("Bearer ")
        assert second.get("/v1/me/").is_success
    assert f"0 orders imported, {ORDERS} skipped" in (tmp_path / "stderr").read_text()
    assert (tmp_path / "masthead-demo.db").exists()


@pytest.mark.slow
def test_the_demo_publication_passes_all_checks(
    scratch_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MASTHEAD_DATABASE_URL", scratch_url)
    keys = {create_publication(from_env()) for _ in range(2)}
    assert len(keys) == 2
    output = capsys.readouterr().err
    assert f"{ORDERS} orders imported, 0 skipped" in output
    assert f"0 orders imported, {ORDERS} skipped" in output
    try:
        assert run(["check"]) == 0
        assert capsys.readouterr().out == ""
        assert run(["issue", "list", "--account", demo.SUBDOMAIN, "--json"]) == 0
        assert len(json.loads(capsys.readouterr().out)["items"]) == 24
        account = asyncio.run(only_account(scratch_url))
        assert (account.country, account.time_zone) == ("DE", "Europe/Berlin")
        assert run(["source", "list", "--account", demo.SUBDOMAIN, "--json"]) == 0
        sources = json.loads(capsys.readouterr().out)["items"]
        assert {(each["name"], each["type"]) for each in sources} == set(demo.SOURCES)
        preview = ["dispatch", "preview", "--account", demo.SUBDOMAIN, "--issue", "21", "--json"]
        assert run(preview) == 0
        counts = json.loads(capsys.readouterr().out)
        assert counts["by_group"]["home"] == counts["by_country"][demo.COUNTRY] > 0
    finally:
        reset_logs()
