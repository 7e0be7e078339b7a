"""`masthead webhook` and `masthead webhook listen`."""

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import pytest

from masthead.cli import webhooks
from tests.cli.conftest import CommandLine
from tests.support.factories import make_issue
from tests.support.replica import settings_of
from tests.support.serving import ROOT, account_at, serve
from tests.support.webhooks import receiving
from tools.on_day import clock_variables

ALLOW = {"MASTHEAD_WEBHOOK_ALLOW_PRIVATE": "true"}
URL = "http://127.0.0.1:9/hook"


@pytest.fixture(autouse=True)
def allow_private(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow addresses of this machine, which need no name server."""
    for name, value in ALLOW.items():
        monkeypatch.setenv(name, value)


def test_a_webhook_is_created_changed_and_deleted(masthead: CommandLine) -> None:
    account = masthead.account()
    made = masthead(f"webhook create --account {account} --url {URL} --event issue.created --json")
    assert made.json.keys() == {"id", "secret", "public_key"}
    assert made.json["secret"].startswith("whsec_")
    id = made.json["id"]
    listed = masthead(f"webhook list --account {account} --json")
    assert [each["types"] for each in listed.json["items"]] == [["issue.created"]]
    assert made.json["secret"] not in listed.out
    assert masthead(f"webhook disable {id}").said == f"Webhook {id} is disabled."
    assert "disabled" in masthead(f"webhook list --account {account}").out
    assert masthead(f"webhook enable {id}").said == f"Webhook {id} is enabled."
    rotated = masthead(f"webhook rotate {id} --overlap-hours 0")
    assert rotated.out.startswith("whsec_")
    assert made.json["secret"] not in rotated.out
    assert masthead(f"webhook deliveries {id} --status failed").out == ""
    assert masthead(f"webhook delete {id}").said == f"Webhook {id} is deleted."
    assert masthead(f"webhook list --account {account}").out == ""


def test_without_events_a_webhook_gets_all(masthead: CommandLine) -> None:
    account = masthead.account()
    assert masthead(f"webhook create --account {account} --url {URL}").out.startswith("whsec_")
    assert "all" in masthead(f"webhook list --account {account}").out


@pytest.mark.parametrize(
    "words, reason",
    [
        ("create --account {account} --url https://no-such-host.invalid/", "was not found"),
        ("create --account {account} --url https://ann:secret@shop.test/", "credentials"),
        ("create --account {account} --url {url} --event issue.create", "issue.created"),
        ("rotate nonsense", "is not the id of a webhook"),
        ("enable 0000101M80H1V6W0RC58T1S3M2D9QXR", "There is no webhook"),
        ("deliveries 0000101M80H1V6W0RC58T1S3M2D9QXR", "There is no webhook"),
        ("resend {id} --first 1", "There is no such event"),
        ("resend {id} --first 2 --last 1", "`last` is before `first`"),
    ],
)
def test_errors_say_what_to_do(masthead: CommandLine, words: str, reason: str) -> None:
    account = masthead.account()
    made = masthead(f"webhook create --account {account} --url {URL} --json").json
    line = words.format(account=account, url=URL, id=made["id"])
    assert reason in masthead(f"webhook {line}", code=1).said


def test_a_private_address_is_refused_without_the_setting(
    masthead: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MASTHEAD_WEBHOOK_ALLOW_PRIVATE")
    account = masthead.account()
    line = f"webhook create --account {account} --url https://127.0.0.1/hook"
    assert "private network" in masthead(line, code=1).said


def run(url: str, words: str) -> subprocess.Popen[str]:
    """Start a command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "masthead", *words.split()],
        cwd=ROOT,
        env={**clock_variables(), **ALLOW, **settings_of(url)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


async def test_a_server_sends_events_tests_and_what_is_sent_again(
    alone: CommandLine, scratch_url: str, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    async with receiving() as receiver:
        with serve(scratch_url, log, environment=ALLOW) as server:
            async with account_at(server, scratch_url) as cast:
                made = (await cast.post("/v1/webhooks/", {"url": receiver.url})).json()
                tested = await asyncio.to_thread(alone, f"webhook test {made['id']} --json")
                assert tested.json["answer_status"] == 204
                await make_issue(cast)
                await receiver.wait_for(2)
                event = receiver.ids[1]
                path = f"/v1/webhooks/{made['id']}/"
                while (await cast.get(path)).json()["last_event"] != int(event):  # noqa: ASYNC110
                    await asyncio.sleep(0.02)  # until the answer is stored
                resend = f"webhook resend {made['id']} --first {event}"
                assert "again: 1" in (await asyncio.to_thread(alone, resend)).said
                await receiver.wait_for(3)
                listed = await asyncio.to_thread(alone, f"webhook deliveries {made['id']} --json")
    assert receiver.ids[2] == event
    events = [each["event"] for each in listed.json["items"]]
    assert [event and event["type"] for event in events] == ["issue.created", None]
    receiver.verify(made["secret"])


async def test_a_test_says_that_no_server_runs(
    masthead: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "TEST_SECONDS", 0.0)
    account = await asyncio.to_thread(masthead.account)

    def send() -> str:
        made = masthead(f"webhook create --account {account} --url {URL} --json").json
        return masthead(f"webhook test {made['id']}", code=1).said

    assert "`masthead serve`" in await asyncio.to_thread(send)


async def test_listen_forwards_new_events(scratch_url: str, tmp_path: Path) -> None:
    async with receiving() as receiver:
        with serve(scratch_url, tmp_path / "log") as server:
            async with account_at(server, scratch_url) as cast:
                await make_issue(cast)
                account = (await cast.get("/v1/me/")).json()["account"]["subdomain"]
                words = f"webhook listen --account {account} --forward-to {receiver.url}"
                with run(scratch_url, f"{words} --event issue.updated") as process:
                    try:
                        assert process.stdout is not None
                        first = await asyncio.to_thread(process.stdout.readline)
                        (secret,) = re.findall(r"whsec_\S+", first)
                        await asyncio.to_thread(process.stdout.readline)
                        issue = await make_issue(cast, 2)
                        await cast.patch(f"/v1/issues/{issue['id']}/", {"name": "Autumn"})
                        said = await asyncio.to_thread(process.stdout.readline)
                    finally:
                        process.terminate()  # a shell may let its jobs ignore Ctrl+C
    assert [each["type"] for each in receiver.bodies] == ["issue.updated"]
    assert said.startswith("issue.updated")
    assert "204" in said
    receiver.verify(secret)
